"""Memory of whole crawls: pages that a small budget cuts, and hostile pages at many slots."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Hosts, Told, assert_whole, environment, hunt

from wolfspider.core.model import Page
from wolfspider.export.exporting import export
from wolfspider.store.sqlite import open_run
from wolfspider.store.view import RunView
from wolfspider.strategies import strategy_named
from wolfspider.terminal.explanation import explain, lines
from wolfspider.terminal.standing import status
from wolfspider.testing.sketch import Sketch, Trial
from wolfspider.web.memory_budget import MEGABYTE, SMALLEST, MemoryBudget, least
from wolfspider.web.server.serve import serve

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "hostile_memory.py"


def hunted(folder: Path, size: int, **settings: Any) -> Told:
    async def main() -> Told:
        web = Hosts(4, 4, size)
        async with serve(web) as served:
            return await hunt(served.port, *sorted(web.addresses()), out=folder, **{"deadline": 60.0, **settings})

    return asyncio.run(main())


@pytest.mark.parametrize("hands", [0, 1])
def test_a_page_the_memory_is_too_small_for_is_cut_and_stays_so(hands: int, tmp_path: Path) -> None:
    memory = least(hands)
    largest = MemoryBudget(memory * MEGABYTE, hands).largest
    told = hunted(tmp_path / "run", 2 * SMALLEST, memory=memory, hands=hands, pages=12)
    assert told.reason == "budget" and len(told.pages) == 12
    assert [remark for remark in told.remarks if "cut at 0.1 MB" in remark and "--memory" in remark]
    cut = {url: page for url, page in told.pages.items() if page.truncated}
    assert cut and all(page.size == largest for page in cut.values())
    rows = {row.final_url: row for row in RunView(tmp_path / "run").pages()}
    assert all(rows[page.final_url].truncated for page in cut.values())
    out = io.BytesIO()
    export(tmp_path / "run", "jsonl", None, stdout=out)
    exported = {line["final_url"]: line["truncated"] for line in map(json.loads, out.getvalue().splitlines())}
    assert exported == {page.final_url: page.truncated for page in told.pages.values()}
    count = RunView(tmp_path / "run").summary().count
    assert count.truncated == len(cut) == status(tmp_path / "run")["truncated"]
    for url, page in told.pages.items():
        said = "\n".join(lines(explain(tmp_path / "run", url)))
        assert ("as far as it was read: it was cut" in said) == page.truncated
    assert_whole(tmp_path / "run")
    store = open_run(tmp_path / "run")
    for _ in store.past().entries:
        pass
    for url, page in cut.items():
        held = store.recall(url)
        assert held is not None and isinstance(held.result, Page)
        assert (held.result.words, held.result.size, held.result.truncated) == (page.words, largest, True)
    store.close()
    more = hunted(tmp_path / "run", 2 * SMALLEST, memory=512, pages=16)
    assert more.reason in ("budget", "done") and more.downloads == 16
    whole = [page for page in more.pages.values() if page.size > largest]
    assert whole and not any(page.truncated for page in whole)


def test_many_downloads_in_little_memory_all_come(tmp_path: Path) -> None:
    told = hunted(tmp_path / "run", SMALLEST // 2, memory=least(0), slots=16, pages=16)
    assert told.reason in ("budget", "done") and len(told.pages) == 16 and not told.failures
    assert not any(page.truncated for page in told.pages.values())


@pytest.mark.parametrize("memory", [0, 10**9])
def test_the_log_of_one_slot_is_the_same_whatever_the_budget(memory: int) -> None:
    kind = strategy_named("best-first")
    usual, given = (Trial(kind, Sketch(), pages=60, slots=1) for _ in range(2))
    usual.run_by_asyncio()
    given.run_by_asyncio(budget=MemoryBudget(memory))
    assert usual.journal == given.journal


@pytest.mark.slow
def test_hostile_pages_at_many_slots_stay_within_twice_the_budget() -> None:
    small = ("--kinds", "text", "bomb", "endless", "links", "--size", "2.5", "--pages", "40", "--slots", "16")
    words = [sys.executable, str(BENCHMARK), *small, "--memory", "256", "--most", "512"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=500, check=False, env=environment())
    assert done.returncode == 0 and "peak_mb=" in done.stdout.splitlines()[-1], done.stdout + done.stderr


def test_a_crawl_of_hostile_pages_that_is_cut_short_is_told_as_a_failure() -> None:
    words = [sys.executable, str(BENCHMARK), "--kinds", "endless", "--pages", "2", "--slots", "2", "--longest", "0"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=environment())
    assert done.returncode == 1 and done.stdout.splitlines()[-1].endswith("unfinished=endless"), done.stdout
