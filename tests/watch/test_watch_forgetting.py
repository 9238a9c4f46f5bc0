"""A page that is forgotten is in nothing that the watch kept or told, and nobody is told of it again."""

from __future__ import annotations

import asyncio
import json
import stat
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.store.test_forgetting import MARK, silent, that_hold_the_secret
from tests.watch.papers import FAST, FRONT, HOUR, MINUTE, NOON, Article, Paper, going_on, watching

from wolfspider.cli import main as command
from wolfspider.core.errors import Busy
from wolfspider.files.lock import Lock
from wolfspider.store.repair.examination import examine
from wolfspider.watch.book import opened
from wolfspider.watch.forgetting import forget, take_out
from wolfspider.watch.outputs import FEED, TAIL
from wolfspider.watch.webhook import Hook
from wolfspider.watch.why import why
from wolfspider.web.server.serve import serve

NOBODY = Hook("http://127.0.0.1:9/")  # takes no report, so that all wait
STORY = f"{FRONT}{MARK[:3]}story"


@pytest.fixture(scope="module")
def paper() -> Paper:
    paper = Paper()
    secret = f"The first paragraph.\nThe mayor, {MARK}, denies it."
    paper.articles = {
        "other": Article("Of something else.", NOON - MINUTE),
        STORY.removeprefix(FRONT): Article(secret, NOON - MINUTE, head=f'<meta name="description" content="{MARK}">'),
    }
    return paper


@pytest.fixture
def run(tmp_path: Path, paper: Paper) -> Path:
    """A watch that told of the story, and that it changed."""
    name = STORY.removeprefix(FRONT)

    async def main() -> None:
        async with watching(paper, tmp_path / "run", hook=NOBODY, set=["again=true"]) as under_way:
            await under_way.until(lambda: sorted(under_way.told()) == sorted(paper.articles))
            paper.articles[name] = replace(told, text=told.text.replace("denies it", "admits everything now"))
            await under_way.until(lambda: under_way.told("changed"))

    told = paper.articles[name]
    asyncio.run(main())
    paper.articles[name] = told
    return tmp_path / "run"


def test_what_was_told_of_a_forgotten_page_is_nowhere_and_is_not_told_again(run: Path, paper: Paper) -> None:
    (run / TAIL).chmod(0o644)
    with (run / TAIL).open("a") as file:
        file.write(f'{{"number": 4, "title": "{MARK}')  # cut by a crash
    before = [json.loads(line) for line in (run / TAIL).read_text().splitlines()[:-1]]
    with opened(run) as book:
        assert len(book.rows("SELECT number FROM outbox")) == len(before) == 3
    assert {"news.atom", "news.jsonl", "watch.db"} <= set(that_hold_the_secret(run))
    told = forget(run, STORY, silent)
    assert told.reports == 2 and told.pages == 1 and "2 reports" in told.told()
    assert that_hold_the_secret(run) == [] and examine(run) == []
    after = [json.loads(line) for line in (run / TAIL).read_text().splitlines()]
    for old, new in zip(before, after, strict=True):
        kept = ("number", "id", "kind", "url", "found")
        assert new == old if old["url"] != STORY else new == {name: old[name] for name in kept} | {"forgotten": True}
    assert stat.S_IMODE((run / TAIL).stat().st_mode) == 0o644
    assert ElementTree.parse(run / FEED).getroot().tag.endswith("feed")
    with opened(run) as book:
        assert [book.reports(number - 1, 1)[0].url for (number,) in book.rows("SELECT number FROM outbox")] == [
            f"{FRONT}other"
        ]
    reason = why(run, STORY)
    assert reason is not None and "forgotten" in reason["sentence"]

    async def main() -> None:
        later = NOON + 100 * HOUR
        paper.articles["later"] = Article("It came later.", later - MINUTE)
        async with (
            serve(paper, manner=replace(FAST, start=later)) as server,
            going_on(server, run, set=["again=true"]) as again,
        ):
            await again.until(lambda: again.told())
            await again.looks(3)
            assert again.told() == ["later"] and not again.told("changed")

    asyncio.run(main())
    assert [json.loads(line)["number"] for line in (run / TAIL).read_text().splitlines()] == [1, 2, 3, 4]
    del paper.articles["later"]


def test_killed_before_the_pages_go_the_same_command_finishes_it(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert take_out(run, lambda url: url == STORY) == 2
    assert not {"news.atom", "news.jsonl", "watch.db"} & set(that_hold_the_secret(run))
    assert command(["forget", str(run), "paper.test", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)[0]
    assert told["reports"] == 1 and told["pages"] == 3  # the front page, too
    assert that_hold_the_secret(run) == []


def test_a_watch_that_goes_on_is_refused_and_nothing_is_changed(run: Path) -> None:
    before = {name: (run / name).read_bytes() for name in (TAIL, FEED, "watch.db")}
    lock = Lock(run / "lock")
    try:
        with pytest.raises(Busy):
            forget(run, STORY, silent)
    finally:
        lock.release()
    assert {name: (run / name).read_bytes() for name in before} == before
