"""Measuring strategies and judges, and reproducing papers: settings go into cells, rows come out, reports read rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Setting = Mapping[str, Any]  # what a cell is asked for: plain JSON
Row = dict[str, Any]  # what came of it, likewise
