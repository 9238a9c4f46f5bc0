"""WARC files, read and written."""
