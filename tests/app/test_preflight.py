"""What is said of settings before a crawl begins, and who has to say who crawls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wolfspider.app import preflight, starting_points
from wolfspider.app.hunt import Hunt
from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Failure, Fetch
from wolfspider.store.sqlite import create

OWN: dict[str, Any] = {"urls": ("http://localhost/",), "topic": "spiders", "allow_private": True}


@pytest.mark.parametrize(
    ("changed", "local"),
    [
        ({}, True),
        ({"like": ("http://127.0.0.1/good",)}, True),
        ({"like": ("https://example.org/good",)}, False),
        ({"like": ("good.html",)}, True),
        ({"search": "http://localhost:8888"}, False),
        ({"search": "http://localhost:8888", "via": "127.0.0.1:80"}, True),
        ({"urls": ("http://example.org/",), "via": "127.0.0.1:80"}, True),
        ({"urls": ("http://example.org/",), "via": "[::1]:80"}, True),
        ({"urls": ("http://example.org/",), "via": "10.1.2.3:80"}, True),
        ({"urls": ("http://example.org/",), "via": "8.8.8.8:80"}, False),
        ({"urls": ("http://example.org/",), "via": "[2002:808:808::1]:80"}, False),
        ({"urls": ("http://example.org/",), "via": "[2002:a00:1::1]:80"}, True),
        ({"urls": ("http://example.org/",), "via": "192.0.0.9:80"}, True),
        ({"via": "proxy.example.org:80"}, False),
        ({"urls": ("http://intranet/", "http://router.lan/", "http://wiki.corp:8080/")}, True),
        ({"urls": ("http://intranet.example.org/",)}, False),
        ({"urls": ("http://8.8.8.8/",)}, False),
        ({"leaps": "search:http://localhost:8888"}, False),
        ({"leaps": "categories.sqlite"}, False),
        ({"leaps": "runs/earlier"}, False),
        ({"category": "spiders"}, False),
        ({"leaps": "categories.sqlite", "via": "127.0.0.1:80"}, True),
        ({"leaps": "sitemap:http://localhost/map.xml"}, True),
        ({"leaps": "sitemap:http://example.org/map.xml"}, False),
        ({"urls": (), "like": ("http://localhost/good",)}, True),
        ({"urls": (), "like": ("http://example.org/good",)}, False),
    ],
)
def test_only_who_stays_on_machines_of_their_own_needs_no_contact(changed: dict[str, Any], local: bool) -> None:
    settings = Settings(**{**OWN, **changed})
    assert preflight.is_local(settings) is local
    if not local:
        with pytest.raises(Problem, match="Who crawls"):
            preflight.check(settings)


@pytest.mark.parametrize(
    ("changed", "named", "contact"),
    [
        ({}, "http://localhost/", False),
        ({"urls": ("localhost:9",)}, "http://localhost:9/", False),
        ({"urls": ("http://192.168.1.1/",)}, "http://192.168.1.1/", False),
        ({"urls": ("http://[::1]:8080/",)}, "http://[::1]:8080/", False),
        ({"urls": ("http://example.org/", "http://10.0.0.1/")}, "http://10.0.0.1/", True),
        ({"urls": ("http://example.org/",), "sitemap": ("http://localhost/map.xml",)}, "localhost/map.xml", True),
        ({"urls": (), "feed": ("http://box.internal/feed",)}, "http://box.internal/feed", False),
        ({"urls": (), "like": ("http://127.0.0.1/good",)}, "http://127.0.0.1/good", False),
        ({"urls": ("http://example.org/",), "search": "http://localhost:8888"}, "http://localhost:8888/", True),
        ({"leaps": "sitemap:http://localhost/map.xml"}, "http://localhost/", False),
        ({"seeds": ("list.txt",)}, "http://localhost/", True),
    ],
)
def test_addresses_of_ones_own_network_need_leave_and_perhaps_no_contact(
    changed: dict[str, Any], named: str, contact: bool
) -> None:
    settings = Settings(**{**OWN, "allow_private": False, **changed})
    with pytest.raises(Problem, match=r"own machine or network: to crawl there, give --allow-private") as caught:
        preflight.check(settings)
    said = str(caught.value)
    assert named in said and ("give --contact" in said) is contact and ("No contact is needed" in said) is not contact
    allowed = replace(settings, allow_private=True, contact="me@example.org" if contact else "")
    preflight.check(allowed)  # what the sentence says is enough


@pytest.mark.parametrize("changed", [{"urls": ("http://example.org/",)}, {"via": "8.8.8.8:80"}])
def test_where_nothing_is_of_ones_own_only_a_contact_is_asked_for(changed: dict[str, Any]) -> None:
    with pytest.raises(Problem, match="Who crawls") as caught:
        preflight.check(Settings(**{**OWN, "allow_private": False, **changed}))
    assert "allow-private" not in str(caught.value)


def test_links_out_of_ones_own_network_need_a_contact() -> None:
    assert preflight.public_needs_contact(Settings(**OWN))
    assert not preflight.public_needs_contact(Settings(**OWN, contact="me@example.org"))
    assert not preflight.public_needs_contact(Settings(**OWN, via="127.0.0.1:80"))


@pytest.mark.parametrize(
    ("networks", "wide"),
    [
        ([], ""),
        (["10.0.0.0/8", "fc00::/7", "127.0.0.1"], ""),
        (["10.1.0.0/16", "0.0.0.0/0"], "0.0.0.0/0"),
        (["8.0.0.0/5"], "8.0.0.0/5"),
        (["::/0"], "::/0"),
    ],
)
def test_who_opens_more_than_any_network_of_ones_own_is_told(networks: list[str], wide: str) -> None:
    said = preflight.wide_told(Settings(**OWN, allow_network=tuple(networks)))
    assert said.startswith(f"--allow-network {wide} opens every private address in it") if wide else said == ""


@pytest.mark.parametrize("topic", [",,,", " ", "!?"])
def test_a_topic_has_words(topic: str) -> None:
    with pytest.raises(Problem, match="has no words"):
        preflight.check(Settings(**{**OWN, "topic": topic}))
    preflight.check(Settings(**{**OWN, "topic": topic, "description": "spiders"}))


@pytest.mark.parametrize("field", ["topic", "description"])
def test_a_topic_of_control_characters_is_refused_but_a_run_that_has_one_is_resumed(field: str, tmp_path: Path) -> None:
    settings = Settings(**{**OWN, field: "spiders \x1b]0;x\x07"})
    with pytest.raises(Problem, match=f"The {field} has control characters"):
        Hunt(settings, tmp_path / "new")
    create(tmp_path / "run", {"settings": settings.to_json(), "parser": ""}, info={}).close()
    Hunt(settings, tmp_path / "run")


@pytest.mark.parametrize("contact", ["a\x1b[31m@example.org", "https://example.org/\x00"])
def test_a_contact_of_control_characters_is_refused(contact: str) -> None:
    with pytest.raises(Problem, match="mail or web address"):
        preflight.check(Settings(**{**OWN, "contact": contact}))


@pytest.mark.parametrize("like", [(), ("good.html",), ("./good", "pages/good.html")])
def test_files_alone_are_no_start(like: tuple[str, ...]) -> None:
    with pytest.raises(Problem, match="Where shall the crawl start") as caught:
        preflight.check(Settings(**{**OWN, "urls": (), "like": like}))
    assert ("A file of your own is no place to start from" in str(caught.value)) is bool(like)


def test_the_address_of_a_liked_page_is_a_start_where_there_is_no_other() -> None:
    alone = Settings(**{**OWN, "urls": (), "topic": "", "like": ("good.html", "localhost/good")})
    preflight.check(alone)
    had = [
        Fetch("file:///good.html", "file:///good.html", 200),
        Fetch("http://localhost/good", "http://localhost/better", 200),
        Fetch("http://localhost/gone", "http://localhost/gone", 410),
        Fetch("http://localhost/slow", "http://localhost/slow", failure=Failure("timeout", "")),
    ]
    assert starting_points.liked_starts(alone, had) == ["http://localhost/good"]
    for more in ({"urls": ("http://localhost/",)}, {"seeds": ("list",)}, {"search": "http://localhost:8888"}):
        assert starting_points.liked_starts(replace(alone, **more), had) == []


@pytest.mark.parametrize("name", ["nolike.html", "pages/nolike.html", "./nolike", "/nowhere/nolike"])
def test_a_file_that_is_not_there_is_no_address(name: str) -> None:
    with pytest.raises(BadInput, match=f"There is no file {name}"):
        starting_points.listed(Settings(**OWN, like=(name,)))


def test_a_folder_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        starting_points.listed(Settings(**OWN, like=(str(tmp_path),)))


@pytest.mark.parametrize("like", ["example.org/page.html", "https://example.org/a.html", "//example.org/a"])
def test_an_address_that_ends_like_a_file_is_one(like: str) -> None:
    assert starting_points.listed(Settings(**OWN, like=(like,))) == []


@pytest.mark.parametrize(
    ("hands", "memory", "least", "enough"), [(0, 100, 130, 349), (1, 200, 213, 651), (2, 200, 296, 953)]
)
def test_memory_that_is_too_little_is_refused_with_what_is_enough(
    hands: int, memory: int, least: int, enough: int
) -> None:
    told = rf"give {least} at least.*For pages of 10.0 MB it takes {enough};"
    with pytest.raises(Problem, match=told) as refused:
        preflight.check(Settings(**OWN, hands=hands, memory=memory))
    assert ("or fewer --hands" in str(refused.value)) == (hands > 0)
    cut = preflight.cut_told(Settings(**OWN, hands=hands, memory=least))
    assert "cut at 0.1 MB" in cut and f"For 10.0 MB give --memory {enough}." in cut
    assert not preflight.cut_told(Settings(**OWN, hands=hands, memory=enough))


def test_one_hand_for_each_machine_of_a_cluster_cannot_be_fewer() -> None:
    with pytest.raises(Problem, match=r"give 213 at least with 1 hand\."):
        preflight._check_memory(Settings(**OWN, cluster="auto", memory=200))


def test_a_run_that_was_begun_with_too_little_memory_for_today_has_what_suffices() -> None:
    earlier = Settings(**OWN, hands=8, memory=512)
    with pytest.raises(Problem, match="too little"):
        preflight.check(earlier)
    preflight.check(preflight.with_enough_memory(earlier))
    assert preflight.with_enough_memory(Settings(**OWN, hands=2, memory=512)).memory == 512


def test_more_hands_than_an_address_may_be_asked_by_are_fewer_and_told() -> None:
    assert preflight.few_hands_told(Settings(**OWN, hands=9, per_address=1)).startswith("There is 1 hand, not 9:")
    assert preflight.few_hands_told(Settings(**OWN, hands=9, per_address=3)).startswith("There are 3 hands, not 9:")
    assert preflight.few_hands_told(Settings(**OWN, hands=3, per_address=3)) == ""
