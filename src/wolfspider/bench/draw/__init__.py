"""Figures, pages and reports from rows."""
