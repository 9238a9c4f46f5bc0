"""Random generators: one for each (seed, component, entity), so that the order of draws does not matter."""

from __future__ import annotations

import hashlib
import random


def generator(seed: int, *names: object) -> random.Random:
    """The generator that belongs to these names; the same on every machine and in every process."""
    text = "\x1f".join(map(str, (seed, *names)))
    return random.Random(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big"))
