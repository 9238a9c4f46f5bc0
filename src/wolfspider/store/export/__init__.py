"""Pages of a run for other tools."""
