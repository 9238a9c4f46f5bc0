"""robots.txt on the live web, asked for through the real client: every way it can go, and that nothing is fetched which
it forbids or which nobody could ask it about."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from tests.web.live_site import PAGE, Reply, clock_of, fetch, kind_of, moved, slow, visiting
from tests.web.loopback import Loopback, http, serving

from wolfspider.core.model import Failure
from wolfspider.web.http.client import Caps
from wolfspider.web.http.live_robots import KEPT_IN_TROUBLE, LiveRobots
from wolfspider.web.http.polite import Manners
from wolfspider.web.http.robots import KEPT, LARGEST

CLOSED = http(b"User-agent: *\nDisallow: /\n", Content_Type="text/plain")
PRIVATE = http(b"User-agent: *\nDisallow: /private\n", Content_Type="text/plain")
OPEN = http(b"User-agent: *\nDisallow:\n", Content_Type="text/plain")
BOMB = gzip.compress(b"User-agent: *\nDisallow: /\n" + b"#" * 20_000_000)


def meets(robots: Reply, **options: object) -> tuple[str, list[str]]:
    """The kind of failure of a page behind this robots.txt, and which pages were asked for."""

    async def main() -> tuple[str, list[str]]:
        async with visiting({"/robots.txt": robots, "/x": PAGE, "/hop": CLOSED}, **options) as (live, site):
            fetched = await fetch(live, "http://a.test/x")
            assert live.counters.overhead == len(site.asked) - len(site.pages())
            assert live.counters.requests == len(site.pages())
            return kind_of(fetched), site.pages()

    return asyncio.run(main())


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "401 Unauthorized", "410 Gone", "451 No"])
def test_a_robots_txt_that_is_not_there_allows_everything(status: str) -> None:
    assert meets(http(b"User-agent: *\nDisallow: /", status)) == ("", ["a.test/x"])


@pytest.mark.parametrize("status", ["500 Oh", "502 Oh", "503 Oh", "504 Oh", "599 Oh", "429 Slowly", "999 No", "600 Eh"])
def test_a_robots_txt_in_trouble_forbids_everything_for_now(status: str) -> None:
    kind, pages = meets(http(b"", status))
    assert pages == []
    assert kind == "waiting" and not Failure(kind).lasting  # the page may be tried again another time


def test_a_robots_txt_that_never_comes_forbids_everything_for_now() -> None:
    assert meets(slow(OPEN, 60.0), caps=Caps(deadline=0.2)) == ("waiting", [])


def test_a_server_that_hangs_up_on_robots_txt_is_not_asked_for_pages() -> None:
    async def hang_up(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.close()

    assert meets(hang_up) == ("waiting", [])


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"User-agent: *\nDisallow: /\n", "robots"),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n", "robots"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16"), ""),
        (b"<!doctype html><html><body>User-agent: * Disallow: /</body></html>", ""),
        (b"<!doctype html>\nUser-agent: *\nDisallow: /\n</html>", "robots"),
        (bytes(range(256)) * 4, ""),
        (b"", ""),
        (b"User-agent: *\nDisallow: /\n" + b"#" * LARGEST, "robots"),
        (b"#" * LARGEST + b"\nUser-agent: *\nDisallow: /\n", ""),
        (b"User-agent: wolf\nDisallow: /\n", ""),
        (b"User-agent: wolfspider\nDisallow: /\n\nUser-agent: *\nAllow: /\n", "robots"),
    ],
)
def test_what_a_robots_txt_says_counts_whatever_it_is_made_of(body: bytes, kind: str) -> None:
    assert meets(http(body)) == (kind, [] if kind else ["a.test/x"])


def test_a_compressed_bomb_is_cut_and_read_as_far_as_it_goes() -> None:
    assert meets(http(BOMB, Content_Encoding="gzip")) == ("robots", [])


def test_a_robots_txt_without_end_is_cut() -> None:
    async def endless(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n")
        while True:
            writer.write(b"# and so on\n" * 1000)
            await writer.drain()

    assert meets(endless) == ("robots", [])


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 5, 6])
def test_redirects_of_robots_txt_are_followed_five_times_to_other_hosts_too(hops: int) -> None:
    async def main() -> None:
        chain: dict[str, Reply] = {"a.test/robots.txt": moved("http://h1.test/1")}
        chain |= {f"h{n}.test/{n}": moved(f"http://h{n + 1}.test/{n + 1}") for n in range(1, hops)}
        chain |= {f"h{hops}.test/{hops}": CLOSED, "a.test/x": PAGE}
        async with visiting(chain) as (live, site):
            fetched = await fetch(live, "http://a.test/x")
            assert kind_of(fetched) == ("robots" if hops <= 5 else "")
            assert ("a.test/x" in site.asked) is (hops > 5)
            assert live.counters.overhead == min(hops, 5) + 1

    asyncio.run(main())


def test_robots_txt_that_redirects_in_a_circle_or_nowhere_is_not_there() -> None:
    for target in ("/robots.txt", "", "javascript:alert(1)", "http://"):
        assert meets(moved(target)) == ("", ["a.test/x"])


def test_robots_txt_that_redirects_to_a_private_address_is_not_followed_there() -> None:
    async def main() -> None:
        async with Loopback(serving(lambda head: OPEN)) as inside:
            for target in (inside.url("/robots.txt"), "http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/"):
                async with visiting({"/robots.txt": moved(target), "/x": PAGE}) as (live, site):
                    assert kind_of(await fetch(live, "http://a.test/x")) == "waiting"
                    assert site.asked == ["a.test/robots.txt"]
            assert inside.accepted == 0

    asyncio.run(main())


def test_rules_are_those_of_scheme_host_and_port() -> None:
    async def main() -> None:
        replies = {"a.test/robots.txt": CLOSED, "a.test:8080/robots.txt": OPEN, "/x": PAGE}
        async with visiting(replies) as (live, _):
            assert kind_of(await fetch(live, "http://a.test/x")) == "robots"
            assert kind_of(await fetch(live, "https://a.test/x")) == "robots"
            assert kind_of(await fetch(live, "http://a.test:8080/x")) == ""
            assert kind_of(await fetch(live, "http://b.test/x")) == ""
            assert live.counters.overhead == 4

    asyncio.run(main())


def test_fifty_visits_to_an_unknown_host_ask_for_its_robots_txt_once() -> None:
    async def main() -> None:
        pages = {f"/{n}": PAGE for n in range(50)}
        async with visiting({"/robots.txt": slow(PRIVATE, 0.1), **pages}) as (live, site):
            fetched = await asyncio.gather(*(fetch(live, f"http://a.test/{n}") for n in range(50)))
            assert not any(map(kind_of, fetched))
            assert site.asked.count("a.test/robots.txt") == 1
            assert site.asked[0] == "a.test/robots.txt"

    asyncio.run(main())


def test_fifty_visits_to_a_host_in_trouble_ask_for_its_robots_txt_once() -> None:
    async def main() -> None:
        async with visiting({"/robots.txt": slow(http(b"", "500 Oh"), 0.1)}) as (live, site):
            fetched = await asyncio.gather(*(fetch(live, f"http://a.test/{n}") for n in range(50)))
            assert set(map(kind_of, fetched)) == {"waiting"}
            assert site.asked == ["a.test/robots.txt"]

    asyncio.run(main())


def test_when_the_visit_that_asks_is_cancelled_the_next_one_asks() -> None:
    async def main() -> None:
        async with visiting({"/robots.txt": slow(PRIVATE, 0.1), "/x": PAGE}) as (live, site):
            first, second = (asyncio.create_task(fetch(live, "http://a.test/x")) for _ in range(2))
            while not site.asked:
                await asyncio.sleep(0.01)
            first.cancel()
            assert kind_of(await second) == ""
            assert site.asked == ["a.test/robots.txt"] * 2 + ["a.test/x"]

    asyncio.run(main())


def test_rules_that_change_in_mid_crawl_count_when_the_day_is_over() -> None:
    async def main() -> None:
        async with visiting({"/robots.txt": OPEN, "/x": PAGE}) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/x")) == ""
            site.replies["/robots.txt"] = CLOSED
            clock_of(live).ahead(KEPT + 1)
            assert kind_of(await fetch(live, "http://a.test/x")) == "robots"
            site.replies["/robots.txt"] = OPEN
            clock_of(live).ahead(KEPT + 1)
            assert kind_of(await fetch(live, "http://a.test/x")) == ""
            assert site.pages() == ["a.test/x"] * 2

    asyncio.run(main())


def test_the_last_good_copy_counts_for_a_month_while_the_file_can_not_be_read() -> None:
    async def main() -> None:
        manners = Manners(backoff=0.0, delay=0.0)
        async with visiting({"/robots.txt": PRIVATE, "/x": PAGE}, manners=manners) as (live, site):
            await fetch(live, "http://a.test/x")
            site.replies["/robots.txt"] = http(b"", "503 Oh")
            for _ in range(3):
                clock_of(live).ahead(KEPT + 1)
                assert kind_of(await fetch(live, "http://a.test/x")) == ""
                assert kind_of(await fetch(live, "http://a.test/private")) == "robots"
            assert live.counters.overhead == 4  # asked again, but not by every visit
            clock_of(live).ahead(KEPT_IN_TROUBLE)
            assert kind_of(await fetch(live, "http://a.test/x")) == "waiting"
            assert "a.test/private" not in site.asked

    asyncio.run(main())


def test_a_host_whose_robots_txt_can_not_be_read_is_left_alone_longer_and_longer() -> None:
    async def main() -> None:
        async with visiting({"/robots.txt": http(b"", "500 Oh"), "/x": PAGE}) as (live, site):
            rests = []
            for tries in range(1, 6):
                assert kind_of(await fetch(live, "http://a.test/x")) == "waiting"
                assert len(site.asked) == tries
                rests.append(live.polite.pause("a.test"))
                clock_of(live).ahead(rests[-1])
            assert all(59.9 * 2**n <= rest <= 90.1 * 2**n for n, rest in enumerate(rests))
            site.replies["/robots.txt"] = OPEN
            assert kind_of(await fetch(live, "http://a.test/x")) == ""

    asyncio.run(main())


def test_a_crawl_delay_is_kept_from_then_on() -> None:
    async def main() -> None:
        robots = http(b"User-agent: *\nCrawl-delay: 0.2\n")
        async with visiting({"/robots.txt": robots, "/x": PAGE}) as (live, site):
            for _ in range(3):
                await fetch(live, "http://a.test/x")
            assert live.polite.pause("a.test") == 0.2
            spans = site.spans["a.test"]
            assert all(spans[n + 1][0] - spans[n][1] >= 0.2 for n in range(3))

    asyncio.run(main())


def test_rules_outlive_a_crash() -> None:
    async def main() -> None:
        replies = {"/robots.txt": PRIVATE, "b.test/robots.txt": http(b"", "404 No"), "/x": PAGE}
        async with visiting(replies) as (live, _):
            await fetch(live, "http://a.test/x")
            await fetch(live, "http://b.test/x")
            assert live.robots is not None
            rows = live.robots.state()
            assert live.robots.state() == {}
        async with visiting({"/robots.txt": http(b"", "500 Oh"), "/x": PAGE}) as (live, _):
            assert live.robots is not None
            clock_of(live).ahead(60)
            live.robots.restore(rows, live.polite.clock())
            assert kind_of(await fetch(live, "http://a.test/private")) == "robots"
            assert kind_of(await fetch(live, "http://a.test/x")) == ""
            assert kind_of(await fetch(live, "http://b.test/x")) == ""
            assert live.counters.overhead == 0

    asyncio.run(main())


def test_rules_of_a_clock_that_was_ahead_are_asked_for_again() -> None:
    robots = LiveRobots(lambda: 1000.0)
    robots.restore({"http://a.test": ("User-agent: *\nDisallow: /\n", 200, 5e9)}, 1000.0)
    assert robots.known("http://a.test/x") is None
    robots.restore({"http://a.test": ("User-agent: *\nDisallow: /\n", 200, 900.0)}, 1000.0)
    assert robots.known("http://a.test/x") is not None


def test_what_robots_txt_says_of_an_address_can_be_explained() -> None:
    async def main() -> None:
        sitemaps = http(b"User-agent: *\nDisallow: /private\nSitemap: /map.xml\nSitemap: ftp://a.test/\n")
        async with visiting({"a.test/robots.txt": sitemaps, "/x": PAGE}) as (live, _):
            robots = live.robots
            assert robots is not None
            assert robots.explain("http://a.test/x") == "its robots.txt has not been read"
            await fetch(live, "http://a.test/x")
            await fetch(live, "http://b.test/x")
            assert robots.explain("http://a.test/private/x") == "forbidden: Disallow: /private"
            assert robots.explain("http://a.test/x") == "allowed: no rule speaks of it"
            assert robots.explain("http://b.test/x") == "allowed: there is no robots.txt (404)"
            told, untold = robots.known("http://a.test/"), robots.known("http://b.test/")
            assert told is not None and told.sitemaps == ("/map.xml", "ftp://a.test/")
            assert untold is not None and untold.sitemaps == ()

    asyncio.run(main())


def test_copies_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.web.http.live_robots._MOST_COPIES", 100_000)
    monkeypatch.setattr("wolfspider.web.http.live_robots._MOST_READY", 17_000)
    robots = LiveRobots(lambda: 0.0)
    rows = {f"http://h{n}.test": ("User-agent: *\nDisallow: /\n", 200, 0.0) for n in range(1000)}
    robots.restore(rows, 0.0)
    kept = [origin for origin in rows if robots.known(f"{origin}/x")]
    assert 100 < len(kept) < 200
    assert kept == list(rows)[-len(kept) :]
    assert 5 < len(robots._shelf.ready) < 15


def test_a_visit_waits_without_its_slot_while_robots_txt_comes() -> None:
    async def main() -> None:
        told: list[bool] = []

        async def answer(head: bytes, writer: asyncio.StreamWriter) -> None:
            assert told[-1:] == [True]  # else this server says nothing, and the visit fails
            writer.write(OPEN)

        manners = Manners(delay=0.1, factor=0.0)
        async with visiting({"/robots.txt": answer, "/x": PAGE}, manners=manners) as (live, _):
            assert kind_of(await fetch(live, "http://a.test/x", waits=told.append)) == ""
            assert told == [True, False]  # for the file and for the turn behind it, in one go
            await fetch(live, "http://b.test/none", waits=told.append)
            assert told == [True, False] * 2

    asyncio.run(main())


def test_no_robots_txt_is_asked_for_where_none_is_to_be() -> None:
    async def main() -> None:
        async with visiting({"/robots.txt": CLOSED, "/x": PAGE}, robots=False) as (live, site):
            assert kind_of(await fetch(live, "http://a.test/x")) == ""
            assert site.asked == ["a.test/x"]

    asyncio.run(main())
