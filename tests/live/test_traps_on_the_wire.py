"""A site with a calendar, session ids, a faceted shop and a mirror, over HTTP: what the server was asked for."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from tests.live.hunting import Told, finished, go_on, hunt, prepared

from wolfspider.app.explain import why
from wolfspider.core.errors import Problem
from wolfspider.core.events import Noted
from wolfspider.policy import pattern_rests
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.terminal.explanation import lines
from wolfspider.testing.trap_site import HOST, TrapSite
from wolfspider.web.http.web_time import PATH as WEB_TIME
from wolfspider.web.server.serve import serve

SITE = TrapSite(7)
PAGES = 150


def calendar_days() -> Iterator[str]:
    """Those near the day that the menu names."""
    for year, month, day in product((2025, 2026, 2027), (10, 11, 12), (15, 16, 17, 18)):
        yield f"http://{HOST}/calendar/{year}/{month}/{day}"


def crawled(run: Path, **settings: str) -> tuple[Counter[bool], list[Told]]:
    """How many requests were for honest pages that were not asked for before, and how many were not."""

    async def main() -> tuple[Counter[bool], list[Told]]:
        async with serve(SITE) as server:
            told = [
                await hunt(server.port, f"http://{HOST}/", pages=PAGES // 2, topic="rose, tulip", out=run, **settings)
            ]
            told.append(await go_on(run, pages=PAGES))
            new: set[str] = set()
            asked: Counter[bool] = Counter()
            for one in server.log:
                if one.path not in ("/robots.txt", WEB_TIME):  # which are asked besides the pages
                    page = SITE.honest(f"http://{one.host}{one.path}")
                    asked[page is not None and page not in new] += 1
                    new |= {page} if page else set()
            return asked, told

    return asyncio.run(asyncio.wait_for(main(), 120))


def test_a_crawl_over_http_keeps_out_of_traps_and_goes_on_so(tmp_path: Path) -> None:
    asked, told = crawled(tmp_path / "run", traps="avoid", strategy="best-first")
    assert asked.total() == PAGES and asked[True] > PAGES // 2
    kinds = {event.kind for one in told for event in one.events if isinstance(event, Noted)}
    assert {"rest", "spelling"} <= kinds
    found = why(tmp_path / "run", f"http://{HOST}/calendar/1999/9/9")
    assert "garden.test/calendar/#/#/# rests until" in found["trap"]
    assert any(line.startswith("  traps ") for line in lines(found))
    held = [one for one in map(partial(why, tmp_path / "run"), calendar_days()) if one["state"] == "rests"]
    assert held and "rests: the rules against traps hold it back" in "".join(lines(held[0]))


@pytest.mark.slow
def test_without_the_rules_it_does_not(tmp_path: Path) -> None:
    asked, _ = crawled(tmp_path / "run", traps="ignore", strategy="best-first")
    assert asked.total() == PAGES and asked[True] < PAGES // 2


def killed(run: Path, edition: int | None, then: Callable[[], object] = bool, **settings: str) -> tuple[int, set[str]]:
    """A run of 60 downloads that was killed after 40 and resumed; `edition`: what its run.json says of the rules;
    `then` is done in between. How many pages came in the second session, and all that came."""

    async def main() -> tuple[int, set[str]]:
        async with serve(SITE) as server:
            first = prepared(server.port, f"http://{HOST}/", out=run, pages=60, slots=1, topic="rose", **settings)
            assert first.hunt is not None
            first.after(40, first.hunt.stop)
            await finished(first)
            for snapshot in (run / "snapshots").iterdir():  # what is left is the log
                snapshot.unlink()
            written = json.loads((run / "run.json").read_text())
            assert written["about"].pop("traps") == TrapRules.EDITION
            written["about"] |= {} if edition is None else {"traps": edition}
            (run / "run.json").write_text(json.dumps(written))
            then()
            again = await go_on(run)
            return len(again.pages), {*first.pages, *again.pages}

    return asyncio.run(asyncio.wait_for(main(), 120))


def test_a_killed_run_goes_on_with_the_rules_it_was_begun_with(tmp_path: Path) -> None:
    ignored = killed(tmp_path / "ignored", TrapRules.EDITION, traps="ignore", strategy="best-first")[1]
    avoided = killed(tmp_path / "avoided", TrapRules.EDITION, traps="avoid", strategy="best-first")
    older = killed(tmp_path / "older", None, traps="avoid", strategy="best-first")  # which differ for tarpits only
    assert avoided == older and avoided[0] > 10 and avoided[1] != ignored


def test_a_killed_run_of_rules_that_are_gone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_rests, "FREE", (0, 0, 0, 0))
    with pytest.raises(Problem, match=r"rules against traps were others, .* cannot be resumed: .* repair .* --anew"):
        killed(tmp_path / "run", None, monkeypatch.undo, traps="avoid", strategy="best-first")
