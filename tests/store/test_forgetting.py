"""A run forgets a page for good, also if it is killed while it does, and is still a whole run afterwards."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.store.failing_database import full_at, unheard

import wolfspider
from small_web import PAGES, SMALL, SPIDERS, SmallWeb, page
from wolfspider.app.forgetting import forget, forget_beyond, forget_older
from wolfspider.app.repairing import mend
from wolfspider.app.run_folder import settings_of
from wolfspider.cli import main
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.events import AddSeeds, Include, SetLimit
from wolfspider.core.model import Fetch, Link, host_of
from wolfspider.core.params import parameters
from wolfspider.core.text import words
from wolfspider.export.exporting import export
from wolfspider.export.run_search import search_run
from wolfspider.files.disk import DiskFull
from wolfspider.files.failpoints import VARIABLE
from wolfspider.files.lock import Lock
from wolfspider.policy.prospects import OUTLOOK
from wolfspider.report.run_page import report
from wolfspider.store.folder import FORGOTTEN, SEARCH_INDEX
from wolfspider.store.inbox import append_command
from wolfspider.store.page_count import PageCount
from wolfspider.store.repair.examination import examine
from wolfspider.store.repair.taking_out import noted
from wolfspider.store.repair.unlearning import Unlearned
from wolfspider.store.view import RunView, utc
from wolfspider.strategies import all_strategies
from wolfspider.terminal.crawl_screen import CrawlTally
from wolfspider.terminal.first_aid import advice_for
from wolfspider.web.server.serve import serve

SECRET = "http://a.test/private"
MARK = "xyzzyplugh"  # in no other page, alone and as the beginning of words
LINK = f'<a href="/street">{MARK}anchor and its street</a>'
WEB = SmallWeb(
    {
        **PAGES,
        "http://a.test/": page("Start", SPIDERS, "/good", "/mine", "http://b.test/"),
        SECRET: page(f"About {MARK}", f"{SPIDERS} {MARK} lives in {LINK} near {MARK}2.", "/further", "/other"),
        "http://a.test/copy": page(
            f"About {MARK}", f"{SPIDERS} {MARK} lives in {LINK} near {MARK}2.", "/further", "/other"
        ),
        "http://a.test/further": page("Further", SPIDERS, "/private"),
    },
    {"http://a.test/mine": SECRET},
)
HASTY: dict[str, Any] = {
    "topic": "wolf spiders",
    "delay": 0.0,
    "adapt": 0.0,
    "tries": 1,
    "disk_floor": 0,
    "traps": "ignore",  # pages here are made alike
}
SETTINGS = {**HASTY, "strategy": "breadth-first", "slots": 1}
FORGETS = (
    "import sys; from pathlib import Path; from wolfspider.app.forgetting import forget;"
    f"forget(Path(sys.argv[1]), {SECRET!r}, print)"
)


class AskedWeb(SmallWeb):
    """It remembers who was asked for what. It has no feed and no sitemap, but may be asked for them."""

    def __init__(self, web: SmallWeb) -> None:
        super().__init__(web.pages, web.moved)
        self.asked: set[str] = set()

    def look(self, url: str, now: float) -> Fetch:
        self.asked.add(url)
        return super().look(url, now)


def served(folder: Path, web: SmallWeb = WEB, *, resumed: bool = False, **settings: Any) -> list[str]:
    """Crawl, and say which addresses were asked for."""
    asked: list[str] = []

    async def crawl() -> None:
        async with serve(web) as server:
            via = f"127.0.0.1:{server.port}"
            if resumed:
                hunt = wolfspider.resume(folder, via=via, **settings)
            else:
                hunt = wolfspider.crawl("http://a.test/", out=folder, via=via, **{**SETTINGS, **settings})
            asked.extend([found.page.url async for found in hunt])

    asyncio.run(asyncio.wait_for(crawl(), 60))
    return asked


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in the middle: four pages of seven, the secret one among them."""
    folder = tmp_path_factory.mktemp("forgetting") / "run"
    served(folder, pages=5)
    assert SECRET in exported(folder)
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def exported(folder: Path) -> dict[str, Any]:
    out = io.BytesIO()
    told = export(folder, "jsonl", None, stdout=out)
    assert told.code == 0
    return {line["final_url"]: line for line in map(json.loads, out.getvalue().splitlines())}


def silent(sentence: str) -> None:
    pass


def unpacked(data: bytes, depth: int = 2) -> Iterator[bytes]:
    """The bytes, and whatever begins in them and can be inflated, in which something may begin again."""
    yield data
    for begin in re.finditer(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]", data) if depth else ():
        with suppress(zlib.error):
            yield from unpacked(zlib.decompressobj(47).decompress(data[begin.start() :]), depth - 1)


