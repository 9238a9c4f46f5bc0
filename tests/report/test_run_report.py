"""The report of a run tells what status and export tell, and whatever pages say stays text in it."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import PAGES, SPIDERS, SmallWeb, page
from wolfspider.app.forgetting import forget
from wolfspider.cli import main
from wolfspider.core.events import AddSeeds, SetLimit, SetTopic
from wolfspider.core.failures import KINDS
from wolfspider.export.exporting import export
from wolfspider.report.run_facts import facts_of
from wolfspider.report.run_page import ADVICE, report
from wolfspider.store.folder import REPORT
from wolfspider.store.inbox import append_command
from wolfspider.store.view import RunView
from wolfspider.testing.trap_site import HOST, TrapSite
from wolfspider.web.server.serve import serve

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnol'
WEB = SmallWeb(
    {
        **PAGES,
        "http://a.test/": page("Start", SPIDERS, "/good", "/hostile", "/missing", "http://b.test/"),
        "http://a.test/hostile": page(HOSTILE.replace("<", "&lt;"), SPIDERS),
    },
    {"http://a.test/old": "http://a.test/good"},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("report") / "run")


def crawled(folder: Path, web: Any = WEB, start: str = "http://a.test/", **more: Any) -> Path:
    async def crawl() -> None:
        async with serve(web) as served:
            settings: dict[str, Any] = {"delay": 0.0, "adapt": 0.0, "tries": 1, "disk_floor": 0, **more}
            via = f"127.0.0.1:{served.port}"
            settings = {"topic": "wolf <b>spiders</b>", **settings}
            hunt = wolfspider.crawl(start, out=folder, via=via, **settings)
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(crawl())
    return folder


class Tags(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_in_it_runs_or_loads_whatever_pages_say(made: Path) -> None:
    text = report(made, 0.0)
    assert "&lt;script&gt;alert(1)" in text and "\u202e" not in text
    tags = Tags(text).tags
    assert not {"script", "img", "iframe", "object", "embed", "link", "form", "b"} & {tag for tag, _ in tags}
    for _, attributes in tags:
        assert not any(name.startswith("on") or name == "src" for name in attributes)
        assert (attributes.get("href") or "http://").startswith(("http://", "https://"))
    assert any(tag == "meta" and "default-src 'none'" in (about.get("content") or "") for tag, about in tags)


def test_its_numbers_are_those_of_status_and_export(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts, out = facts_of(made), io.BytesIO()
    assert main(["status", str(made), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    export(made, "jsonl", None, stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    relevant = sum(line["relevant"] for line in lines)
    assert facts.curve.pages[-1] == told["pages"] == len(lines) == sum(host.pages for host in facts.hosts)
    assert facts.curve.relevant[-1] == told["relevant"] == relevant == sum(host.relevant for host in facts.hosts)
    assert facts.curve.downloads[-1] == told["downloads"]
    assert sum(reason.visits for reason in facts.reasons) == sum(told["failures"].values()) > 0
    assert f"{relevant:,} relevant of {len(lines):,} pages, for {told['downloads']:,} downloads" in report(made, 0.0)


def test_the_curve_never_falls(made: Path) -> None:
    for part in facts_of(made).curve:
        assert part == sorted(part)


def test_the_best_come_first_and_each_says_why(made: Path) -> None:
    best = facts_of(made).best
    assert best and [page.score for page in best] == sorted((page.score for page in best), reverse=True)
    assert all(page.why.startswith("Judged relevant") for page in best)


def test_failures_are_told_with_what_to_do(made: Path) -> None:
    text = report(made, 0.0)
    assert "404 Not Found" in text and ADVICE["status"] in text
    assert set(ADVICE) == set(KINDS)


def test_the_command_writes_a_file_beside_the_run_or_where_it_is_told(
    made: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = Path(shutil.copytree(made, tmp_path / "run"))
    assert main(["report", str(run)]) == 0 and (run / REPORT).is_file()
    assert main(["report", str(run), "--out", str(tmp_path / "x.html"), "--quiet"]) == 0
    capsysbinary.readouterr()
    assert main(["report", str(run), "--out", "-"]) == 0
    printed = capsysbinary.readouterr().out.decode()
    assert re.sub(r"read .* by", "", printed) == re.sub(r"read .* by", "", (tmp_path / "x.html").read_text("utf-8"))
    assert main(["check", str(run)]) == 0


def test_a_forgotten_page_is_in_no_report(made: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(made, tmp_path / "run"))
    assert main(["report", str(run), "--quiet"]) == 0 and "http://a.test/hostile" in (run / REPORT).read_text("utf-8")
    forget(run, "http://a.test/hostile", lambda sentence: None)
    assert not (run / REPORT).exists()
    assert all(best.url != "http://a.test/hostile" for best in facts_of(run).best)


def test_a_run_without_pages_has_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    async def crawl() -> None:
        async with serve(SmallWeb({}, {})) as served:
            via = f"127.0.0.1:{served.port}"
            hunt = wolfspider.crawl("http://a.test/", topic="x", out=folder, via=via, delay=0.0, tries=1, disk_floor=0)
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(crawl())
    assert RunView(folder).summary().pages == 0
    assert "No page was judged relevant" in report(folder, 0.0)


def test_what_was_changed_later_is_told_beside_what_was_asked_at_first(made: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(made, tmp_path / "run"))
    for command in (SetTopic(("orb", "weavers"), "orb weavers"), AddSeeds(("http://c.test/",)), SetLimit("pages", 1)):
        append_command(run, command, "me")

    async def resume() -> None:
        async with serve(WEB) as served:
            await asyncio.wait_for(wolfspider.resume(run, via=f"127.0.0.1:{served.port}").run(), 60)

    asyncio.run(resume())
    facts, text = facts_of(run), report(run, 0.0)
    assert facts.settings.first["topic"] == "wolf <b>spiders</b>" and facts.settings.now["topic"] == "orb, weavers"
    assert facts.settings.now["urls"] == ["http://a.test/", "http://c.test/"] and facts.settings.now["pages"] == 1
    typed = [command.typed for command in facts.commands]
    assert typed == ["topic orb, weavers", "seeds http://c.test/", "limit pages=1"]
    assert facts.commands[-1].before == "1000" and facts.commands[0].downloads > 0
    assert "<h1>orb, weavers</h1>" in text and "<td>1000</td><td>1</td>" in text
    assert "<td>topic</td><td>wolf &lt;b&gt;spiders&lt;/b&gt;</td><td>orb, weavers</td>" in text


def test_every_number_of_the_table_of_hosts_is_explained_and_what_is_left_is_told(made: Path) -> None:
    text = report(made, 0.0)
    heads = re.findall(r"<th[^>]*>([^<]+)</th>", text.partition("<h2>Hosts</h2>")[2].partition("</thead>")[0])
    note = text.partition("<h2>Hosts</h2>")[2].partition("</p>")[0]
    assert heads[0] == "host" and all(f"{head[0].upper()}{head[1:]}:" in note for head in heads[1:])
    assert "<h2>What is left</h2>\n<p>No link is left to follow" in text
    assert "Parameters of the strategy hunter" in text


def test_that_it_is_to_end_when_it_is_enough_is_told_as_it_was_written(tmp_path: Path) -> None:
    text = report(crawled(tmp_path / "run", pages=2, until="90%"), 0.0)
    assert "<td>until</td><td>90%</td>" in text
    assert (
        "The end you asked for (--until 90%) was not reached: a share of fewer than 10"
        in text.partition("<h2>What is left</h2>")[2]
    )


def test_what_rules_of_the_crawl_held_back_is_told_with_what_to_do(made: Path, tmp_path: Path) -> None:
    assert "held a link back" in report(made, 0.0)
    settings: dict[str, Any] = {"topic": "rose, tulip, hedge", "strategy": "best-first", "slots": 1}
    run = crawled(tmp_path / "run", TrapSite(7), f"http://{HOST}/", pages=120, host_pages=60, **settings)
    with sqlite3.connect(run / "run.db") as database:  # a strategy may mean something else by these words
        for row, data in enumerate(('{"kind": "rest", "data": {"bench": 1}}', '{"kind": "cap", "data": [3]}')):
            words = "INSERT INTO events (seq, n, kind, at, data) VALUES (1, ?, 'Noted', 0, ?)"
            database.execute(words, (90 + row, data))
    told = {line.what: line for line in facts_of(run).unfollowed}
    assert len(told) == len(facts_of(run).unfollowed), "each once, as it was noted last"
    calendar, spent = told["links like garden.test/calendar/#/#/#"], told[f"links to {HOST}"]
    assert "near-duplicates in a row; set aside until " in calendar.why and "--traps ignore" in calendar.to_do
    assert spent.why == f"the budget of {HOST} is spent: 60 downloads (--host-pages)"
    assert spent.to_do.startswith("Raise it: wolfspider steer RUN limit host_pages=N.")
    assert "pages are the same at" in told["links to https://garden.test"].why
    text = report(run, 0.0).partition("<h2>What was not followed</h2>")[2]
    assert calendar.why in text and spent.to_do in text
