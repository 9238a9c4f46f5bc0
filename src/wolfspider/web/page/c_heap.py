"""The heap of the C library, told to give back what large pages leave. Only glibc has to be told, and understands it.

glibc keeps a freed block for the next one of its size, and blocks of many megabytes too. Bodies grow, and no two are of
one size, so that much of the heap would be holes.
"""

from __future__ import annotations

import ctypes
from functools import cache

_THRESHOLD = -3  # M_MMAP_THRESHOLD
_LARGE = 1 << 20  # bytes of a block that the system is asked for, and gets back when it is freed
_MUCH = 4_000_000  # bytes, freed together, that are worth looking for holes


class _Figures(ctypes.Structure):
    """What mallinfo2 tells; of these ten numbers the ninth is the bytes that are free."""

    _fields_ = tuple((f"figure{number}", ctypes.c_size_t) for number in range(10))


@cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        return library if library.malloc_trim and library.mallopt else None
    except (OSError, TypeError, AttributeError):
        return None


@cache
def large_blocks_apart() -> None:
    """Put large blocks outside the heap, from now on and for as long as the process lives."""
    if (library := _library()) is not None:
        library.mallopt(_THRESHOLD, _LARGE)


def tidy(freed: int) -> None:
    """Give the holes in the heap back to the system, if so many freed bytes are worth it."""
    if freed > _MUCH and (library := _library()) is not None:
        library.malloc_trim(0)


def free_bytes() -> int:
    """Bytes of the heap that are free: they can be had without asking the system. 0 where nobody knows."""
    try:
        told = ctypes.CDLL(None).mallinfo2
    except (OSError, TypeError, AttributeError):
        return 0
    told.restype = _Figures
    return int(told().figure8)
