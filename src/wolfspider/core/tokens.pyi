"""What mypy knows of tokens.pyx."""

from typing import Any

import numpy as np

def read_words(
    given: bytes,
    table: bytes,
    between: int,
    longest: int,
    weights: np.ndarray[Any, np.dtype[np.uint64]],
    odd: int,
    run: int,
) -> tuple[list[str] | str, list[int], int, dict[str, int] | None, int | None]: ...
