"""Tables that remember the newest of what they were told, and no more than so many."""

from __future__ import annotations

from itertools import islice
from typing import Any


def forget_older_half(kept: dict[Any, Any], most: int) -> None:
    """Of a table that is too large; its entries are in the order in which they came."""
    if len(kept) > most:
        for key in list(islice(kept, most // 2)):
            del kept[key]
