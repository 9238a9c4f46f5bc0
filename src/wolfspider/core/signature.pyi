"""What mypy knows of signature.pyx."""

from typing import Any

import numpy as np

def signature(octets: bytes, weights: np.ndarray[Any, np.dtype[np.uint64]], odd: int, run: int) -> int: ...
