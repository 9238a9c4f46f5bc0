"""Watching: what is new in a run that never ends, and how people are told."""
