"""What drives a crawl: simulated time or the real one."""
