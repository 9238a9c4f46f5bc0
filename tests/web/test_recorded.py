"""A recorded web answers like its servers did; and every lie a WARC can tell is survived."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import random
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.errors import BadInput
from wolfspider.core.model import Failure, Fetch
from wolfspider.web.page import page_cache as cache
from wolfspider.web.warc import reader
from wolfspider.web.worlds import page_index as indexes
from wolfspider.web.worlds import recorded
from wolfspider.web.worlds.recorded import Recorded

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DAY = 86_400.0
MONDAY = 1_546_819_200.0  # 2019-01-07T00:00:00Z
NOW = MONDAY + 30 * DAY


def date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def http(body: bytes = b"", status: str = "200 OK", kind: str = "text/html; charset=utf-8", **headers: str) -> bytes:
    named = {"Content-Type": kind} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items() if value)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def record(
    url: str, block: bytes, at: float = MONDAY, kind: str = "response", length: object = None, **more: str
) -> bytes:
    fields = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": date(at),
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block) if length is None else length),
    } | {name.replace("_", "-"): value for name, value in more.items()}
    head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + block + b"\r\n\r\n"


def page(words: str, links: Iterable[str] = ()) -> bytes:
    anchors = "".join(f'<p>some words before <a href="{link}">a link</a> and some after it</p>' for link in links)
    return f"<html><head><title>{words}</title></head><body><p>{words}</p>{anchors}</body></html>".encode()


def moved(location: str) -> bytes:
    return http(status="301 Moved Permanently", Location=location)


def packed(records: Iterable[bytes]) -> bytes:
    return b"".join(gzip.compress(each, 1) for each in records)


Make = Callable[..., Recorded]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(*records: bytes, name: str = "web.warc.gz", raw: bytes | None = None) -> Recorded:
        folder = tmp_path / "web"
        folder.mkdir(exist_ok=True)
        data = raw if raw is not None else b"".join(records) if name.endswith(".warc") else packed(records)
        (folder / name).write_bytes(data)
        return Recorded(folder, tmp_path / "cache")

    return made


def words_of(fetch: Fetch) -> str:
    assert fetch.page is not None, fetch.failure
    return " ".join(fetch.page.words)


@pytest.mark.parametrize("name", ["web.warc.gz", "web.warc"])
def test_a_page_is_answered_parsed_with_its_time_and_cost(make: Make, name: str) -> None:
    body = page("hunting spiders do not spin webs", ["/next.html"])
    web = make(record("http://a.example/", http(body)), name=name)
    fetch = web.look("http://a.example/", NOW)
    assert (fetch.url, fetch.final_url, fetch.status, fetch.hops) == ("http://a.example/", "http://a.example/", 200, ())
    assert fetch.seconds == pytest.approx(0.3 + len(body) / 1e6)
    assert fetch.page is not None
    assert (fetch.at, fetch.page.at, fetch.page.size) == (NOW, NOW, len(body))
    assert "hunting spiders do not spin webs some words before a link and some" in words_of(fetch)
    assert [link.url for link in fetch.page.links] == ["http://a.example/next.html"]
    assert web.body("http://a.example/", NOW) == body
    assert (web.name, web.start, web.first) == ("web", MONDAY, MONDAY)


def test_the_newest_version_that_is_there_answers(make: Make) -> None:
    url = "http://news.example/"
    days = [record(url, http(page(f"news of day {day}")), MONDAY + day * DAY) for day in (2, 0, 1)]
    web = make(*days, record("http://news.example/late", http(page("late")), MONDAY + 5 * DAY))
    for day in range(3):
        assert f"day {day}" in words_of(web.look(url, MONDAY + day * DAY))
        assert f"day {day}" in words_of(web.look(url, MONDAY + day * DAY + 3600))
    assert "day 2" in words_of(web.look(url, NOW))
    early = web.look(url, MONDAY - 1)
    assert (early.status, early.failure) == (404, Failure("status", "404"))
    assert (web.first, web.start) == (MONDAY, MONDAY + 5 * DAY)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12), st.lists(st.integers(-1, 1001), max_size=12))
def test_versions_follow_their_rule_for_any_dates(dates: list[int], looks: list[int]) -> None:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "v.warc"
        path.write_bytes(b"".join(record("http://a.example/", http(page(f"v{d}")), MONDAY + d) for d in dates))
        web = Recorded(path, Path(where) / "cache")
        for now in looks:
            there = [d for d in dates if d <= now]
            fetch = web.look("http://a.example/", MONDAY + now)
            assert (fetch.page.title if fetch.page else None) == (f"v{max(there)}" if there else None)


def test_it_says_when_a_page_changes(make: Make) -> None:
    url = "http://news.example/"
    blocks = ["one", "two", "two", None, "two", "three"]
    versions = [http(page(words)) if words else http(status="503 Busy") for words in blocks]
    web = make(
        *(record(url, block, MONDAY + day * DAY) for day, block in enumerate(versions)),
        record("http://news.example/old", moved(url), MONDAY),
    )
    for asked in (url, "https://news.example/", "http://news.example/old"):
        assert web.changed(asked, MONDAY, NOW) == MONDAY + DAY
        assert web.changed(asked, MONDAY + DAY, NOW) == MONDAY + 5 * DAY  # the same again, and a failure, are no change
        assert web.changed(asked, MONDAY + DAY, MONDAY + 4 * DAY) is None
        assert web.changed(asked, MONDAY + 5 * DAY, NOW) is None
    assert web.changed(url, MONDAY - 1, NOW) == MONDAY  # it appears
    assert web.changed("http://news.example/nothing", MONDAY, NOW) is None


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 2)), min_size=1, max_size=8), st.integers(-1, 51))
def test_a_page_changes_when_another_look_at_it_shows_so(versions: list[tuple[int, int]], since: int) -> None:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "v.warc"
        dated = dict(versions).items()
        path.write_bytes(b"".join(record("http://a.example/", http(page(f"v{v}")), MONDAY + d) for d, v in dated))
        web = Recorded(path, Path(where) / "cache")
        shown = [web.look("http://a.example/", MONDAY + now).page for now in range(-1, 53)]
        titles = [look.title if look else None for look in shown]
        later = [now for now in range(since + 1, 52) if titles[now + 1] != titles[since + 1]]
        expected = MONDAY + later[0] if later else None
        assert web.changed("http://a.example/", MONDAY + since, MONDAY + 60) == expected


def test_what_is_not_stored_is_a_404(make: Make) -> None:
    web = make(record("http://a.example/", http(page("here"))))
    for url in ("http://a.example/other", "http://b.example/", "leap:mathematics", "not an address", ""):
        fetch = web.look(url, NOW)
        assert (fetch.status, fetch.failure, fetch.page) == (404, Failure("status", "404"), None)
        assert fetch.seconds == pytest.approx(0.3)
    assert web.owns("a.example")
    assert not web.owns("b.example")


def test_http_and_https_and_other_spellings_answer_alike(make: Make) -> None:
    web = make(record("https://A.example:443/x/../y?b=1&a=2#part", http(page("here", ["http://a.example/y?a=2&b=1"]))))
    stored = "https://a.example/y?a=2&b=1"
    for url in (stored, "http://a.example/y?a=2&b=1", "http://A.EXAMPLE/y?b=1&a=2"):
        fetch = web.look(url, NOW)
        assert (fetch.url, fetch.final_url) == (url, stored)
        assert fetch.page is not None
        assert (fetch.page.url, fetch.page.final_url) == (url, stored)
        assert [link.url for link in fetch.page.links] == [stored]
        assert web.address(url) == stored


def test_links_of_this_web_are_written_as_it_stores_them(make: Make) -> None:
    links = [
        "https://plain.example/b",
        "https://plain.example/dead",
        "http://safe.example/dead",
        "https://far.example/",
    ]
    mixed = ["http://mixed.example/s", "https://mixed.example/p", "https://mixed.example/dead"]
    web = make(
        record("http://plain.example/", http(page("start", links + mixed))),
        record("http://plain.example/b", http(page("b"))),
        record("https://safe.example/", http(page("safe"))),
        record("https://mixed.example/s", http(page("s"))),
        record("http://mixed.example/p", http(page("p"))),
    )
    fetch = web.look("http://plain.example/", NOW)
    assert fetch.page is not None
    assert [link.url for link in fetch.page.links] == [
        "http://plain.example/b",
        "http://plain.example/dead",
        "https://safe.example/dead",
        "https://far.example/",
        "https://mixed.example/s",
        "http://mixed.example/p",
        "http://mixed.example/dead",
    ]
    assert [web.address(link) for link in links + mixed] == [link.url for link in fetch.page.links]


def test_redirects_are_followed_inside_this_web(make: Make) -> None:
    body = page("the end of the way")
    web = make(
        record("http://a.example/1", moved("/2")),
        record("http://a.example/2", moved("https://b.example/3")),
        record("http://b.example/3", http(body)),
        record("http://a.example/out", moved("http://nowhere.example/")),
        record("http://a.example/none", http(status="301 Moved Permanently", kind="")),
    )
    fetch = web.look("http://a.example/1", NOW)
    assert (fetch.url, fetch.final_url) == ("http://a.example/1", "http://b.example/3")
    assert fetch.hops == ("http://a.example/1", "http://a.example/2")
    assert fetch.seconds == pytest.approx(0.9 + len(body) / 1e6)
    assert fetch.page is not None
    assert (fetch.page.url, fetch.page.final_url) == ("http://a.example/1", "http://b.example/3")
    assert web.body("http://a.example/1", NOW) == body
    assert web.record("http://a.example/1", NOW).status == 301
    lost = web.look("http://a.example/out", NOW)
    assert (lost.status, lost.final_url, lost.hops) == (404, "http://nowhere.example/", ("http://a.example/out",))
    assert lost.seconds == pytest.approx(0.6)
    aimless = web.look("http://a.example/none", NOW)
    assert aimless.failure is not None
    assert aimless.status == 301


def test_redirects_that_never_end_are_a_failure(make: Make) -> None:
    chain = [record(f"http://a.example/{n}", moved(f"/{n + 1}")) for n in range(12)]
    web = make(
        record("http://a.example/self", moved("/self")),
        record("http://a.example/x", moved("/y")),
        record("http://a.example/y", moved("/x")),
        *chain,
        record("http://a.example/12", http(page("the end"))),
    )
    for url in ("http://a.example/self", "http://a.example/x", "http://a.example/0", "http://a.example/1"):
        failure = web.look(url, NOW).failure
        assert failure is not None, url
        assert failure.kind == "redirect"
    assert "the end" in words_of(web.look("http://a.example/2", NOW))  # exactly ten hops


@pytest.mark.parametrize("later", [-5, 0, 5])
def test_a_redirect_to_the_other_scheme_does_not_hide_the_page(make: Make, later: int) -> None:
    origin = {"WARC_Refers_To_Target_URI": "https://a.example/x", "WARC_Refers_To_Date": date(MONDAY)}
    web = make(
        record("https://a.example/x", http(page("here"))),
        record("http://a.example/x", moved("https://a.example/x"), MONDAY + later),
        record("https://a.example/x", b"", MONDAY + DAY, "revisit", **origin),
        record("http://a.example/x", moved("https://a.example/x"), MONDAY + DAY + later, "revisit", **origin),
    )
    for now in (MONDAY + 10, NOW):
        for url in ("https://a.example/x", "http://a.example/x"):
            fetch = web.look(url, now)
            assert (fetch.final_url, fetch.hops) == ("https://a.example/x", ())
            assert "here" in words_of(fetch)
        assert list(web.graph(now).urls) == ["https://a.example/x"]


def test_an_address_that_only_leads_to_itself_stays_a_failure(make: Make) -> None:
    loops = [record("http://a.example/x", moved("https://a.example/x"), MONDAY + day * DAY) for day in range(2)]
    failure = make(*loops).look("http://a.example/x", NOW).failure
    assert failure is not None
    assert failure.kind == "redirect"


def test_errors_and_files_fail_as_on_the_network(make: Make) -> None:
    web = make(
        record("http://a.example/gone", http(page("gone"), "410 Gone")),
        record("http://a.example/paper", http(b"PK\x03\x04 ...", kind="application/zip")),
        record("http://a.example/odd", http(page("odd"), Content_Encoding="br")),
    )
    for _ in range(2):  # the second time from the cache
        gone, paper, odd = (web.look(f"http://a.example/{name}", NOW) for name in ("gone", "paper", "odd"))
        assert (gone.status, gone.failure and gone.failure.kind) == (410, "status")
        assert (paper.status, paper.failure and paper.failure.kind) == (200, "type")
        assert paper.headers["content-type"] == "application/zip"
        assert (odd.status, odd.failure and odd.failure.kind) == (200, "encoding")


def test_encodings_are_undone(make: Make) -> None:
    plain = page("words that were packed")
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    chunks = (
        b"5;x=y\r\n" + plain[:5] + b"\r\n" + f"{len(plain) - 5:x}".encode() + b"\r\n" + plain[5:] + b"\r\n0\r\n\r\n"
    )
    bodies = {
        "gzip": http(gzip.compress(plain), Content_Encoding="gzip"),
        "deflate": http(zlib.compress(plain), Content_Encoding="deflate"),
        "raw": http(raw.compress(plain) + raw.flush(), Content_Encoding="deflate"),
        "twice": http(gzip.compress(gzip.compress(plain)), Content_Encoding="gzip, gzip"),
        "brotli": http(brotli.compress(plain), Content_Encoding="br"),
        "zstd": http(zstd.compress(plain), Content_Encoding="zstd"),
        "unpacked": http(plain, Content_Encoding="zstd"),
        "chunked": http(chunks, Transfer_Encoding="chunked"),
        "both": http(
            b"%x\r\n" % len(z := gzip.compress(plain)) + z + b"\r\n0\r\n\r\n",
            Transfer_Encoding="chunked",
            Content_Encoding="gzip",
        ),
        "undone": http(plain, Transfer_Encoding="chunked", Content_Encoding="gzip"),
    }
    web = make(*(record(f"http://a.example/{name}", block) for name, block in bodies.items()))
    for name in bodies:
        assert web.body(f"http://a.example/{name}", NOW) == plain, name
        assert "words that were packed" in words_of(web.look(f"http://a.example/{name}", NOW)), name


def test_a_revisit_repeats_an_earlier_answer(make: Make) -> None:
    first = record("http://a.example/", http(page("first")), WARC_Payload_Digest="sha1:AAAA")
    second = record("http://a.example/", http(page("second")), MONDAY + DAY, WARC_Payload_Digest="sha1:BBBB")
    head = http(status="200 OK")
    by_date = {"WARC_Refers_To_Target_URI": "https://a.example/", "WARC_Refers_To_Date": date(MONDAY)}
    web = make(
        record("http://a.example/", head, MONDAY + 3 * DAY, "revisit", WARC_Payload_Digest="sha1:BBBB"),
        record("http://a.example/", b"", MONDAY + 2 * DAY, "revisit", **by_date),
        record("http://a.example/lost", head, MONDAY, "revisit", WARC_Payload_Digest="sha1:CCCC"),
        first,
        second,
    )
    seen = [words_of(web.look("http://a.example/", MONDAY + day * DAY)) for day in range(4)]
    assert [text.split()[0] for text in seen] == ["first", "second", "first", "second"]
    assert web.look("http://a.example/lost", NOW).status == 404
    assert any("revisit" in warning for warning in web.warnings)


NOTHING = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"  # the digest of no bytes


@pytest.mark.parametrize("refers", [True, False])
@pytest.mark.parametrize("digest", [NOTHING, "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha1:SAMEPAGE"])
def test_a_revisit_of_a_redirect_leads_where_it_says(make: Make, digest: str, refers: bool) -> None:
    origin = {"WARC_Refers_To_Target_URI": "http://a.example/a", "WARC_Refers_To_Date": date(MONDAY)}
    more = {"WARC_Payload_Digest": digest} | (origin if refers else {})
    web = make(
        record("http://a.example/a", moved("/A"), WARC_Payload_Digest=digest),
        record("http://a.example/b", moved("/B"), MONDAY + 1, "revisit", **more),
        record("http://a.example/A", http(page("large a"))),
        record("http://a.example/B", http(page("large b"))),
    )
    assert web.look("http://a.example/a", NOW).final_url == "http://a.example/A"
    assert web.look("http://a.example/b", NOW).final_url == "http://a.example/B"
    assert web.record("http://a.example/b", NOW).headers["location"] == "/B"
    assert web.warnings == []


def test_a_revisit_that_was_not_modified_repeats_the_redirect(make: Make) -> None:
    origin = {"WARC_Refers_To_Target_URI": "http://a.example/a", "WARC_Refers_To_Date": date(MONDAY)}
    unchanged = http(status="304 Not Modified")
    web = make(
        record("http://a.example/a", moved("/A"), WARC_Payload_Digest=NOTHING),
        record("http://a.example/a", unchanged, MONDAY + DAY, "revisit", WARC_Payload_Digest=NOTHING, **origin),
        record("http://a.example/b", unchanged, MONDAY + DAY, "revisit", WARC_Payload_Digest=NOTHING),
        record("http://a.example/A", http(page("large a"))),
    )
    assert web.look("http://a.example/a", NOW).final_url == "http://a.example/A"
    assert web.look("http://a.example/b", NOW).status == 404
    assert any("revisit" in warning for warning in web.warnings)


def test_a_revisit_keeps_its_own_status(make: Make) -> None:
    body, same = page("the same words"), {"WARC_Payload_Digest": "sha1:AAAA"}
    web = make(
        record("http://a.example/", http(body), **same),
        record("http://a.example/gone", http(status="404 Not Found"), MONDAY + 1, "revisit", **same),
        record("http://a.example/empty", http(), MONDAY, WARC_Payload_Digest=NOTHING),
        record("http://a.example/void", http(status="410 Gone"), MONDAY, "revisit", WARC_Payload_Digest=NOTHING),
    )
    assert web.look("http://a.example/", NOW).status == 200
    gone = web.look("http://a.example/gone", NOW)
    assert (gone.status, gone.failure and gone.failure.kind) == (404, "status")
    assert (web.record("http://a.example/gone", NOW).status, web.body("http://a.example/gone", NOW)) == (404, body)
    assert web.look("http://a.example/void", NOW).status == 410


def test_other_records_are_ignored(make: Make) -> None:
    good = record("http://a.example/", http(page("here")))
    others = [
        record("http://a.example/", b"GET / HTTP/1.1\r\n\r\n", NOW, kind)
        for kind in ("request", "metadata", "resource")
    ]
    info = record("http://a.example/", b"software: x\r\n", MONDAY - DAY, "warcinfo")
    dns = record("dns:a.example", b"20190107 a.example. 1 IN A 1.2.3.4")
    web = make(info, dns, *others, good)
    assert "here" in words_of(web.look("http://a.example/", NOW))
    assert (web.start, len(web), web.warnings) == (MONDAY, 1, [])


GERMAN = "Die Wolfspinne jagt über größere Entfernungen und webt kein Netz"
RUSSIAN = "Паук-волк охотится без паутины и бегает очень быстро по траве"
JAPANESE = "コモリグモは網を張らずに獲物を追いかける"


@pytest.mark.parametrize(
    ("text", "charset", "some"),
    [
        (GERMAN, "iso-8859-1", "grössere"),
        (GERMAN, "utf-8", "über"),
        (RUSSIAN, "windows-1251", "охотится"),
        (RUSSIAN, "koi8-r", "паутины"),
        (JAPANESE, "shift_jis", "獲物"),
        (JAPANESE, "euc-jp", "獲物"),
    ],
)
def test_pages_in_every_language_come_through(make: Make, text: str, charset: str, some: str) -> None:
    html = f"<html><head><title>{text}</title></head><body><p>{text}</p><a href='/äöü'>{text}</a></body></html>"
    web = make(
        record(
            "http://a.example/", http(html.encode(charset, "xmlcharrefreplace"), kind=f"text/html; charset={charset}")
        )
    )
    cold = web.look("http://a.example/", NOW)
    warm = web.look("http://a.example/", NOW)
    assert cold == warm
    assert cold.page is not None
    assert some in cold.page.words
    assert cold.page.title == text
    assert cold.page.links[0].anchor == text


# Lies


def test_a_file_cut_in_the_middle_gives_what_is_whole(make: Make) -> None:
    records = [
        record(f"http://a.example/{n}", http(page(f"page {n} " + random.Random(n).randbytes(200).hex())))
        for n in range(10)
    ]
    for name, whole in (("web.warc.gz", packed(records)), ("web.warc", b"".join(records))):
        web = make(name=name, raw=whole[: len(whole) - len(whole) // 20])
        assert len(web) == 9
        assert "page 8" in words_of(web.look("http://a.example/8", NOW))
        assert web.look("http://a.example/9", NOW).status == 404
        assert len(web.warnings) == 1
        assert "cut or damaged" in web.warnings[0]
        (web.path / name).unlink()


def test_damage_in_the_middle_costs_one_record(make: Make) -> None:
    members = [gzip.compress(record(f"http://a.example/{n}", http(page(f"page {n}")))) for n in range(5)]
    wrong_checksum = members[2][:-8] + b"\0\0\0\0" + members[2][-4:]
    wrong_length = members[2][:-4] + b"\xff\xff\xff\x7f"
    garbage = members[2][:40] + random.Random(1).randbytes(len(members[2]) - 40)
    not_even = b"this is no gzip at all, and quite long" * 3
    for lie in (wrong_checksum, wrong_length, garbage, not_even):
        web = make(raw=b"".join([*members[:2], lie, *members[3:]]))
        assert [web.look(f"http://a.example/{n}", NOW).status for n in range(5)] == [200, 200, 404, 200, 200]
        assert len(web.warnings) == 1
        assert "damaged" in web.warnings[0]


@pytest.mark.parametrize("length", [10**17, "9" * 400, "-5", "many", ""])
def test_an_absurd_content_length_is_survived(make: Make, length: object) -> None:
    lie = record("http://a.example/lie", http(page("a lie")), length=length)
    truth = [record(f"http://a.example/{n}", http(page(f"page {n}"))) for n in range(2)]
    for name in ("web.warc", "web.warc.gz"):
        web = make(truth[0], lie, truth[1], name=name)
        assert [web.look(f"http://a.example/{n}", NOW).status for n in range(2)] == [200, 200]
        assert web.look("http://a.example/lie", NOW).status in (200, 404)
        (web.path / name).unlink()


def test_bombs_are_cut(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LARGEST_BODY", 100_000)
    start = page("a page that grows")[:-14] + b"<p>"
    inner = gzip.compress(start + b"word " * 2_000_000)
    web = make(
        record("http://a.example/inner", http(inner, Content_Encoding="gzip")),
        record("http://a.example/outer", http(start + b"word " * 2_000_000)),
        record("http://a.example/heads", http(page("heads"), X_Bomb="y" * 200_000)),
        record("http://a.example/warc", http(page("heads")), X_Bomb="y" * 200_000),
        record("http://a.example/many", http(page("many"), **{f"X_{n}": "y" for n in range(2000)})),
    )
    for name in ("inner", "outer"):
        fetch = web.look(f"http://a.example/{name}", NOW)
        assert len(web.body(f"http://a.example/{name}", NOW)) <= 100_000
        assert fetch.page is not None
        assert fetch.page.truncated
        assert "a page that grows" in words_of(fetch)
    for name in ("heads", "warc"):
        assert web.look(f"http://a.example/{name}", NOW).status == 404
    assert len(web.look("http://a.example/many", NOW).headers) <= 256
    assert len(web.warnings) == 2


def test_a_member_that_never_ends_is_left_behind(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_LARGEST_RECORD", 1 << 21)
    bomb = record("http://a.example/bomb", http(page("bomb") + b" " * (1 << 24)))
    web = make(bomb, record("http://a.example/", http(page("after the bomb"))))
    assert "after the bomb" in words_of(web.look("http://a.example/", NOW))


@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_bytes_are_survived(noise: bytes, place: int, width: int) -> None:
    records = [record(f"http://a.example/{n}", http(page(f"page {n}"))) for n in range(3)]
    with tempfile.TemporaryDirectory() as where:
        for name, whole in (("x.warc.gz", packed(records)), ("x.warc", b"".join(records))):
            path = Path(where) / name
            path.write_bytes(whole[:place] + noise + whole[place + width :])
            try:
                web = Recorded(path, Path(where) / "cache")
            except BadInput:
                continue
            for n in range(3):
                assert web.look(f"http://a.example/{n}", NOW).status in (200, 404)


def test_what_is_no_web_is_said_in_a_sentence(make: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "letter.txt").write_text("Dear reader, this is no archive.")
    (tmp_path / "nothing.warc.gz").write_bytes(b"")
    (tmp_path / "lone.warc.gz").write_bytes(packed([record("http://a.example/", http(page("x")))])[:100])
    together = b"".join(
        record(f"http://a.example/{n}", http(page("x")), kind="warcinfo" if n == 0 else "response") for n in range(9)
    )
    (tmp_path / "together.warc.gz").write_bytes(gzip.compress(together * 9))
    for name, says in (
        ("missing", "no web at"),
        ("empty", "no *.warc.gz or *.warc"),
        ("letter.txt", "No pages can be read"),
        ("nothing.warc.gz", "No pages can be read"),
        ("lone.warc.gz", "cut or damaged"),
        ("together.warc.gz", "share the gzip member"),
    ):
        with pytest.raises(BadInput) as caught:
            Recorded(tmp_path / name, tmp_path / "cache")
        assert says in str(caught.value), name
        assert "Give a folder or file of WARC 1.1" in str(caught.value)


# What is kept


def counted_parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    real = recorded.parse

    def counting(fetch: Fetch) -> Any:
        calls.append(fetch.url)
        return real(fetch)

    monkeypatch.setattr(recorded, "parse", counting)
    return calls


def test_a_page_is_parsed_once_in_all(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted_parses(monkeypatch)
    builds: list[int] = []
    real = recorded.build
    monkeypatch.setattr(recorded, "build", lambda files: builds.append(1) or real(files))
    records = [record(f"http://a.example/{n}", http(page(f"page {n}", ["/0", "/1"]), ETag='"x"')) for n in range(4)]
    records.append(record("http://a.example/4", http(b"", "404 Not Found")))
    web = make(*records)
    first = [web.look(f"http://a.example/{n}", NOW) for n in range(5)]
    again = Recorded(web.path, web.path.parent / "cache")
    second = [again.look(f"http://a.example/{n}", NOW) for n in range(5)]
    assert first == second
    assert len(calls) == 5
    assert builds == [1]
    assert first[0].headers["etag"] == '"x"'
    assert [link for fetch in second if fetch.page for link in fetch.page.links]


def test_a_web_that_changes_is_read_anew(make: Make) -> None:
    web = make(record("http://a.example/", http(page("before"))))
    assert "before" in words_of(web.look("http://a.example/", NOW))
    changed = make(record("http://a.example/", http(page("after!"))))
    assert "after" in words_of(changed.look("http://a.example/", NOW))
    assert web.digest() != changed.digest()


def test_the_digest_is_of_what_the_web_says(make: Make, tmp_path: Path) -> None:
    records = [record(f"http://a.example/{n}", http(page(f"page {n}"))) for n in range(4)]
    web = make(*records)
    moved_web = tmp_path / "elsewhere.warc"
    moved_web.write_bytes(b"".join(reversed(records)))
    other = tmp_path / "other.warc"
    other.write_bytes(b"".join(records).replace(b"page 3", b"page 4"))
    assert Recorded(moved_web, tmp_path / "cache").digest() == web.digest()
    assert Recorded(other, tmp_path / "cache").digest() != web.digest()


def test_an_index_does_not_outlive_the_code_that_made_it(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    web = make(record("http://a.example/", http(page("here"))))
    files = [web.path / "web.warc.gz"]
    name = indexes.stored_name(files)
    assert name == indexes.stored_name(files)
    real = Path.read_bytes
    for maker in ("page_index.py", "reader.py", "urls.py"):
        with monkeypatch.context() as changed:
            changed.setattr(Path, "read_bytes", lambda path, maker=maker: real(path) + b"#" * (path.name == maker))
            assert indexes.stored_name(files) != name
    monkeypatch.setattr(cache, "version", lambda library: "0.0")
    assert indexes.stored_name(files) != name


def test_a_damaged_index_is_made_again(make: Make) -> None:
    web = make(record("http://a.example/", http(page("here"))))
    (index,) = (web.path.parent / "cache").glob("index-*.npz")
    whole = index.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"PK" + whole[2:200], whole.replace(b"hashes", b"hushes")):
        index.write_bytes(damaged)
        again = Recorded(web.path, web.path.parent / "cache")
        assert "here" in words_of(again.look("http://a.example/", NOW))
        assert index.read_bytes() == whole or len(index.read_bytes()) == len(whole)


def test_without_a_place_for_the_cache_it_works_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record("http://a.example/", http(page("here"))))
    (tmp_path / "file").write_text("not a folder")
    web = Recorded(path, tmp_path / "file" / "cache")
    assert "here" in words_of(web.look("http://a.example/", NOW))
    assert web.graph(NOW).n == 1
    assert any("WOLFSPIDER_CACHE" in warning for warning in web.warnings)


def look_at_all(path: Path, cache: Path, n: int) -> list[str]:
    web = Recorded(path, cache)
    return [" ".join(fetch.page.words) for k in range(n) if (fetch := web.look(f"http://a.example/{k}", NOW)).page]


def test_two_processes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed(record(f"http://a.example/{n}", http(page(f"page {n}"))) for n in range(60)))
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        both = pool.starmap(_look_in_child, [(str(path), str(tmp_path / "cache"))] * 2, chunksize=1)
    alone = look_at_all(path, tmp_path / "cache", 60)
    assert both[0] == both[1] == alone
    assert len(alone) == 60


def _look_in_child(path: str, cache: str) -> list[str]:
    return look_at_all(Path(path), Path(cache), 60)


# The graph and the tasks


def test_the_graph_follows_redirects_and_time(make: Make) -> None:
    web = make(
        record(
            "http://a.example/",
            http(page("start", ["/b", "https://a.example/old", "/x.pdf", "/dead", "http://z.example/"])),
        ),
        record("http://a.example/b", http(page("b", ["/", "/late", "/b"]))),
        record("http://a.example/old", moved("/older")),
        record("http://a.example/older", moved("/c")),
        record("http://a.example/c", http(page("c", ["/loop"]))),
        record("http://a.example/loop", moved("/loop")),
        record("http://a.example/x.pdf", http(page("odd but html"))),
        record("http://a.example/image", http(b"GIF89a", kind="image/gif")),
        record("http://a.example/late", http(page("late")), MONDAY + DAY),
    )

    def edges(now: float) -> set[tuple[str, str]]:
        graph = web.graph(now)
        names = [url.rpartition("/")[2] for url in graph.urls]
        return {(names[tail], names[head]) for tail in range(graph.n) for head in graph.out(tail)}

    seen: list[tuple[int, int]] = []
    assert web.graph(MONDAY, lambda done, all_: seen.append((done, all_))).n == 4
    assert seen[-1] == (9, 9)
    assert edges(MONDAY) == {("", "b"), ("", "c"), ("b", "")}
    assert edges(NOW) == {("", "b"), ("", "c"), ("b", ""), ("b", "late")}
    assert web.graph(MONDAY - DAY).n == 0


def test_the_graph_is_computed_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    web = make(record("http://a.example/", http(page("start", ["/b"]))), record("http://a.example/b", http(page("b"))))
    graph = web.graph(NOW)
    monkeypatch.setattr(Recorded, "_skeleton", lambda *_: pytest.fail("computed twice"))
    again = Recorded(web.path, web.path.parent / "cache").graph(NOW + DAY)
    assert (list(again.urls), again.targets.tolist()) == (list(graph.urls), graph.targets.tolist())


def test_tasks_speak_of_addresses_as_this_web_does(make: Make) -> None:
    web = make(record("https://a.example/", http(page("start"))))
    assert web.tasks() == {}
    seeds = {
        "keywords": ["x"],
        "seeds": ["http://a.example"],
        "relevant": ["http://a.example/#top", "http://b.example"],
    }
    (web.path / "topics.json").write_text(json.dumps({"spiders": seeds}))
    task = Recorded(web.path, web.path.parent / "cache").tasks()["spiders"]
    assert task.seeds == ("https://a.example/",)
    assert task.relevant == {"https://a.example/", "http://b.example/"}


def test_one_file_is_a_web_too(tmp_path: Path) -> None:
    path = tmp_path / "some.archive.warc.gz"
    path.write_bytes(packed([record("http://a.example/", http(page("here")))]))
    web = Recorded(path, tmp_path / "cache", latency=2.0)
    assert web.name == "some.archive"
    assert web.look("http://a.example/", NOW).seconds == 2.0
    assert web.look("http://a.example/dead", NOW).seconds == 2.0


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record("http://a.example/", http(page("here"))))
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "mine"))
    Recorded(path)
    assert list((tmp_path / "mine").glob("index-*.npz"))
    monkeypatch.delenv("WOLFSPIDER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    Recorded(path)
    assert list((tmp_path / "xdg" / "wolfspider").glob("index-*.npz"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2019-01-07T00:00:00Z", MONDAY),
        ("2019-01-07T00:00:00.5Z", MONDAY + 0.5),
        ("2019-01-07T00:00:00.123456789Z", MONDAY + 0.123456),
        ("2019-01-07", MONDAY),
        ("2019-01", MONDAY - 6 * DAY),
        ("2019", MONDAY - 6 * DAY),
        ("", None),
        ("yesterday", None),
        ("2019-13-07T00:00:00Z", None),
    ],
)
def test_dates_of_every_precision(text: str, expected: float | None) -> None:
    assert reader.seconds(text) == expected


# The corpora, where they are


def test_every_record_of_a_corpus_opens(corpora: Path, tmp_path: Path) -> None:
    web = Recorded(corpora / "docs-small", tmp_path)
    assert web.warnings == []
    assert len(web) == 666 + 92
    fetches = [web.look(web.url(n), web.start) for n in range(len(web))]
    assert sum(fetch.page is not None for fetch in fetches) >= 0.99 * len(fetches)
    assert sum(len(fetch.hops) > 0 for fetch in fetches) == 92
    tasks = web.tasks()
    assert set(tasks) == {"anarchism", "linux-kernel", "music-notation"}
    for task in tasks.values():
        assert all(web.look(url, web.start).final_url == url for url in [*task.seeds, *task.relevant])


def test_the_versions_of_a_corpus_change_with_time(corpora: Path, tmp_path: Path) -> None:
    web = Recorded(corpora / "news-small", tmp_path)
    front = "http://old.felixonline.co.uk/"
    assert web.first == MONDAY
    days = [web.first + day * DAY for day in range(int((web.start - web.first) / DAY) + 2)]
    digests = [fetch.page.digest for now in days if (fetch := web.look(front, now)).page]
    assert len(digests) == len(days)
    assert 3 <= len(set(digests)) <= len(days)
    there = [sum(web.look(web.url(n), now).status == 200 for n in range(len(web))) for now in (days[0], days[-1])]
    assert there[0] < there[1]
