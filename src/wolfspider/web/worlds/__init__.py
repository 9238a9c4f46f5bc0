"""Webs that can be crawled without a network: recorded, computed, written down by a crawl."""
