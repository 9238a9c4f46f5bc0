"""Pages of a run handed on to other tools: one selection of pages, and a sink for each format."""
