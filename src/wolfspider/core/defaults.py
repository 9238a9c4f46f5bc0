"""The default strategy and judge: names alone, so that help can show them without loading anything."""

from __future__ import annotations

DEFAULT_STRATEGY = "shark"
DEFAULT_JUDGE = "classifier"
