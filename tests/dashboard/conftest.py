"""One browser for all tests of a file that need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dashboard_in_browser import FLAGS, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield running
        running.close()
