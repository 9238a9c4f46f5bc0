"""A hunt put together: what is checked first, liked pages and starting points, going on with other limits."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Told, asked_for, beside, finished, go_on, hunt, prepared, stored

import faults
import wolfspider
from faults import Call, Faulty, document
from wolfspider import Settings
from wolfspider.app import assemble, preflight, starting_points
from wolfspider.app.run_folder import check_same, settings_of
from wolfspider.app.settings import CHANGEABLE, IDENTITY, LIVE
from wolfspider.bench.run.runner import Bench, check
from wolfspider.core.errors import BadInput, Busy, Nothing, Problem
from wolfspider.core.events import Obeyed, SetLimit
from wolfspider.core.params import live_names
from wolfspider.engine.crawl import Limits
from wolfspider.store.archive_reader import check as check_archive

WANTED: dict[str, Any] = {"urls": ("http://example.org/",), "topic": "spiders", "contact": "me@example.org"}


# Before anything begins


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"topic": ""}, "What is wanted"),
        ({"urls": ()}, "Where shall the crawl start"),
        ({"urls": ("mailto:me@example.org",)}, "http and https"),
        ({"contact": ""}, "Who crawls"),
        ({"contact": "me"}, "mail or web address"),
        ({"contact": "me@example.org\r\nX-Injected: yes"}, "mail or web address"),
        ({"via": "nowhere"}, "HOST:PORT"),
        ({"via": "127.0.0.1:99999"}, "HOST:PORT"),
        ({"urls": ("http://localhost/",), "contact": ""}, "the network it is in. No contact is needed then."),
        (
            {"urls": ("http://localhost/",)},
            "is on your own machine or network: to crawl there, give --allow-private, or",
        ),
        ({"urls": ("http://10.1.2.3/",)}, "give --allow-private, or --allow-network with the network it is in."),
        ({"urls": ("http://169.254.169.254/",)}, "http://169.254.169.254/ stays closed"),
        ({"urls": ("http://[fd00:ec2::254]/",), "contact": ""}, "stays closed: it is link local"),
        ({"urls": ("spiders",)}, "'spiders' is no address, .* Words to look for go with --topic."),
        ({"urls": ("http://localhost/",), "contact": "", "allow_private": True, "seeds": ("list",)}, "Who crawls"),
    ],
)
def test_what_is_wrong_is_a_sentence_before_anything_is_asked_for(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(Problem, match=said):
        wolfspider.Hunt(Settings(**{**WANTED, **changed}))


@pytest.mark.parametrize("signs", [("run.json", "run.db"), ("fleet.json", "islands")])
def test_nothing_is_recorded_among_the_files_of_a_run_or_fleet(signs: tuple[str, ...], tmp_path: Path) -> None:
    other, run = tmp_path / "other", tmp_path / "run"
    (other / "deeper").mkdir(parents=True)
    for sign in signs:
        (other / sign).touch()
    (tmp_path / "link").symlink_to(other / "deeper")
    before = sorted(tmp_path.rglob("*"))
    for place in (other, other / "deeper", other / "new", tmp_path / "link", run, run / "seen"):
        with pytest.raises(Problem, match="among the files of a run: name a place elsewhere by --record"):
            wolfspider.Hunt(Settings(**WANTED, record=str(place)), run)
        if place not in (run, run / "seen"):
            with pytest.raises(Problem, match="among the files of a run: name a place elsewhere by --record"):
                check(Bench(("synthetic:pages=200",), ("shark",), 10, record=str(place)))
    assert sorted(tmp_path.rglob("*")) == before
    wolfspider.Hunt(Settings(**WANTED, record=str(tmp_path / "seen")), run)


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/", "http://127.0.0.1/", "http://[::1]/", "http://box.internal/"]
)
def test_a_crawl_of_ones_own_machines_needs_no_contact(url: str) -> None:
    own = Settings(urls=(url,), topic="spiders", allow_private=True)
    assert preflight.is_local(own)
    preflight.check(own)
    assert not preflight.is_local(Settings(urls=(url, "http://example.org/"), topic="spiders", allow_private=True))


@pytest.mark.parametrize(
    ("changed", "told"),
    [({}, True), ({"via": "127.0.0.1:80"}, False), ({"urls": ("http://localhost/",), "allow_private": True}, False)],
)
def test_who_asks_for_less_than_the_floor_is_told(changed: dict[str, Any], told: bool) -> None:
    settings = Settings(**{**WANTED, **changed})
    assert bool(preflight.floor_told(settings, 0.1)) is told
    assert not preflight.floor_told(settings, 0.25)


def test_who_asks_for_less_than_the_floor_is_told_once(tmp_path: Path) -> None:
    """No address of the web is asked: the only starting point is one that no crawl may ask."""
    floor = "Hosts at public addresses rest for 0.25 s between two requests, though the delay is 0 s."
    (tmp_path / "list").write_text("http://10.0.0.1/\n")
    settings = {"delay": 0.0, "topic": "spiders", "contact": "me@example.org", "disk_floor": 0}

    async def main() -> None:
        told = Told()
        lists = (str(tmp_path / "list"),)
        told.hunt = wolfspider.crawl(seeds=lists, out=tmp_path / "run", on_remark=told.remarks.append, **settings)
        await finished(told)
        assert told.remarks == [floor]
        again = await go_on(tmp_path / "run")
        assert again.remarks.count(floor) == 1, "a run that was begun so is told when it is resumed"
        assert floor not in (await go_on(tmp_path / "run", delay=1.0)).remarks

    asyncio.run(main())


def test_the_crawler_introduces_itself() -> None:
    assert (
        assemble.agent(Settings(contact="me@example.org")) == f"wolfspider/{wolfspider.__version__} (+me@example.org)"
    )
    assert preflight.via(Settings(via="[::1]:80")) == ("::1", 80) and preflight.via(Settings()) is None


def test_a_contact_is_told_to_servers_and_in_the_archive_and_is_no_secret(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        await hunt(server.port, "http://a.test/ok", pages=1, contact="me@example.org", out=tmp_path / "run")
        assert all(
            asked.header("user-agent") == assemble.agent(Settings(contact="me@example.org")) for asked in server.log
        )

    beside(talk)
    about = json.loads((tmp_path / "run" / "run.json").read_text())["about"]
    assert about["settings"]["contact"] == "me@example.org"
    assert check_archive(tmp_path / "run" / "warc").damage == ()


def test_keywords_are_parted_by_commas_and_serve_as_a_description() -> None:
    topic = assemble.topic_of(Settings(topic="linux kernel, scheduler"), ())
    assert topic.keywords == ("linux kernel", "scheduler") and topic.description.split() == [
        "linux",
        "kernel",
        "scheduler",
    ]
    assert assemble.topic_of(Settings(topic="a", description="A sentence."), ()).description == "A sentence."


# Liked pages


def test_liked_pages_are_downloads_and_describe_the_topic(tmp_path: Path) -> None:
    file = tmp_path / "liked.html"
    file.write_text("<title>Liked</title><p>Wolf spiders carry their young.")

    async def talk(server: Faulty) -> Told:
        likes = ["http://l.test/ok", str(file), "http://l.test/status/404"]
        told = await hunt(server.port, "http://a.test/ok", pages=4, like=likes, topic="", out=tmp_path / "run")
        assert asked_for(server, "l.test") == ["l.test/ok", "l.test/status/404"]
        return told

    told = beside(talk)
    assert told.downloads == 4 and len(told.landed) == 2  # two of four were spent on what is liked
    assert any("404" in remark for remark in told.remarks)
    assert told.hunt is not None and told.hunt.crawl is not None
    assert len(told.hunt.crawl.topic.liked) == 2


def test_liked_pages_are_not_asked_for_again_when_a_run_goes_on(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        likes = ["http://l.test/ok"]
        first = await hunt(server.port, "http://a.test/links/9", pages=4, like=likes, out=tmp_path / "run")
        server.log.clear()
        second = await go_on(tmp_path / "run", pages=8)
        assert first.reason == second.reason == "budget" and asked_for(server, "l.test") == []
        assert second.downloads == 8

    beside(talk)


def test_liked_pages_that_cannot_be_had_or_take_all_are_a_problem(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        with pytest.raises(Problem, match="None of the pages you like"):
            await hunt(server.port, "http://a.test/ok", pages=9, like=["http://l.test/status/404"], topic="")
        likes = [f"http://l.test/ok?n={number}" for number in range(5)]
        with pytest.raises(Problem, match="whole budget"):
            await hunt(server.port, "http://a.test/ok", pages=3, like=likes)

    beside(talk)


def test_a_file_too_large_to_be_a_page_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(starting_points.LARGEST + 1)
    with pytest.raises(BadInput, match="larger than"):
        starting_points.liked_file(large, "file:///large")
    with pytest.raises(BadInput, match="cannot be read"):
        starting_points.liked_file(tmp_path / "missing", "file:///missing")


# Starting points


def test_no_starting_point_in_scope_is_a_problem() -> None:
    async def talk(server: Faulty) -> None:
        with pytest.raises(Problem, match="scope"):
            await hunt(server.port, "http://a.test/ok", pages=9, exclude=["a.test"])

    beside(talk)


def test_an_address_that_ends_like_a_file_is_left_alone_unless_it_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(call: Call) -> None:
        await call.answer(document("Files", "/picture.jpg", "/data.zip", "/ok"))

    async def talk(server: Faulty) -> None:
        await hunt(server.port, "http://a.test/files", "http://a.test/named.zip", pages=20)
        paths = asked_for(server)
        assert "a.test/named.zip" in paths and "a.test/ok" in paths
        assert "a.test/picture.jpg" not in paths and "a.test/data.zip" not in paths

    monkeypatch.setitem(faults.BEHAVIOURS, "files", answer)
    beside(talk)


# Going on


def test_a_run_goes_on_with_other_limits_and_says_so(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        await hunt(server.port, "http://a.test/links/30", pages=5, out=tmp_path / "run")
        return await go_on(tmp_path / "run", pages=9, slots=2)

    told = beside(talk)
    moved = [event.command for event in told.events if isinstance(event, Obeyed)]
    assert SetLimit("pages", 9) in moved and SetLimit("slots", 2) in moved and told.downloads == 9
    assert settings_of(tmp_path / "run").pages == 5  # how it was begun
    assert len(stored(tmp_path / "run")) == 9


@pytest.mark.parametrize("name", sorted(IDENTITY - {"set", "results", "seed"}))
def test_a_run_is_the_same_or_another(name: str, tmp_path: Path) -> None:
    first = Settings(**WANTED)
    value = getattr(first, name)
    other = Settings(
        **{**WANTED, name: (*value, "http://other.test/") if isinstance(value, tuple) else f"{value} other"}
    )
    check_same(first, first, tmp_path)
    with pytest.raises(Problem, match=f"{name} was"):
        check_same(other, first, tmp_path)


def test_every_setting_is_part_of_what_a_run_is_or_may_change() -> None:
    assert {
        *("urls", "seeds", "sitemap", "feed", "search", "results", "topic", "description", "like"),
        *("leaps", "category", "strategy", "set", "judge", "judge_text", "learned_from", "seed"),
        *("include", "exclude", "nofollow", "traps", "pdf", "watch", "territory"),
    } == IDENTITY
    assert not IDENTITY & set(CHANGEABLE) and IDENTITY | set(CHANGEABLE) == set(Settings.__slots__)
    assert live_names(Limits) == LIVE and set(LIVE) <= set(CHANGEABLE), "the crawl obeys what settings call live"


@pytest.mark.parametrize("how", ["drain", "stop"])
def test_a_hunt_that_is_ended_before_it_began_ends_and_can_be_resumed(tmp_path: Path, how: str) -> None:
    async def talk(server: Faulty) -> None:
        told = prepared(server.port, "http://a.test/links/9", pages=5, out=tmp_path / "run")
        assert told.hunt is not None
        getattr(told.hunt, how)()
        await finished(told)
        assert told.reason == {"drain": "interrupted", "stop": "stopped"}[how] and asked_for(server) == []
        assert (await go_on(tmp_path / "run")).downloads == 5

    beside(talk)


@pytest.mark.parametrize("how", ["drain", "stop"])
def test_a_beginning_that_waits_for_a_slow_server_can_be_ended(tmp_path: Path, how: str) -> None:
    async def talk(server: Faulty) -> None:
        given: dict[str, Any] = {"pages": 5, "sitemap": ["http://s.test/silence"], "deadline": 50.0}
        told = prepared(server.port, "http://a.test/links/9", out=tmp_path / "run", like=["http://l.test/ok"], **given)
        assert told.hunt is not None
        asyncio.get_running_loop().call_later(0.5, getattr(told.hunt, how))
        await finished(told, 20)
        assert told.reason == {"drain": "interrupted", "stop": "stopped"}[how]
        server.log.clear()
        assert (await go_on(tmp_path / "run", deadline=0.5)).downloads == 5
        assert asked_for(server, "l.test") == []  # what came before the end is kept

    beside(talk)


def test_without_a_folder_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def talk(server: Faulty) -> None:
        assert (await hunt(server.port, "http://a.test/links/9", pages=5)).downloads == 5

    beside(talk)
    assert list(tmp_path.iterdir()) == []


def test_a_program_is_told_too_that_nobody_answers_for_all_addresses(tmp_path: Path) -> None:
    with socket.socket() as taken:  # and does not listen
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Nothing, match="Nobody answers at"):
            asyncio.run(hunt(taken.getsockname()[1], "http://a.test/ok", out=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_a_hunt_can_be_steered_only_once_it_runs() -> None:
    told = prepared(1, "http://a.test/ok")
    assert told.hunt is not None
    with pytest.raises(Problem, match="not begun"):
        told.hunt.command(SetLimit("pages", 5))


@pytest.mark.slow
def test_pages_read_by_other_processes_are_the_same_pages(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        seeds = ["http://a.test/links/9", "http://b.test/escape", "http://c.test/deep", "http://d.test/robots-tag"]
        here = await hunt(server.port, *seeds, pages=12, out=tmp_path / "here", slots=1)
        there = await hunt(server.port, *seeds, pages=12, out=tmp_path / "there", slots=1, hands=1, deadline=30.0)
        assert {url: page.words for url, page in here.pages.items()} == {
            url: page.words for url, page in there.pages.items()
        }
        assert all("hidden" not in url for url in (*here.results, *there.results))

    beside(talk)


def test_two_hunts_at_once_do_not_meet(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> None:
        hunts = (hunt(server.port, f"http://h{n}.test/links/9", pages=5, out=tmp_path / str(n)) for n in range(3))
        assert [told.downloads for told in await asyncio.gather(*hunts)] == [5, 5, 5]

    beside(talk)
    assert all({url.split("/")[2] for url in stored(tmp_path / str(n))} == {f"h{n}.test"} for n in range(3))


def test_a_try_that_brought_no_page_starts_anew(tmp_path: Path) -> None:
    """The same command again, or a corrected address in the same folder, is not held to the failure."""
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> None:
        for url in ("http://a.test/status/404", "http://a.test/status/404"):
            told = await hunt(server.port, url, out=folder, pages=3)
            assert told.reason == "done" and not told.pages
        assert len(asked_for(server)) == 2 and any("starts anew" in remark for remark in told.remarks)
        good = await hunt(server.port, "http://a.test/ok", out=folder, pages=3)
        assert good.pages and any("starts anew" in remark for remark in good.remarks)
        with pytest.raises(Problem, match="begun otherwise"):
            await hunt(server.port, "http://a.test/status/404", out=folder, pages=3)

    beside(talk)


@pytest.mark.parametrize("gone", ["seeds", "learned"])
def test_a_try_that_holds_what_cannot_be_had_again_is_not_taken_away(tmp_path: Path, gone: str) -> None:
    """It brought no page; its list of addresses is gone, or the run that it learned from."""
    folder, lists, other = tmp_path / "run", tmp_path / "list", tmp_path / "other"
    lists.write_text("http://a.test/status/404\n")

    async def talk(server: Faulty) -> None:
        await hunt(server.port, "http://a.test/ok", out=other, pages=2)
        given = {"seeds": (str(lists),)} if gone == "seeds" else {"learned_from": str(other)}
        urls = () if gone == "seeds" else ("http://a.test/status/404",)
        assert not (await hunt(server.port, *urls, out=folder, pages=3, **given)).pages
        lists.unlink()
        shutil.rmtree(other)
        with suppress(BadInput):
            await go_on(folder)
        assert (folder / "run.json").is_file()

    beside(talk)


def test_a_program_that_sends_too_many_commands_is_told(tmp_path: Path) -> None:
    async def talk(server: Faulty) -> Told:
        told = prepared(server.port, "http://a.test/ok", pages=2, out=tmp_path / "run")

        def send() -> None:
            assert told.hunt is not None
            for _ in range(1_000):
                told.hunt.command(SetLimit("delay", 0.0))
            with pytest.raises(Busy, match="1,000 commands wait for this run already"):
                told.hunt.command(SetLimit("delay", 0.0))

        told.after(1, send)
        return await finished(told)

    told = beside(talk)
    assert sum(isinstance(event, Obeyed) for event in told.events) == 1_000
