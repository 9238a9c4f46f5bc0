"""What mypy knows of tokens.pyx."""

from typing import Any

import numpy as np

def parted(
    clean: bytes, between: int, longest: int, weights: np.ndarray[Any, np.dtype[np.uint64]], odd: int, run: int
) -> tuple[list[str], list[int], dict[str, int] | None, int | None]: ...
