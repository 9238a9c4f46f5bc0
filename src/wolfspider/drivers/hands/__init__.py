"""Hands: what sends the requests of a crawl and reads the answers, in its own process or in others."""
