"""Damaged runs: what is wrong with one, and how all that can be read of it becomes a run that opens."""
