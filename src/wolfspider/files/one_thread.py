"""Numpy without threads of its own, told by the environment before it is loaded.

Its library would start one for each further core, which wait busily for work. The sums of a crawl are small, so there
is none for them, and each would cost more processor time than it saves.
"""

from __future__ import annotations

import os

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # however it is built


def without_threads() -> None:
    """For this process and those it starts, unless a person has chosen otherwise."""
    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)
