"""Webs: the live one, recorded ones, synthetic ones; and how bytes become pages."""
