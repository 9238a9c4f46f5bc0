"""The crawl itself: what is asked, what comes back, what is learned from it. It owns no I/O; drivers do."""