def that_hold_the_secret(folder: Path) -> list[str]:
    """Files of a run with the mark in them, in any case of letters."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = [path for path in files if any(MARK.encode() in part.lower() for part in unpacked(path.read_bytes()))]
    return sorted(str(path.relative_to(folder)) for path in found)


def test_a_forgotten_page_is_nowhere_in_the_run_and_the_others_are_as_they_were(run: Path) -> None:
    before = exported(run)
    assert {name.split("/")[0] for name in that_hold_the_secret(run)} == {"run.db", "shelf", "snapshots", "warc"}
    told = forget(run, SECRET, silent)
    assert told.pages == 1 and told.records >= 2 and told.bytes > 0 and SECRET in told.told()
    assert that_hold_the_secret(run) == [] and examine(run) == []
    after = exported(run)
    assert SECRET in before and after.keys() == before.keys() - {SECRET}
    for url, line in after.items():
        assert line["text"] == before[url]["text"] and line["score"] == before[url]["score"]
    assert not any(name.startswith((".forgotten", ".repair", "repair")) for name in os.listdir(run))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("strategy", sorted(all_strategies()))
def test_no_strategy_keeps_its_words(strategy: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    polls = {"set": {"per_hour": 1e6}} if "per_hour" in parameters(all_strategies()[strategy].Params) else {}
    served(run, pages=6, strategy=strategy, **polls)
    if SECRET not in exported(run):
        pytest.skip(f"{strategy} did not come there.")
    assert "shelf" in os.listdir(run) and any(name.startswith("snapshots/") for name in that_hold_the_secret(run))
    forget(run, SECRET, silent)
    assert that_hold_the_secret(run) == [] and examine(run) == []
    asked = served(run, resumed=True, pages=20)  # some strategies want fresh copies
    assert not {SECRET, "http://a.test/mine"}.intersection(asked)
    assert examine(run) == [] and that_hold_the_secret(run) == []


def test_what_was_learned_keeps_its_figures_and_words_of_other_pages_their_names() -> None:
    learned = {
        "words": "wolf\nlies\nxyz",
        "lies": 3,
        "pages": {"http://a.test/": {"wolf": 1, "xyz": 2}, "http://b.test/": {"lies": 2}},
        "links": [Link("http://a.test/xyz", "Xyz lies")],
        "mode": "lies",
        "said": "nothing of XYZ",
    }
    out = Unlearned(frozenset(["http://a.test/"]), frozenset(["xyz", "lies"])).out_of(learned)
    wolf, lies, xyz = out["words"].split("\n")
    assert wolf == "wolf" and len({"lies", "xyz", lies, xyz}) == 4
    assert out["lies"] == 3 and out["mode"] == "lies" and out["pages"]["http://b.test/"] == {"lies": 2}
    assert out["pages"]["http://a.test/"] == {"wolf": 1, xyz: 2}
    assert out["links"][0].url == "http://a.test/xyz" and words(out["links"][0].anchor + out["said"])[-2:] != ["xyz"]
    assert "xyz" not in (out["links"][0].anchor + out["said"]).lower() and out["said"].startswith("nothing of ")
    assert Unlearned().out_of(learned) is learned


def test_words_of_the_topic_stay_though_no_other_page_has_them(tmp_path: Path) -> None:
    """A run whose topic had other words than before would judge otherwise, and could not be resumed."""
    run, topic = tmp_path / "run", f"{MARK}, wolf spiders, {MARK}2"
    served(run, **{**SETTINGS, "strategy": "best-first", "topic": topic, "pages": 4})
    forget(run, SECRET, silent)
    forget(run, "http://a.test/copy", silent)
    before = exported(run)
    served(run, resumed=True, pages=20)
    assert RunView(run).summary().ended == "done" and set(before) < set(exported(run))


def test_a_search_does_not_find_it_any_more(run: Path) -> None:
    assert [hit.final_url for hit in search_run(run, [MARK])] == [SECRET]
    assert MARK.encode() in (run / SEARCH_INDEX).read_bytes()
    forget(run, SECRET, silent)
    assert not (run / SEARCH_INDEX).exists()
    assert search_run(run, [MARK]) == []


def test_copies_at_other_addresses_and_what_a_repair_put_aside_are_told(run: Path) -> None:
    (run / "damaged-20260101T000000Z").mkdir()
    with closing(sqlite3.connect(run / "run.db")) as connection, connection:
        sql = "UPDATE pages SET digest = (SELECT digest FROM pages WHERE final_url = ?) WHERE final_url = ?"
        connection.execute(sql, ("http://b.test/", SECRET))
    told = forget(run, SECRET, silent)
    assert told.copies == ["http://b.test/"] and told.aside == [str(run / "damaged-20260101T000000Z")]
    assert "http://b.test/" in told.told() and "damaged-20260101T000000Z" in told.told()


def test_that_it_was_forgotten_is_recorded(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", str(run)]) == 0 and "has forgotten nothing so far." in capsys.readouterr().out
    assert main(["forget", str(run), SECRET]) == 0 and main(["forget", str(run), "b.test", "--quiet"]) == 0
    assert [(entry["what"], entry["pages"]) for entry in noted(run)] == [(SECRET, 1), ("b.test", 1)]
    assert not any("//b.test/" in url for url in exported(run))
    capsys.readouterr()
    assert main(["forget", str(run)]) == 0
    assert f"{SECRET}: 1 page\n" in capsys.readouterr().out
    assert main(["forget", str(run), SECRET, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["pages"] == 0
    assert main(["explain", str(run), "http://a.test/mine"]) == 0 and "forgotten" in capsys.readouterr().out


def test_forgotten_pages_are_no_failures_and_no_reason_for_advice(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = RunView(run).summary()
    forget(run, "a.test", silent)
    after = RunView(run).summary()
    assert after.failures == before.failures and after.reasons == before.reasons
    assert after.forgotten == before.count.all - after.count.all > 0 and after.downloads == before.downloads
    assert main(["status", str(run), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["forgotten"] == after.forgotten and "excluded" not in told["failures"]
    assert told["outlook"] == {"until": 0.0, "enough_in": None, "enough_lacks": None} | dict.fromkeys(OUTLOOK)
    assert main(["status", str(run)]) == 0
    assert f"{after.forgotten} pages were forgotten; failures: none." in capsys.readouterr().out
    many = replace(after, downloads=500, count=PageCount(5))
    assert advice_for(RunView(run), replace(many, forgotten=0)) and not advice_for(RunView(run), many)
    tally = CrawlTally(500)
    tally.take_stock(many, [])
    assert not tally.advice() and f"{after.forgotten} pages were forgotten" in tally.summary()
    text = report(run, 0.0)
    assert "out of scope" not in text and "Are the starting points on topic?" not in text
    assert "Pages were forgotten: what is left is told again when the crawl goes on." in text


def test_the_run_goes_on_and_does_not_ask_for_it_again(run: Path) -> None:
    forget(run, SECRET, silent)
    asked = served(run, resumed=True, pages=20)
    assert asked and SECRET not in asked and "http://a.test/mine" not in asked
    assert that_hold_the_secret(run) == [] and examine(run) == []
    assert SECRET not in exported(run)


ALIAS = "http://a.test/alias"
LATER = SmallWeb(
    {**WEB.pages, "http://b.test/rolls": page("Rolls", SPIDERS, ALIAS, "http://a.test/twice", "http://b.test/more")},
    {**WEB.moved, ALIAS: SECRET, "http://a.test/twice": ALIAS},
)


@pytest.mark.parametrize("hands", [1, 2])
def test_no_redirect_brings_it_back(hands: int, run: Path) -> None:
    forget(run, SECRET, silent)
    served(run, LATER, resumed=True, pages=20, hands=hands)
    assert "http://b.test/rolls" in exported(run) and SECRET not in exported(run)
    assert that_hold_the_secret(run) == [] and examine(run) == []
    for url in (ALIAS, "http://a.test/twice"):
        (landing,) = RunView(run).landings_of(url)
        assert landing.failure == "redirect" and landing.detail == f"excluded: led to {SECRET}" and landing.cost == 1


def test_no_page_of_a_forgotten_host_is_asked_for_any_more(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", str(run), "b.test"]) == 0
    assert "No page of this host is asked for again" in capsys.readouterr().out
    append_command(run, AddSeeds(("http://b.test/rolls",)), "tests")
    append_command(run, Include("b.test"), "tests")
    asked = served(run, LATER, resumed=True, pages=20)
    assert "http://a.test/further" in asked and not any("//b.test/" in url for url in (*asked, *exported(run)))
    assert examine(run) == []
    (problem,) = [data["problem"] for _, _, data in RunView(run).events("Obeyed") if data["problem"]]
    assert "http://b.test/rolls was forgotten" in problem


def test_begun_anew_it_asks_for_nothing_that_was_forgotten(tmp_path: Path) -> None:
    """A repair lets the journal begin anew, so that starting points, feeds and sitemaps are gathered once more."""
    folder, there = tmp_path / "run", AskedWeb(WEB)
    lists = {"feed": ("http://c.test/feed.xml",), "sitemap": ("http://d.test/map.xml",)}
    served(folder, there, pages=4, **lists)
    assert {"http://c.test/feed.xml", "http://d.test/map.xml"} <= there.asked
    for what in ("c.test", "d.test", SECRET):
        forget(folder, what, silent)
    mend(folder, anew=True)
    there.asked.clear()
    served(folder, there, resumed=True, pages=20)
    assert "http://a.test/deep" in there.asked
    assert not any(url == SECRET or host_of(url) in ("c.test", "d.test") for url in there.asked)


def test_explain_says_what_was_forgotten_and_when(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forget(run, "b.test", silent)
    forget(run, SECRET, silent)
    for url, what in {
        "http://b.test/": "b.test",
        "http://b.test/rolls": "b.test",
        "http://a.test/mine": SECRET,
    }.items():
        assert main(["explain", str(run), url]) == 0
        told = capsys.readouterr().out
        assert f"It was forgotten for good at 20{utc(noted(run)[0]['at'])[2:10]}" in told
        assert f", by the command: forget RUN {what}\n" in told and "scope      out: forgotten" in told
        assert "scope;" not in told  # it is no rule of the scope that keeps it out


def test_what_the_run_never_had_is_kept_out_too_and_noted_once(run: Path) -> None:
    told = forget(run, "c.test", silent)
    assert told.told() == (
        "The run holds nothing of c.test. No page of this host is asked for again, also where a redirect leads there."
    )
    for _ in range(2):
        forget(run, "http://c.test/page", silent)
    assert [(one["what"], one["keeps_out"]) for one in noted(run)] == [
        ("c.test", ["c.test"]),
        ("http://c.test/page", ["http://c.test/page"]),
    ]


LOSSES: dict[str, Any] = {
    "no database": lambda folder: (folder / "run.db").unlink(),
    "half a database": lambda folder: os.truncate(folder / "run.db", (folder / "run.db").stat().st_size // 2),
    "an emptied database": lambda folder: os.truncate(folder / "run.db", 0),
    "a new journal": lambda folder: None,
    "no list beside it, a new journal": lambda folder: (folder / FORGOTTEN).unlink(),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_what_was_forgotten_stays_so_in_a_repair(loss: str, run: Path) -> None:
    """The list is there, and neither the page nor what led to it is asked for again."""
    forget(run, SECRET, silent)
    before = noted(run)
    LOSSES[loss](run)
    mend(run, anew=True)
    assert noted(run) == before and [entry["what"] for entry in before] == [SECRET]
    assert examine(run) == [] and SECRET not in exported(run)
    asked = served(run, resumed=True, pages=20)
    assert "http://b.test/rolls" in asked and not {SECRET, "http://a.test/mine"} & set(asked)
    assert SECRET not in exported(run)
    forget(run, "b.test", silent)
    assert [entry["what"] for entry in noted(run)] == [SECRET, "b.test"] and examine(run) == []


def test_a_damaged_list_of_what_was_forgotten_is_found_and_written_anew(run: Path) -> None:
    forget(run, SECRET, silent)
    whole = (run / FORGOTTEN).read_bytes()
    (run / FORGOTTEN).write_bytes(b'{"entries": [{"at": "x"}]')
    assert [(one.part, one.code) for one in examine(run)] == [(FORGOTTEN, 9)]
    mend(run)
    assert examine(run) == [] and (run / FORGOTTEN).read_bytes() == whole


def test_forget_repair_and_status_count_pages_alike(tmp_path: Path) -> None:
    """One final address is one page, however many addresses lead to it; pages that ask not to be indexed are apart."""
    run = tmp_path / "run"
    served(run, SMALL, pages=20)
    before = RunView(run).summary().count
    assert before.hidden == 1
    done = forget(run, "http://a.test/good", silent)  # another address redirects to it
    left = RunView(run).summary().count
    assert done.pages == before.pages - left.pages == 1
    for anew in (False, True):
        (run / "run.db").unlink()
        repaired = mend(run, anew=anew).rebuilt
        stands = RunView(run).summary().count
        assert repaired is not None and (repaired.kept, repaired.hidden) == (stands.pages, stands.hidden)
        assert (stands.pages, stands.hidden) == (left.pages, left.hidden) and repaired.found == left.pages


def test_limits_that_were_changed_are_those_of_the_new_journal(run: Path) -> None:
    """By a resume, or by a command; a later choice wins."""
    served(run, resumed=True, pages=6, delay=0.01)
    append_command(run, SetLimit("pages", 7), "test")
    append_command(run, SetLimit("slots", 3), "test")
    served(run, resumed=True)
    mend(run, anew=True)
    first = settings_of(run)
    assert (first.pages, first.delay, first.slots) == (7, 0.01, 3)
    served(run, resumed=True, pages=8)
    ended = [told["command"] for _, _, told in RunView(run).events("Obeyed")]
    assert [(told["name"], told["value"]) for told in ended] == [("pages", 8)] and examine(run) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "failpoint",
    [
        *("snapshot-renamed", "snapshot-committed", "repair-made", "repair-planned", "repair-moving", "repair-moved"),
        "repair-unplanned",
    ],
)
def test_killed_anywhere_the_next_one_ends_as_if_never_killed(failpoint: str, run: Path) -> None:
    before = exported(run)
    environment = {**os.environ, VARIABLE: failpoint}
    died = subprocess.run([sys.executable, "-c", FORGETS, str(run)], env=environment, timeout=60, check=False)
    assert died.returncode == -signal.SIGKILL
    if (run / "repair.json").exists():
        assert [one.part for one in examine(run)] == ["repair"]  # it says that this was not finished, and how to
    else:
        assert examine(run) == []
    forget(run, SECRET, silent)
    assert that_hold_the_secret(run) == [] and examine(run) == []
    assert exported(run).keys() == before.keys() - {SECRET}
    assert [entry["what"] for entry in noted(run)] == [SECRET]


def test_on_a_full_disk_it_says_so_and_the_run_is_as_it_was(run: Path) -> None:
    before = exported(run)
    with pytest.MonkeyPatch.context() as monkeypatch:
        full_at(monkeypatch, "UPDATE log")
        with pytest.raises(DiskFull):
            forget(run, SECRET, silent)
    assert exported(run) == before and examine(run) == []
    assert forget(run, SECRET, silent).pages == 1 and that_hold_the_secret(run) == [] and examine(run) == []


def test_the_new_database_is_whole_before_it_is_closed(run: Path) -> None:
    before = exported(run)
    with pytest.MonkeyPatch.context() as monkeypatch:
        unheard(monkeypatch)
        forget(run, SECRET, silent)
    assert examine(run) == [] and exported(run).keys() == before.keys() - {SECRET}


def test_after_a_kill_a_resume_leaves_nothing_of_it_either(run: Path) -> None:
    environment = {**os.environ, VARIABLE: "repair-unplanned"}
    subprocess.run([sys.executable, "-c", FORGETS, str(run)], env=environment, timeout=60, check=False)
    assert that_hold_the_secret(run)
    served(run, resumed=True, pages=20)
    assert that_hold_the_secret(run) == []


@pytest.mark.parametrize("words", [["nowhere"], ["nowhere", "a.test"]])
def test_what_is_no_run_is_said_to_be_none(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["forget", *words]) == 3
    assert "nowhere is not a run: there is no such folder." in capsys.readouterr().err


def test_a_run_that_a_crawl_owns_is_refused_and_nothing_is_changed(run: Path) -> None:
    lock = Lock(run / "lock")
    try:
        before = exported(run)
        with pytest.raises(Busy):
            forget(run, SECRET, silent)
        assert exported(run) == before
    finally:
        lock.release()


def test_pages_can_be_kept_for_a_time_or_up_to_a_size(run: Path) -> None:
    assert forget_older(run, 1.0, silent).pages == 0 and forget_beyond(run, 100.0, silent).pages == 0
    rows = sorted(RunView(run).pages(), key=lambda row: row.at)
    newest = rows[-1]
    assert newest.place is not None
    told = forget_beyond(run, newest.place.length / 1_000_000, silent)
    assert told.pages == len(rows) - 1 and list(exported(run)) == [newest.final_url] and examine(run) == []
    assert forget_older(run, 0.0, silent).pages == 1 and not exported(run) and examine(run) == []
    served(run, resumed=True, pages=20)
    assert examine(run) == []


def test_settings_say_how_much_a_run_keeps(run: Path) -> None:
    rows = sorted(RunView(run).pages(), key=lambda row: row.at)
    assert rows[-1].place is not None
    served(run, resumed=True, pages=5, keep_mb=rows[-1].place.length / 1_000_000)
    assert list(exported(run)) == [rows[-1].final_url] and examine(run) == []
    assert [entry["pages"] for entry in noted(run)] == [len(rows) - 1]


@pytest.mark.parametrize("what", ["mailto:me@example.org/", "a b/c", "", "ftp://x.test/"])
def test_what_is_no_address_is_a_sentence(run: Path, what: str) -> None:
    with pytest.raises(Problem, match=r"no address of the web|neither an address nor a host"):
        forget(run, what, silent)
