"""Named arrays as one file of bytes (npz) and back, for bytes from untrusted sources.

numpy's own reader trusts the sizes that a file states and allocates the memory before it checks them. This reader
allocates no more than the file contains, reads only plain numbers in the form that `packed` writes, and raises a
ValueError for anything else.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

MOST_PARTS = 64
_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][iuf][1248])', 'fortran_order': False, 'shape': \(([\d, ]{0,60})\), \} *\n",
    re.DOTALL,
)


def packed(arrays: Mapping[str, Array]) -> bytes:
    """The same arrays give the same bytes."""
    buffer = io.BytesIO()
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    np.savez_compressed(buffer, allow_pickle=False, **whole)
    return buffer.getvalue()


def unpacked(blob: bytes, largest: int) -> dict[str, Array]:
    """The arrays of a file; ValueError if they have more than `largest` bytes together."""
    try:
        with ZipFile(io.BytesIO(blob)) as parts:
            entries = parts.infolist()
            if len(entries) > MOST_PARTS or sum(entry.file_size for entry in entries) > largest:
                raise ValueError("it is too large")
            return {entry.filename.removesuffix(".npy"): _array(_octets(parts, entry)) for entry in entries}
    except (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, zlib.error) as error:
        raise ValueError(str(error) or "it is cut") from error


def _octets(parts: ZipFile, entry: ZipInfo) -> bytes:
    """The bytes of an entry: never more than its stated size, however far it would inflate."""
    if entry.compress_type not in (ZIP_DEFLATED, ZIP_STORED):
        raise ValueError("it is packed in another way")
    with parts.open(entry) as file:
        octets = file.read(entry.file_size)
    if len(octets) != entry.file_size:
        raise ValueError("it is cut")
    return octets


def _array(octets: bytes) -> Array:
    head = _HEAD.match(octets)
    if head is None:
        raise ValueError("it has more than plain numbers")
    shape = [int(length) for length in head[2].decode().split(",") if length.strip()]
    numbers = np.frombuffer(octets, np.dtype(head[1].decode()), offset=head.end())
    return numbers.reshape(shape).copy()


def text_array(texts: Iterable[str]) -> Array:
    """Texts without line ends, as an array of bytes."""
    return np.frombuffer("\n".join(texts).encode("utf-8", "surrogatepass"), np.uint8)


def texts_of(array: Array) -> tuple[str, ...]:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("a list of words is missing")
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return tuple(text.split("\n")) if text else ()
