"""A crawl with --allow-private goes where the person named it, and nowhere else inside: links open nothing."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import Told, beside, finished, go_on, prepared

import faults
from faults import Call, Faulty
from wolfspider.core.events import AddSeeds, Exclude
from wolfspider.store.view import RunView

PLACES = {"home.test": "127.0.0.1", "box.test": "10.0.0.8", "keys.test": "169.254.169.254"}
INSIDE = ("http://10.0.0.7/", "http://box.test/", "http://wiki.internal/", "http://[fd12::1]/")
KEYS = ("http://169.254.170.23/", "http://[fd00:ec2::23]/", "http://192.0.0.192/", "http://keys.test/")

FOR_HANDS = f"""
import socket
real, places = socket.getaddrinfo, {PLACES!r}
def look(host, port, *arguments, **named):
    if host not in places:
        return real(host, port, *arguments, **named)
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (places[host], port or 0))]
socket.getaddrinfo = look
"""


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stands for the system's name server. What is inside is refused: no test opens a connection there."""
    real = socket.getaddrinfo

    def look(host: str, port: Any, *arguments: Any, **named: Any) -> Any:
        if host not in PLACES:
            return real(host, port, *arguments, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PLACES[host], port or 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look)
    (tmp_path / "sitecustomize.py").write_text(FOR_HANDS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setitem(faults.BEHAVIOURS, "inward", _inward)


async def _inward(call: Call) -> None:
    """A page that links inside, and to addresses that redirect there."""
    places = (*INSIDE, *KEYS)
    if call.rest:
        await call.redirect(places[int(call.rest[0])])
    else:
        await call.page("Inward", *places, *(f"/inward/{number}" for number in range(len(places))))


def crawl(server: Faulty, folder: Path, **settings: Any) -> Told:
    allowed = {"via": "", "allow_private": True, "contact": "me@example.org", "pages": 40}
    return prepared(0, f"http://home.test:{server.port}/inward", out=folder, **{**allowed, **settings})


def opened(told: Told, url: str) -> bool:
    """Would the guard of this crawl let it go there?"""
    assert told.hunt is not None and told.hunt.web is not None
    return told.hunt.web.guard.refuses(url) is None


@pytest.mark.parametrize("hands", [0, 2])
def test_links_and_redirects_open_nothing_inside(hands: int, tmp_path: Path) -> None:
    told = beside(lambda server: finished(crawl(server, tmp_path / "run", hands=hands, deadline=30.0)))
    assert {url for url, kind in told.failures.items() if kind == "blocked"} == {*INSIDE, *KEYS}
    redirected = [told.details[url] for url, kind in told.failures.items() if kind == "redirect"]
    assert len(redirected) == len(INSIDE + KEYS) and all(detail.startswith("blocked: ") for detail in redirected)
    assert len(told.pages) == 1


def test_who_adds_a_starting_point_names_its_host_also_for_later_sessions(tmp_path: Path) -> None:
    """The host is excluded in the same turn, so that nobody is asked."""
    folder, added = tmp_path / "run", "http://10.0.0.9/"

    async def talk(server: Faulty) -> tuple[Told, Told]:
        told = crawl(server, folder)
        assert told.hunt is not None
        for command in (AddSeeds((added,)), Exclude("10.0.0.9")):
            told.after(len(told.due) + 1, lambda command=command: told.hunt and told.hunt.command(command))
        return await finished(told), await go_on(folder, pages=41)

    for told in beside(talk):
        assert opened(told, added) and not opened(told, "http://10.0.0.10/")
    assert added in RunView(folder).starting_points()


def test_hosts_in_a_list_are_named_also_for_later_sessions(tmp_path: Path) -> None:
    """The list is gone when the run is resumed."""
    folder, listed = tmp_path / "run", tmp_path / "list"
    listed.write_text("http://10.0.0.9/excluded\n")

    async def talk(server: Faulty) -> tuple[Told, Told]:
        told = await finished(crawl(server, folder, seeds=(str(listed),), pages=1))
        listed.unlink()
        return told, await go_on(folder, pages=1)

    for told in beside(talk):
        assert opened(told, "http://10.0.0.9/") and not opened(told, "http://10.0.0.10/")


def test_a_run_with_the_old_meaning_keeps_its_private_networks_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    async def talk(server: Faulty) -> tuple[Told, Told]:
        new = await finished(crawl(server, folder, pages=1))
        about = json.loads((folder / "run.json").read_text())
        del about["about"]["settings"]["allow_network"]
        (folder / "run.json").write_text(json.dumps(about))
        return new, await go_on(folder, pages=1)

    new, old = beside(talk)
    assert not opened(new, "http://10.0.0.7/") and opened(old, "http://10.0.0.7/")
    assert not any(opened(told, url) for told in (new, old) for url in KEYS[:3])
    said = [any("still may go to all of them" in remark for remark in told.remarks) for told in (new, old)]
    assert said == [False, True]


def test_a_network_is_opened_by_its_numbers(tmp_path: Path) -> None:
    told = beside(lambda server: finished(crawl(server, tmp_path / "run", pages=1, allow_network=["10.0.0.0/29"])))
    assert opened(told, "http://10.0.0.7/") and not opened(told, "http://10.0.0.8/")
    assert not any("every private address" in remark for remark in told.remarks)


def test_who_opens_every_network_is_told_what_that_means(tmp_path: Path) -> None:
    told = beside(lambda server: finished(crawl(server, tmp_path / "run", pages=1, allow_network=["0.0.0.0/0"])))
    assert [remark for remark in told.remarks if "0.0.0.0/0 opens every private address" in remark]
    assert opened(told, "http://10.0.0.7/") and not any(opened(told, url) for url in KEYS[:3])
