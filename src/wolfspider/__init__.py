"""wolfspider: a focused crawler that learns while it crawls."""

from __future__ import annotations

__version__ = "0.1.0"
