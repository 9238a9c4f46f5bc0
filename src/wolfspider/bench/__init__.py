"""Crawlers and webs measured: bounds, tables and figures that read only what a run has logged."""
