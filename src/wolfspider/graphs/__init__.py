"""Webs measured as graphs: degrees, distances, and whether links lead to pages of the same topic."""
