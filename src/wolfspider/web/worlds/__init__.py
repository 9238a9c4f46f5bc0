"""Webs that can be crawled without a network: recorded, synthetic, or written down by a crawl."""
