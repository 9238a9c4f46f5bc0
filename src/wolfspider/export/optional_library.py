"""Libraries that only some formats need: a sentence where one of them is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wolfspider.core.errors import Problem, to_install


@contextmanager
def needed(package: str, needs_it: str, extra: str = "") -> Iterator[None]:
    """Within, the package is imported. `extra`: the extra of wolfspider that brings it."""
    try:
        yield
    except ImportError as error:
        how = to_install(extra) if extra else f"pip install {package}"
        raise Problem(f"{needs_it} needs {package}, which is not installed. Install it by: {how}") from error
