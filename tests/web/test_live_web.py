"""The live web through the real client, against servers on loopback that stand for every host there is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.web.live_site import (
    PAGE,
    Reply,
    clock_of,
    fetch,
    kind_of,
    moved,
    slow,
    visiting,
)
from tests.web.loopback import Loopback, http, serving

from wolfspider.core.model import Failure, Page, hidden
from wolfspider.core.scope import Scope
from wolfspider.web.http.client import Caps
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.polite import DAY, Manners
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.world import Request, Web


def test_a_page_comes_with_all_that_is_known_of_it() -> None:
    async def main() -> None:
        async with visiting({"/x": http(b"<p>words</p>", ETag='"1"')}) as (live, _):
            web: Web = live
            before = live.polite.clock()
            fetched = await web.fetch(Request("http://a.test/x"))
            assert (fetched.url, fetched.final_url, fetched.status) == ("http://a.test/x", "http://a.test/x", 200)
            assert (fetched.body, fetched.headers["etag"], fetched.failure) == (b"<p>words</p>", '"1"', None)
            assert fetched.hops == () and not fetched.cut
            assert before <= fetched.at <= live.polite.clock() and 0 < fetched.seconds < 30
            assert [(capture.url, capture.status) for capture in fetched.captures] == [("http://a.test/x", 200)]
            assert isinstance(parse(fetched), Page)
            assert (live.counters.requests, live.counters.overhead) == (1, 1)
            assert live.counters.bytes == len(b"<p>words</p>")

    asyncio.run(main())


def test_nothing_is_kept_for_the_archive_where_there_is_none() -> None:
    async def main() -> None:
        async with visiting({"/x": moved("/y"), "/y": PAGE}, archive=False) as (live, _):
            assert (await fetch(live, "http://a.test/x")).captures == ()

    asyncio.run(main())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_hop_by_hop(status: int) -> None:
    async def main() -> None:
        replies = {
            "a.test/x": moved("y", f"{status} There"),
            "a.test/y": moved("//b.test/z?b=2&a=1#top"),
            "/z?a=1&b=2": PAGE,
        }
        async with visiting(replies) as (live, site):
            fetched = await fetch(live, "http://a.test/x")
            assert (fetched.url, fetched.final_url) == ("http://a.test/x", "http://b.test/z?a=1&b=2")
            assert fetched.hops == ("http://a.test/x", "http://a.test/y")
            assert [capture.status for capture in fetched.captures] == [status, 302, 200]
            assert site.pages() == ["a.test/x", "a.test/y", "b.test/z?a=1&b=2"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("", "redirect"),
        ("/x", "redirect"),
        ("http://a.test/x#again", "redirect"),
        ("http://", "redirect"),
        ("http://a b/", "redirect"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("ftp://a.test/", "scheme"),
        (" gopher://a.test/", "scheme"),
        ("http://10.0.0.1/", "blocked"),
        ("http://127.0.0.1/", "blocked"),
        ("http://0x7f.1/", "blocked"),
        ("http://[::ffff:10.0.0.1]/", "blocked"),
        ("http://169.254.169.254/latest/meta-data/", "blocked"),
        ("http://localhost/", "blocked"),
        ("http://b.test:22/", "blocked"),
        ("http://b.test/" + "a" * 9000, "redirect"),
    ],
)
def test_redirects_to_where_nobody_should_go_end_there(target: str, kind: str) -> None:
    async def main() -> None:
        async with visiting({"/x": moved(target)}) as (live, site):
            fetched = await fetch(live, "http://a.test/x")
            assert kind_of(fetched) == kind
            assert site.asked == ["a.test/robots.txt", "a.test/x"]
            assert len(fetched.captures) == 1
            assert live.counters.failures == {kind: 1}

    asyncio.run(main())


def test_a_redirect_to_a_server_inside_reaches_nobody() -> None:
    async def main() -> None:
        async with Loopback(serving(lambda head: PAGE)) as inside:
            async with visiting({"/x": moved(inside.url("/secret"))}) as (live, _):
                assert kind_of(await fetch(live, "http://a.test/x")) == "blocked"
            assert inside.accepted == 0

    asyncio.run(main())


def test_redirects_in_a_circle_and_too_long_chains_end() -> None:
    async def main() -> None:
        chain: dict[str, Reply] = {f"/{n}": moved(f"/{n + 1}") for n in range(20)}
        async with visiting({"/a": moved("/b"), "/b": moved("/a"), **chain, "/20": PAGE}) as (live, site):
            assert (await fetch(live, "http://a.test/a")).failure == Failure("redirect", "the redirects go in a circle")
            assert len(site.pages()) == 2
            assert kind_of(await fetch(live, "http://a.test/12")) == ""
            assert (await fetch(live, "http://a.test/11")).failure == Failure("redirect", "more than 8 redirects")
            assert len(site.pages()) == 2 + 9 + 9

    asyncio.run(main())


def test_every_hop_asks_robots_scope_and_turn_of_its_own_host() -> None:
    async def main() -> None:
        replies = {
            "a.test/out": moved("http://b.test/x"),
            "a.test/forbidden": moved("/private"),
            "a.test/port": moved("http://a.test:8080/x"),
            "a.test/robots.txt": http(b"User-agent: *\nDisallow: /private\n"),
            "b.test/robots.txt": http(b"User-agent: *\nDisallow: /\n"),
            "/x": PAGE,
            "/private": PAGE,
        }
        async with visiting(replies) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/forbidden")) == "robots"
            assert kind_of(await fetch(live, "http://a.test/out")) == "robots"
            scoped = await fetch(live, "http://a.test/port", allows=lambda url: ":8080" not in url)
            assert scoped.failure == Failure("excluded", "led to http://a.test:8080/x")
            assert scoped.hops == ("http://a.test/port",)
            assert kind_of(await fetch(live, "http://a.test/port")) == ""
            assert site.pages() == ["a.test/forbidden", "a.test/out", "a.test/port", "a.test/port", "a.test:8080/x"]

    asyncio.run(main())


def test_a_hop_to_the_same_host_waits_for_its_turn_too() -> None:
    async def main() -> None:
        told: list[bool] = []
        replies = {"/x": moved("/y"), "/y": slow(moved("/z"), 0.05), "/z": PAGE}
        async with visiting(replies, manners=Manners(delay=0.1, factor=0.0)) as (live, site):
            fetched = await fetch(live, "http://a.test/x", waits=told.append)
            spans = site.spans["a.test"]
            assert len(spans) == 4 and all(spans[n + 1][0] - spans[n][1] >= 0.1 for n in range(3))
            assert told == [True, False] * 3
            assert fetched.seconds >= 0.05

    asyncio.run(main())


def test_nothing_of_one_answer_is_carried_to_the_next_address() -> None:
    async def main() -> None:
        cookie = {"Set_Cookie": "a=1; Domain=test", "WWW_Authenticate": "Basic"}
        replies = {
            "a.test/x": moved("http://user:pass@a.test/y", **cookie),
            "a.test/y": moved("http://b.test/z"),
            "/z": PAGE,
        }
        async with visiting(replies) as (live, site):
            fetched = await fetch(live, "https://a.test/x", held={"etag": '"secret"', "last-modified": "yesterday"})
            assert (fetched.status, fetched.final_url) == (200, "http://b.test/z")
            sent = {asked: head.lower() for asked, head in zip(site.asked, site.heads, strict=True)}
            assert b'if-none-match: "secret"' in sent["a.test/x"] and b"if-modified-since" in sent["a.test/x"]
            for asked in ("a.test/y", "b.test/z", "a.test/robots.txt", "b.test/robots.txt"):
                for name in (b"if-none-match", b"if-modified-since", b"cookie", b"authorization", b"referer", b"pass"):
                    assert name not in sent[asked], (asked, name)

    asyncio.run(main())


@pytest.mark.parametrize("value", ['"a"\r\nX-Evil: 1', "\x00", "ä", '"' + "a" * 2000, ""])
def test_what_a_server_said_is_sent_back_only_if_it_is_harmless(value: str) -> None:
    async def main() -> None:
        async with visiting({"/x": PAGE}) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/x", held={"etag": value})) == ""
            assert b"if-none-match" not in site.heads[-1].lower() and b"evil" not in site.heads[-1].lower()

    asyncio.run(main())


def test_a_copy_that_still_holds_is_a_304_and_no_failure() -> None:
    async def main() -> None:
        async with visiting({"/x": http(b"", "304 Not Modified")}) as (live, _):
            fetched = await fetch(live, "http://a.test/x", held={"etag": '"1"'})
            assert (fetched.status, fetched.failure) == (304, None)
            assert kind_of(await fetch(live, "http://a.test/x")) == "status"  # nobody asked for that

    asyncio.run(main())


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone", "500 Oh", "999 What"])
def test_an_error_is_a_failure_with_its_status(status: str) -> None:
    async def main() -> None:
        async with visiting({"/x": http(b"sorry", status)}) as (live, _):
            fetched = await fetch(live, "http://a.test/x")
            assert fetched.failure == Failure("status", status[:3])
            assert (fetched.status, fetched.body) == (int(status[:3]), b"sorry")

    asyncio.run(main())


def test_a_meta_refresh_is_not_followed() -> None:
    async def main() -> None:
        page = http(b'<html><head><meta http-equiv="refresh" content="0; url=/y"></head><body>soon</body></html>')
        async with visiting({"/x": page, "/y": PAGE}) as (live, site):
            assert (await fetch(live, "http://a.test/x")).final_url == "http://a.test/x"
            assert "a.test/y" not in site.asked

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("-5", 60.0, 90.0),
        ("garbage", 60.0, 90.0),
        ("1000000000", DAY, DAY),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY, DAY),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 60.0, 90.0),
        ("300", 300.0, 300.0),
    ],
)
def test_a_host_that_answers_503_is_left_alone_as_a_whole(text: str, least: float, most: float) -> None:
    async def main() -> None:
        async with visiting({"/x": http(b"", "503 Busy", Retry_After=text), "/y": PAGE}) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/x")) == "status"
            assert least - 1e-3 <= live.polite.pause("a.test") <= most + 1e-3
            assert live.retry_after("a.test") <= most
            clock_of(live).ahead(least - 60)
            asked = len(site.asked)
            later = asyncio.create_task(fetch(live, "http://a.test/y"))
            await asyncio.sleep(0.05)
            assert len(site.asked) == asked and not later.done()  # it waits: less than its patience is left
            later.cancel()
            assert kind_of(await fetch(live, "http://b.test/y")) == ""

    asyncio.run(main())


def test_who_would_have_to_wait_too_long_is_sent_back_unasked() -> None:
    async def main() -> None:
        async with visiting({"/x": http(b"", "429 Slowly", Retry_After="3600"), "/y": PAGE}) as (live, site):
            await fetch(live, "http://a.test/x")
            fetched = await fetch(live, "http://a.test/y")
            assert kind_of(fetched) == "waiting" and fetched.failure is not None and not fetched.failure.asked
            assert "a.test/y" not in site.asked
            clock_of(live).ahead(3600)
            assert kind_of(await fetch(live, "http://a.test/y")) == ""

    asyncio.run(main())


def test_what_does_not_answer_is_left_alone_and_its_place_is_free() -> None:
    async def main() -> None:
        async with visiting({"/x": slow(PAGE, 60.0), "/y": PAGE}, caps=Caps(deadline=1.0)) as (live, _):
            assert kind_of(await fetch(live, "http://a.test/x")) == "timeout"
            assert 59.9 <= live.polite.pause("a.test") <= 90.1
            clock_of(live).ahead(90)
            assert kind_of(await fetch(live, "http://a.test/y")) == ""

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.xdist_group("timed")
def test_the_deadline_counts_requests_and_not_the_waiting() -> None:
    async def main() -> None:
        replies = {"/x": slow(moved("/y"), 0.4), "/y": slow(PAGE, 60.0), "/quick": moved("/page"), "/page": PAGE}
        manners = Manners(delay=0.7, factor=0.0)
        async with visiting(replies, manners=manners) as (live, _):
            fetched = await fetch(live, "http://a.test/x", deadline=1.0)
            assert kind_of(fetched) == "timeout"
            assert 0.8 <= fetched.seconds < 20  # both requests together
            fetched = await fetch(live, "http://b.test/quick", deadline=1.0)  # has waited for longer than that
            assert kind_of(fetched) == ""

    asyncio.run(main())


def test_the_deadline_holds_for_all_redirects_of_a_visit_together() -> None:
    async def main() -> None:
        replies = {f"/{hop}": slow(moved(f"/{hop + 1}"), 0.6) for hop in range(7)} | {"/7": PAGE}
        async with visiting(replies, caps=Caps(deadline=2.0)) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/0")) == "timeout" and len(site.pages()) <= 4

    asyncio.run(main())


def test_fifty_visits_at_once_are_one_request_at_a_time_for_a_host() -> None:
    async def main() -> None:
        pages = {f"/{n}": slow(PAGE, 0.002) for n in range(50)}
        async with visiting(pages) as (live, site):
            hosts = ("a.test", "b.test")
            visits = [fetch(live, f"http://{host}/{n}") for n in range(50) for host in hosts]
            assert not any(map(kind_of, await asyncio.gather(*visits)))
            assert [site.most[host] for host in hosts] == [1, 1]
            assert len(site.pages()) == 100

    asyncio.run(main())


@pytest.mark.slow
def test_a_thousand_names_at_one_address_share_its_places() -> None:
    async def main() -> None:
        async def everywhere(host: str) -> Sequence[str]:
            return ["127.0.0.1"]

        guard = Guard(allow_private=True, resolve=everywhere)
        manners = Manners(delay=0.0, factor=0.0, per_address=8)
        async with visiting({"/": slow(PAGE, 0.002)}, guard=guard, manners=manners, robots=False) as (live, site):
            urls = [f"http://h{n}.test:{site.server.port}/" for n in range(1000)]
            assert not any(map(kind_of, await asyncio.gather(*(fetch(live, url) for url in urls))))
            assert site.most[""] <= 8
            assert len(site.asked) == 1000

    asyncio.run(main())


def test_a_domain_of_endless_hosts_is_cut_off() -> None:
    async def main() -> None:
        async with visiting({"/": PAGE}, hosts=HostCap(most=5)) as (live, site):
            kinds = [kind_of(await fetch(live, f"http://h{n}.wild.test/")) for n in range(20)]
            assert kinds == [""] * 5 + ["crowded"] * 15
            assert live.counters.turned_away == 15
            assert kind_of(await fetch(live, "http://h3.wild.test/")) == ""
            assert kind_of(await fetch(live, "http://tame.test/")) == ""
            assert not any("h7." in asked for asked in site.asked)  # nor was its robots.txt asked for

    asyncio.run(main())


def test_a_visit_that_is_cancelled_leaves_every_place_free() -> None:
    async def main() -> None:
        told: list[bool] = []
        manners = Manners(delay=0.05, per_address=1)
        async with visiting({"/x": slow(PAGE, 60.0), "/y": PAGE}, manners=manners) as (live, site):
            visits = [asyncio.create_task(fetch(live, "http://a.test/x", waits=told.append)) for _ in range(5)]
            while "a.test/x" not in site.asked:
                await asyncio.sleep(0.01)
            called_off = live.polite.clock()
            for visit in visits:
                visit.cancel()
            results = await asyncio.gather(*visits, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)
            assert told.count(True) == told.count(False) == 5
            assert live.polite.ready_at("a.test") >= called_off + 0.05
            assert kind_of(await fetch(live, "http://a.test/y")) == ""

    asyncio.run(main())


def test_an_unknown_host_is_a_dns_failure_and_is_left_alone() -> None:
    async def main() -> None:
        async def nowhere(host: str) -> Sequence[str]:
            return []

        async with visiting({}, guard=Guard(resolve=nowhere)) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/x")) == "dns"
            assert site.asked == [] and live.polite.pause("a.test") >= 59.9

    asyncio.run(main())


def test_a_name_that_leads_inside_is_blocked_before_anything_is_sent() -> None:
    async def main() -> None:
        async def inside(host: str) -> Sequence[str]:
            return ["93.184.216.34", "127.0.0.1"]

        async with visiting({"/x": PAGE}, guard=Guard(resolve=inside)) as (live, site):
            assert kind_of(await fetch(live, f"http://a.test:{site.server.port}/x")) == "blocked"
            assert site.server.accepted == 0

    asyncio.run(main())


def test_what_headers_ask_of_robots_is_obeyed_as_what_pages_ask() -> None:
    async def main() -> None:
        body = b"<html><body><p>some words</p><a href='/y'>a link</a></body></html>"
        replies = {
            "/all": http(body),
            "/none": http(body, X_Robots_Tag="none"),
            "/other": http(body, X_Robots_Tag="otherbot: none"),
        }
        async with visiting(replies) as (live, _):
            pages = [parse(await fetch(live, f"http://a.test/{name}")) for name in ("all", "none", "other")]
            assert [len(Scope().cut(page).links) for page in pages if isinstance(page, Page)] == [1, 0, 1]
            assert [hidden(page.robots) for page in pages if isinstance(page, Page)] == [False, True, False]

    asyncio.run(main())
