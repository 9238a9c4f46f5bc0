"""A judge that reads the main text of pages alone: what it says, and that it says so again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import go_on, hunt
from tests.small_web import BREAD, SPIDERS, SmallWeb

from wolfspider.app import preflight
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

pytest.importorskip("resiliparse")


def article(title: str, text: str, menu: str, *links: str) -> str:
    named = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"""<!doctype html><title>{title}</title><body>
        <nav><ul><li><a href="/">{menu}</a></li>{named}</ul></nav><article><h1>{title}</h1><p>{text}</p></article>"""


WEB = SmallWeb(
    {
        "http://a.test/": article("Start", SPIDERS, "home", "/bread", "/spiders", "/more"),
        "http://a.test/bread": article("Bread", BREAD, SPIDERS),
        "http://a.test/spiders": article("Spiders", SPIDERS, BREAD),
        "http://a.test/more": article("More", BREAD, SPIDERS),
        "http://a.test/robots.txt": (404, {"content-type": "text/plain"}, b"no"),
    },
    {},
)


def verdicts(run: Path, judge_text: str, stops_at: int = 0, **settings: Any) -> dict[str, float]:
    async def main() -> None:
        async with serve(WEB) as server:
            asked = {"topic": "wolf spiders, hunt", "judge": "coverage", "judge_text": judge_text, **settings}
            await hunt(server.port, "http://a.test/", pages=stops_at or 10, out=run, **asked)
            if stops_at:
                await go_on(run, pages=10)

    asyncio.run(asyncio.wait_for(main(), 120))
    return {row.final_url.rpartition("/")[2]: row.score for row in RunView(run).pages()}


def test_menus_make_no_page_relevant_to_a_judge_of_main_texts(tmp_path: Path) -> None:
    whole, main = verdicts(tmp_path / "whole", "whole"), verdicts(tmp_path / "main", "main")
    assert whole["bread"] >= 0.5 > main["bread"] and main["spiders"] >= 0.5 and len(main) == 4


@pytest.mark.parametrize("hands", [0, 1])
def test_a_run_that_is_resumed_goes_on_so_whoever_reads_the_pages(tmp_path: Path, hands: int) -> None:
    first = verdicts(tmp_path / "first", "main", hands=hands)
    assert verdicts(tmp_path / "again", "main", stops_at=2, hands=hands) == first
    for name in ("pages.0", "pages.1"):  # what was parsed is gone, so that pages are read from the archive
        (tmp_path / "again" / "snapshots" / name).unlink(missing_ok=True)
    for snapshot in (tmp_path / "again" / "snapshots").glob("[0-9]*"):
        snapshot.unlink()

    async def resumed() -> None:
        async with serve(WEB) as server:
            await go_on(tmp_path / "again", pages=11, via=f"127.0.0.1:{server.port}")

    asyncio.run(asyncio.wait_for(resumed(), 120))
    assert {row.final_url.rpartition("/")[2]: row.score for row in RunView(tmp_path / "again").pages()} == first


def test_without_the_library_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "find_spec", lambda name: None)
    with pytest.raises(Problem, match=r'--judge-text main needs .* pip install "wolfspider\[text\]"'):
        preflight.check(Settings(urls=("http://a.test/",), topic="x", contact="me@example.org", judge_text="main"))
