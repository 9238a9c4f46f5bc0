"""Webs: the live one, recorded ones, computed ones; and how bytes become pages."""
