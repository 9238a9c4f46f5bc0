"""Settings that name addresses: no kind of starting point can be forgotten by what has to know them all."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.hunting import asked_for, beside, hunt

from faults import Faulty
from wolfspider.app import assemble, preflight, starting_points
from wolfspider.app.settings import ASKED, SITEMAP_PREFIX, STARTS, Settings, known
from wolfspider.core.errors import Problem
from wolfspider.drivers.driver import Clock
from wolfspider.store.in_memory import Volatile

TEXTS = [name for name, setting in known().items() if setting.kind in ("str", "tuple") and not setting.choices]
FREE = {"urls": ("http://a.test/ok",), "topic": "wolf spiders hunt", "contact": "me@example.org"}


def _holding(name: str, address: str) -> dict[str, Any]:
    """Settings of which this one holds an address."""
    value = f"{SITEMAP_PREFIX}{address}" if name == "leaps" else address
    return {**FREE, name: (value,) if known()[name].kind == "tuple" else value}


@pytest.mark.parametrize("name", sorted(set(TEXTS) - {"urls", "via"}))
def test_every_setting_by_which_an_address_is_asked_before_a_crawl_begins_says_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever adds a setting that leads to requests and does not mark it `asked` fails here."""
    monkeypatch.chdir(tmp_path)

    async def talk(server: Faulty) -> None:
        settings = _holding(name, "http://told.test/ok")
        with suppress(Problem):
            await hunt(server.port, *settings.pop("urls"), pages=5, **settings)
        assert name in ASKED or not asked_for(server, "told.test")

    beside(talk)


@pytest.mark.parametrize("name", ASKED)
def test_an_address_that_may_be_asked_before_a_crawl_begins_is_treated_as_such_in_every_setting(name: str) -> None:
    settings = Settings(**_holding(name, "http://me:secret@told.test/map.xml"))
    assert "secret" not in str(settings)
    assert "http://told.test/map.xml" in preflight.asked(settings)

    async def rests() -> float:
        async with AsyncExitStack() as stack:
            web = assemble.web_of(settings, Volatile(), Clock(), stack)
            starting_points.asked_before(settings, web)
            return web.polite.ready_at("told.test")

    assert asyncio.run(rests()) > 0


def test_a_file_that_is_liked_and_no_longer_there_is_no_address() -> None:
    assert preflight.asked(Settings(like=("gone/liked.html",))) == []


@pytest.mark.parametrize("name", STARTS)
def test_each_kind_of_starting_point_is_enough_to_start_from_and_is_named_where_all_are_missing(name: str) -> None:
    bare = {"topic": "spiders", "contact": "me@example.org"}
    preflight.check(Settings(**bare, **{name: _holding(name, "http://told.test/ok")[name]}))
    with pytest.raises(Problem, match="Give an address" if name == "urls" else f"--{name}"):
        preflight.check(Settings(**bare))
