"""Crawls that need more than one process, or more than one machine."""
