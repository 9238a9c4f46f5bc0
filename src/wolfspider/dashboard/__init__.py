"""The dashboard: watch crawls in a browser, steer them, start them. It reads runs and writes only commands."""
