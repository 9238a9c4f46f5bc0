"""What a crawl uses where nobody chooses: names alone, so that help can tell them without loading anything."""

from __future__ import annotations

DEFAULT_STRATEGY = "shark"
DEFAULT_JUDGE = "classifier"
