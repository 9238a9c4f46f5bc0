"""Strategies and judges that a program gives as classes."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import runpy
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import SMALL
from wolfspider.app import steering
from wolfspider.app.explain import why
from wolfspider.app.plugins import GivenClass
from wolfspider.core.model import Outcome, Page, Verdict
from wolfspider.core.topic import Topic
from wolfspider.store.snapshots import LEARNED
from wolfspider.store.view import RunView
from wolfspider.strategies.shark import Shark
from wolfspider.web.server.serve import serve

HASTY: dict[str, Any] = {"topic": "wolf spiders", "delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0, "slots": 1}
SECONDS = 60.0
Run = Callable[..., tuple[int, str, str]]


class Everything(wolfspider.Ordered):
    """Follows every link."""

    name, paper = "everything", "none"

    def observe(self, outcome: Outcome) -> None:
        if outcome.page is not None:
            self.frontier.extend(outcome.page.links, [1.0] * len(outcome.page.links), outcome.page.final_url)


class LongTitles(wolfspider.Unlearning):
    """Likes pages with titles of more than four letters."""

    def __init__(self, topic: Topic) -> None:
        pass

    def score(self, page: Page) -> Verdict:
        return wolfspider.verdict(len(page.title) / 10, 0.5)


class Scoreless:
    pass


MINE: dict[str, Any] = {"strategy": Everything, "judge": LongTitles}


def beside(talk: Callable[[str], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with serve(SMALL) as served:
            return await asyncio.wait_for(talk(f"127.0.0.1:{served.port}"), SECONDS)

    return asyncio.run(main())


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A run of two pages, begun with classes."""

    async def talk(via: str) -> None:
        await wolfspider.crawl("http://a.test/", via=via, out=tmp_path / "run", pages=2, **HASTY, **MINE).run()

    beside(talk)
    return tmp_path / "run"


def test_classes_decide_and_the_run_stores_their_names(begun: Path) -> None:
    pages = list(RunView(begun).pages())
    assert len(pages) == 2 and all(page.relevant == (len(page.title) >= 5) for page in pages)
    stored = json.loads((begun / "run.json").read_text())["about"]["settings"]
    assert stored["strategy"] == f"class:{__name__}.Everything" and stored["judge"] == f"class:{__name__}.LongTitles"


def test_a_run_is_resumed_with_the_same_classes_and_ends_like_one_that_was_never_stopped(
    begun: Path, tmp_path: Path
) -> None:
    async def talk(via: str) -> tuple[Any, Any]:
        resumed = await wolfspider.resume(begun, via=via, pages=20, **MINE).run()
        whole = wolfspider.crawl("http://a.test/", via=via, out=tmp_path / "whole", pages=20, **HASTY, **MINE)
        return resumed, await whole.run()

    resumed, whole = beside(talk)
    assert (resumed.reason, resumed.downloads) == (whole.reason, whole.downloads)
    pages = [[(page.final_url, page.score) for page in RunView(run).pages()] for run in (begun, tmp_path / "whole")]
    assert pages[0] == pages[1] and len(pages[0]) > 2


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "the strategy class {0}.Everything and the judge class {0}.LongTitles"),
        ({"strategy": Everything}, "the judge class {}.LongTitles"),
        ({"strategy": "shark", "judge": LongTitles}, "the strategy class {}.Everything"),
    ],
)
def test_a_class_that_is_missing_is_named(begun: Path, given: dict[str, Any], missing: str) -> None:
    async def resume() -> None:
        await wolfspider.resume(begun, **given).run()

    with pytest.raises(wolfspider.Problem) as caught:
        asyncio.run(resume())
    said = str(caught.value)
    assert missing.format(__name__) in said
    assert f"wolfspider.resume({str(begun)!r}, strategy=Everything, judge=LongTitles)" in said


