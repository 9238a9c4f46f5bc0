"""Hands on a Ray cluster: their third home, after the crawl's own process and processes beside it."""
