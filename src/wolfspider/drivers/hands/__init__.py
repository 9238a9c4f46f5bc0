"""Hands: whoever goes out for the visits of a crawl, in its own process or in others."""
