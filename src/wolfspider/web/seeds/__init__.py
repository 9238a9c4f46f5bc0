"""Where addresses come from: lists, sitemaps, feeds, searches, leaps."""
