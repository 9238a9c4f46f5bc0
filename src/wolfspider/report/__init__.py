"""A run as one page for a browser, to keep or to hand on."""
