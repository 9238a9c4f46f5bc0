"""Sites dealt out among crawls: each to one of them, whoever asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.app.assemble import owned_by, scope_of
from wolfspider.app.preflight import check
from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.core.territory import SiteShare, owner_of


@given(st.text(max_size=30), st.integers(1, 40))
def test_every_site_has_exactly_one_owner(site: str, count: int) -> None:
    owners = [number for number in range(count) if SiteShare(number, count).owns(site)]
    assert owners == [owner_of(site, count)]


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "/", "a/b", "1/9999", "-1/4", "1/0", "²/4"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(Problem, match="--territory is K/N"):
        SiteShare.read(text)


def test_a_share_is_read_as_it_is_written() -> None:
    assert str(SiteShare.read(" 2 / 4 ")) == "2/4"
    assert SiteShare.read("") is None


def test_all_hosts_of_a_registered_domain_have_one_owner() -> None:
    hosts = ["example.co.uk", "www.example.co.uk", "shop.example.co.uk:8080"]
    owned = [owned_by(Settings(territory=f"{number}/4")) for number in range(1, 5)]
    assert sorted([own(host) for host in hosts] for own in owned) == [[False] * 3] * 3 + [[True] * 3]


def test_the_scope_of_a_crawl_ends_with_its_territory() -> None:
    urls = [f"http://host-{number}.test/" for number in range(50)]
    scopes = [scope_of(Settings(territory=f"{number}/3")) for number in range(1, 4)]
    owners = [[scope.allows(url) for scope in scopes].count(True) for url in urls]
    assert owners == [1] * 50


@pytest.mark.parametrize(
    "given", [{"sitemap": ("http://a.test/s",)}, {"search": "http://a.test/"}, {"requisites": 5}, {"hands": 2}]
)
def test_what_would_ask_sites_of_others_is_refused(given: dict[str, object]) -> None:
    settings = Settings(urls=("http://a.test/",), topic="x", contact="me@example.org", territory="1/2", **given)  # type: ignore[arg-type]
    with pytest.raises(Problem, match="territory"):
        check(settings)
