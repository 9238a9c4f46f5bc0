"""What all tests share: the same examples on every run, and the corpora found by the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no health check of speed: a loaded machine is not a failing test.
# `HYPOTHESIS_PROFILE=search make test` looks for examples nobody has seen.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of recorded webs; tests that want it are skipped where there is none."""
    folder = os.environ.get("WOLFSPIDER_CORPORA")
    if not folder:
        pytest.skip("WOLFSPIDER_CORPORA names no folder of recorded webs, so what is measured on them is not tested.")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"WOLFSPIDER_CORPORA is {folder!r}, which is no folder. Correct it, or unset it to skip.")
    return path
