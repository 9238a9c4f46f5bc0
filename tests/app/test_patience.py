"""How long a visit waits for a host: not as long as the crawl may wait, if agents wait for its outcome."""

from __future__ import annotations

import pytest

from wolfspider.app.assemble import patience_of
from wolfspider.app.settings import Settings


@pytest.mark.parametrize(
    ("strategy", "delay", "seconds"),
    [("shark", 1.0, 3600.0), ("lafc", 1.0, 120.0), ("foragers", 100.0, 200.0), ("spider-genetic", 1.0, 120.0)],
)
def test_agents_do_not_wait_for_a_host_as_long_as_a_crawl_may(strategy: str, delay: float, seconds: float) -> None:
    assert patience_of(Settings(strategy=strategy, delay=delay, max_wait=3600.0)) == seconds
