"""The parts of benchmarks/throughput.py: the site that is crawled, the server, the measuring, the table."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from wolfspider.core.model import Capture
from wolfspider.core.topic import Topic
from wolfspider.web.page.urls import canonical
from wolfspider.web.warc.reader import read, scan
from wolfspider.web.warc.writer import response
from wolfspider.web.worlds.recorded import Recorded
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.synthetic.saving import write

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
HTML = {"content-type": "text/html"}


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def module(name: str) -> Any:
    return importlib.import_module(name)


def recorded(folder: Path, pages: dict[str, str]) -> Recorded:
    folder.mkdir()
    with (folder / "web.warc.gz").open("wb") as file:
        for url, body in pages.items():
            file.write(response(Capture(url, 1e9, 200, tuple(HTML.items()), body.encode())))
    return Recorded(folder, folder / "cache")


def links(site: Any, path: str) -> list[str]:
    """Addresses on the server that a page of the site links to, as paths."""
    body = (site.folder / module("closed_site").file_of(path)).read_bytes()
    found = (canonical(node.attributes["href"] or "", f"http://server.test{path}") for node in body_links(body))
    return [url.removeprefix("http://server.test") for url in found if url and url.startswith("http://server.test/")]


def body_links(body: bytes) -> list[Any]:
    return LexborHTMLParser(body).css("a[href], area[href]")


def test_every_link_of_a_closed_site_leads_to_a_page_of_it_and_all_are_reached(tmp_path: Path) -> None:
    write(Synthetic.parse("synthetic:pages=1000,seed=3"), tmp_path / "web", 300)
    closed, web = module("closed_site"), Recorded(tmp_path / "web", tmp_path / "cache")
    site = closed.written(web, tmp_path / "site", 40, closed.seeds_of(web))
    reached, waiting = set(site.seeds), list(site.seeds)
    while waiting:
        fresh = set(links(site, waiting.pop())) - reached
        reached |= fresh
        waiting += fresh
    assert len(site.paths) == 40
    assert reached == set(site.paths)


def test_a_page_is_changed_only_where_its_links_would_go_astray(tmp_path: Path) -> None:
    closed = module("closed_site")
    body = (
        '<title>One</title><a href="two.html">as it is</a><a href="/two.html#end">from the root</a>'
        "<a href=http://b.test/>other host</a><A HREF='gone.html?a=1&amp;b=2'>not there</A>"
        '<a href="http://127.0.0.1:5000/">this machine</a><a href="mailto:me@a.test">mail</a>'
    )
    web = recorded(
        tmp_path / "web",
        {"http://a.test/one.html": body, "http://a.test/two.html": "<p>Two", "http://b.test/": "<p>Three"},
    )
    pages = closed.chosen(web, ("http://a.test/one.html",), 10)
    mended = closed.Mender(web, pages).body(pages["http://a.test/one.html"].fetch).decode()
    assert [node.attributes["href"] for node in body_links(mended.encode())] == [
        "two.html",
        "/a.test/two.html#end",
        "/b.test/",
        "http://a.test/gone.html?a=1&b=2",
        "http://localhost.invalid/",
        "mailto:me@a.test",
    ]
    assert mended.startswith('<title>One</title><a href="two.html">as it is</a>')


def test_pages_are_taken_from_each_host_in_turn(tmp_path: Path) -> None:
    hosts = {f"http://{name}.test/{n}.html": f"<p>{name} {n}" for name in "ab" for n in range(9)}
    start = "<p>Start" + "".join(f'<a href="{url}">x</a>' for url in hosts)
    web = recorded(tmp_path / "web", {"http://s.test/": start, **hosts})
    pages = module("closed_site").chosen(web, ("http://s.test/",), 7)
    assert sorted(url[7] for url in pages) == ["a", "a", "a", "b", "b", "b", "s"]


def test_pages_with_frames_queries_or_directives_for_robots_are_left_out(tmp_path: Path) -> None:
    others = {
        "http://a.test/framed.html": "<iframe src=x.html></iframe>",
        "http://a.test/asked.html?x=1": "<p>Asked",
        "http://a.test/closed.html": "<meta name=robots content=nofollow><p>Closed",
        "http://a.test/fine.html": "<p>Fine",
    }
    start = "<p>Start" + "".join(f'<a href="{url}">x</a>' for url in others)
    web = recorded(tmp_path / "web", {"http://a.test/": start, **others})
    pages = module("closed_site").chosen(web, ("http://a.test/",), 10)
    assert set(pages) == {"http://a.test/", "http://a.test/fine.html"}


def got(address: str, path: str) -> bytes:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("by_nginx", [False, True])
def test_what_the_server_gave_out_is_counted(tmp_path: Path, by_nginx: bool) -> None:
    side, closed = module("side_by_side"), module("closed_site")
    nginx = side.find_nginx() if by_nginx else None
    if by_nginx and nginx is None:
        pytest.skip("nginx is not installed")
    site = tmp_path / "site"
    (site / "a.test").mkdir(parents=True)
    (site / "a.test" / "index.html").write_text("<p>Root")
    (site / "a.test" / "two.html").write_text("<p>Two")
    core = min(os.sched_getaffinity(0))
    paths = ("/a.test/", "/a.test/two.html")
    with side.served(site, tmp_path, core, nginx) as server:
        answers = [got(server.address, path) for path in (*paths, *paths, "/a.test/gone.html")]
        counted = module("throughput").asked(server.log, closed.Site(site, paths[:1], paths, 0, 0, 0, Topic()))
    assert [answer.split(b" ", 2)[1] for answer in answers] == [b"200"] * 4 + [b"404"]
    assert answers[0].endswith(b"<p>Root")
    assert counted == (2, 5)
    with pytest.raises(ConnectionError):  # refused, or reset by what is just ending
        got(server.address, "/")


def test_a_command_is_measured_with_its_children() -> None:
    side = module("side_by_side")
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}]); print('done')"
    result = side.measured([sys.executable, "-c", parent], tuple(os.sched_getaffinity(0)))
    assert result.output == "done\n"
    assert result.cpu >= 0.2
    assert result.memory > 1e6


def test_a_command_that_fails_says_what_it_said() -> None:
    side = module("side_by_side")
    with pytest.raises(side.Failed, match="exit code 3: too bad"):
        side.measured([sys.executable, "-c", "print('too bad'); exit(3)"], tuple(os.sched_getaffinity(0)))


def run(name: str, pages: int, requests: int, cpu: float = 12.0) -> Any:
    return module("throughput").Run(name, 1, pages, requests, 10.0, cpu, 50_000_000)


def test_a_crawler_that_missed_a_page_or_asked_twice_is_not_compared() -> None:
    throughput = module("throughput")
    site = module("closed_site").Site(Path(), ("/a",), ("/a", "/b"), 0, 0, 0, Topic())
    runs = [throughput.checked(each, site) for each in (run("x", 2, 2), run("y", 1, 1), run("z", 2, 3))]
    assert [each.error for each in runs] == ["", "1 of 2 pages by 1 requests", "2 of 2 pages by 3 requests"]
    lines = throughput.table(["x", "y", "z"], runs, {"x": 0.5}, 2).splitlines()
    assert lines[2] == "| x | 0 | 6,000.00 | 250.00 | 50 |"
    assert "not compared" in lines[3] and "not compared" in lines[4]


def test_the_last_line_names_the_medians() -> None:
    throughput = module("throughput")
    runs = [run("scrapy", 1000, 1000, cpu) for cpu in (30.0, 32.0, 40.0)] + [run("scrapy_tuned", 1000, 1000, 6.0)]
    assert throughput.last_line(runs) == "cpu_ms_per_page wolfspider=none scrapy=32.00 scrapy_tuned=6.00"


def test_another_checkout_is_compared_round_by_round() -> None:
    throughput = module("throughput")
    costs = {"wolfspider": (2.0, 6.0, 4.5), "old": (4.0, 6.0, 5.0)}
    runs = [
        throughput.Run(name, number, 1000, 1000, 10.0, cpu, 1)
        for name, own in costs.items()
        for number, cpu in enumerate(own, 1)
    ]
    assert throughput.against(runs, "old") == "wolfspider/old=0.900 (0.500 to 1.000)"
    assert throughput.against(runs, "gone") == "wolfspider/gone=none"


def test_what_the_others_keep_can_be_read_again(tmp_path: Path) -> None:
    keeper = module("rivals.keeping").Keeper(tmp_path, "chess, openings")
    score = keeper.keep("http://a.test/x", 200, HTML.items(), b"<p>Chess", "T", "Chess chess", ["http://a.test/y"])
    keeper.close()
    assert 0 < score < 1
    [entry] = scan(tmp_path / "pages.warc.gz", [])
    kept = read(tmp_path / "pages.warc.gz", entry.offset, entry.length)
    assert kept and (entry.url, kept.status, kept.body) == ("http://a.test/x", 200, b"<p>Chess")
    with closing(sqlite3.connect(tmp_path / "pages.db")) as database:
        assert database.execute("SELECT url, words, score, offset FROM pages").fetchall() == [
            ("http://a.test/x", 2, score, entry.offset)
        ]
        assert database.execute("SELECT url FROM found").fetchall() == [("http://a.test/y",)]


def test_the_versions_of_the_others_are_pinned() -> None:
    lines = (BENCHMARKS / "requirements-rivals.txt").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    assert wanted and all("==" in line for line in wanted)


@pytest.mark.parametrize("variant", ["full", "bare"])
def test_wolfspider_fetches_every_page_of_the_site_once(tmp_path: Path, variant: str) -> None:
    side, closed, throughput = module("side_by_side"), module("closed_site"), module("throughput")
    pages = {f"http://a.test/{n}.html": f"<title>{n}</title><p>Page {n}" for n in range(40)}
    start = "<title>Start</title><p>Start" + "".join(f'<a href="{url}">page</a>' for url in pages)
    web = recorded(tmp_path / "web", {"http://a.test/": start, **pages})
    site = closed.written(web, tmp_path / "site", 100, ("http://a.test/",))
    cores = tuple(sorted(os.sched_getaffinity(0)))
    with side.served(site.folder, tmp_path, cores[0], None) as server:
        ground = throughput.Ground(site, server, Path(sys.executable), tmp_path, cores, cores)
        crawler = throughput.Crawler(variant, "", throughput.wolfspider(variant))
        run = throughput.checked(throughput.crawl_once(crawler, ground, 1, site.seeds), site)
    assert run.error == ""
    assert (run.pages, run.requests) == (41, 41)


@pytest.mark.parametrize("variant", ["full", "bare"])
def test_wolfspider_asks_one_host_for_many_pages_at_once(tmp_path: Path, variant: str) -> None:
    asyncio.run(_crawl_a_server_that_waits(tmp_path, variant))


async def _crawl_a_server_that_waits(folder: Path, variant: str) -> None:
    """It holds its answers back until as many requests are there as may be out at once."""
    slots, waiting, enough = 8, set[asyncio.Task[Any]](), asyncio.Event()
    links = "".join(f'<a href="/{number}.html">page</a>' for number in range(2 * slots))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        while (line := await reader.readline()) and (path := line.split()[1]):
            while await reader.readline() != b"\r\n":
                pass
            if path.endswith(b".html"):
                waiting.add(task)
                if len(waiting) == slots:
                    enough.set()
                await enough.wait()
            body = f"<title>page</title><p>page {path.decode()} {links}".encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        seed = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        program = [BENCHMARKS / "wolfspider_once.py", variant, str(2 * slots), str(slots), folder, "page", seed]
        crawl = await asyncio.create_subprocess_exec(sys.executable, *program, stdout=asyncio.subprocess.PIPE)
        try:
            out, _ = await asyncio.wait_for(crawl.communicate(), 60)
        finally:
            if crawl.returncode is None:
                crawl.kill()
    assert json.loads(out)["downloads"] == 2 * slots and enough.is_set()


def test_a_checkout_beside_this_one_runs_its_own_program_and_code(tmp_path: Path) -> None:
    throughput = module("throughput")
    (tmp_path / "old" / "src").mkdir(parents=True)
    crawler = throughput.checkout(tmp_path / "old")
    site = module("closed_site").Site(tmp_path, ("/",), ("/",), 0, 0, 0, Topic(("wolf",)))
    server = module("side_by_side").Server("nginx", "http://127.0.0.1:1", tmp_path / "log")
    ground = throughput.Ground(site, server, tmp_path, tmp_path, (0,), (0,))
    assert str(tmp_path / "old/benchmarks/wolfspider_once.py") in crawler.command(ground, ("/",), tmp_path)
    assert (crawler.name, crawler.source) == ("old", tmp_path / "old/src")


def test_the_cost_of_a_page_is_told_for_each_tenth_of_a_crawl_without_starts() -> None:
    soak = module("soak")
    seen = [(0, 0, 5.0), (1, 0, 6.0), (50, 0, 7.0), (50, 1, 3.0), (90, 1, 4.0), (100, 1, 5.0)]
    samples = [soak.Sample(pages, session, cpu, *[0.0] * 7) for pages, session, cpu in seen]
    tenths = soak.costs(samples, 100)
    assert [round(cost, 1) for cost in tenths] == [20.4, 0, 0, 0, 0, 25.0, 0, 0, 0, 100.0]