@pytest.mark.usefixtures("bare_environment")
def test_the_command_line_says_that_the_run_was_begun_from_python(begun: Path, run: Run) -> None:
    code, _, err = run("resume", begun)
    assert code == 2 and f"begun from Python with the strategy class {__name__}.Everything" in err
    assert run("export", begun)[0] == 0
    call = f"wolfspider.resume({str(begun)!r}, strategy=Everything, judge=LongTitles"
    code, out, _ = run("status", begun)
    assert code == 0 and f"Resume it by: {call}, pages=4) from Python" in out and "wolfspider resume" not in out
    code, out, _ = run("steer", begun, "limit", "pages=9")
    assert code == 0 and f"when it is resumed: {call}) from Python" in out


@pytest.mark.usefixtures("bare_environment")
def test_what_does_not_need_the_class_works_without_it(begun: Path, run: Run) -> None:
    assert why(begun, "http://a.test/")["known"]
    assert run("steer", begun, "limit", "pages=9")[0] == 0 and run("steer", begun, "set", "anything=1")[0] == 0
    code, out, _ = run("steer --yes", begun, "exclude", "b.test")
    assert code == 0 and "its strategy is a class of another program" in out
    code, _, err = run("explain", begun, "http://a.test/never-seen")
    assert code == 2 and "begun from Python" in err
    assert steering.command_for(begun, "pause", ()) is not None


def test_what_a_class_has_learned_is_handed_on_to_the_same_class(begun: Path, tmp_path: Path) -> None:
    async def talk(via: str) -> None:
        heir = {"learned_from": str(begun), "out": tmp_path / "heir", "via": via, "pages": 2}
        await wolfspider.crawl("http://a.test/", **heir, **HASTY, **MINE).run()
        with pytest.raises(wolfspider.Problem, match="begun from Python"):
            await wolfspider.crawl("http://a.test/", **{**heir, "out": tmp_path / "other"}, **HASTY).run()

    beside(talk)
    assert (tmp_path / "heir" / "snapshots" / LEARNED).is_file()


def test_the_example_of_the_documentation_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import wolfspider\n\n\nclass Everything.*?)hunt = ", page, re.DOTALL)
    names: dict[str, Any] = {"__name__": "my_program"}
    exec(example, names)
    classes = {"strategy": names["Everything"], "judge": names["LongTitles"]}

    async def talk(via: str) -> int:
        made = {"via": via, "out": tmp_path / "run", **HASTY, **classes}
        await wolfspider.crawl("http://a.test/", pages=2, **made).run()
        return (await wolfspider.resume(tmp_path / "run", pages=4, **classes).run()).downloads

    assert beside(talk) == 4


def test_a_class_of_the_house_is_the_same_as_its_name() -> None:
    made = wolfspider.crawl("http://a.test/", via="127.0.0.1:1", strategy=Shark, **HASTY)
    assert made.settings.strategy == "shark" and type(made.settings.strategy) is str


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"strategy": Scoreless}, "Scoreless is no strategy: it must be a class that extends wolfspider.Strategy"),
        ({"strategy": wolfspider.Ordered}, "Ordered is no strategy"),
        ({"judge": Scoreless}, "Scoreless is no judge: it must be a class with a method score"),
        ({"pages": int}, "pages must be a whole number"),
    ],
)
def test_a_class_that_does_not_fit_is_told_before_anything_begins(given: dict[str, Any], says: str) -> None:
    with pytest.raises(wolfspider.Problem, match=says):
        wolfspider.crawl("http://a.test/", via="127.0.0.1:1", **{**HASTY, **given})


def test_a_class_has_one_name_whether_its_file_is_run_or_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_program.py").write_text("class Mine:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    imported = importlib.import_module("my_program").Mine
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "my_program.py"), raising=False)
    ran = runpy.run_path(str(tmp_path / "my_program.py"), run_name="__main__")["Mine"]
    assert ran.__module__ == "__main__" and GivenClass(ran) == GivenClass(imported) == "class:my_program.Mine"
