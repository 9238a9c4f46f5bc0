"""A recording: what a crawl looked at, and when, written down so that it can be crawled again."""
