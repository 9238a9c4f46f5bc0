from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core.model import Failure, Fetch
from wolfspider.web.http.robots import KEPT, LARGEST, LONGEST_DELAY, MOST_SITEMAPS, Robots, Rules, ours

RULES = b"User-agent: wolfspider\nDisallow: /private\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"


class Host:
    """Answers for every robots.txt, and counts how often it was asked."""

    def __init__(self, body: bytes = b"", status: int = 200, failure: Failure | None = None) -> None:
        self.body, self.status, self.failure = body, status, failure
        self.asked: list[str] = []

    def look(self, url: str, now: float) -> Fetch:
        self.asked.append(url)
        return Fetch(url, url, self.status, body=self.body, failure=self.failure)


def allowed(host: Host, url: str = "http://a.test/private/x") -> bool:
    return Robots(host.look).allowed(url, 0.0)


def test_tens_of_thousands_of_names_do_not_hold_a_crawl_up() -> None:
    """In a process of its own with bounded time: the rules of a host are read between two turns of the crawl."""
    code = (
        "from wolfspider.web.http.robots import LARGEST, ours\n"
        "for lead in ('User-agent: ', 'useragent '):\n"
        "    body = ''.join(f'{lead}{n:x}\\n' for n in range(40_000)).encode()[: LARGEST - 50]\n"
        "    assert 'Disallow: /x' in ours(body + b'\\nUser-agent: *\\nDisallow: /x\\n')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    limits = (resource.RLIMIT_CPU, (9, 9))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        preexec_fn=lambda: resource.setrlimit(*limits),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def test_rules_are_those_for_us() -> None:
    robots = Robots(Host(RULES).look)
    assert not robots.allowed("http://a.test/private/x", 0.0)
    assert robots.allowed("https://a.test/public", 0.0)
    assert robots.delay("a.test", 0.0) == 7.0


@pytest.mark.parametrize(
    "body", [b"\xef\xbb\xbf" + RULES, RULES.replace(b"\n", b"\r\n"), b"\xff\xfe nonsense\n" + RULES]
)
def test_marks_and_nonsense_are_passed_over(body: bytes) -> None:
    assert not allowed(Host(body))
    assert allowed(Host(body), "http://a.test/public")


def test_what_is_not_there_allows_everything_and_what_is_in_trouble_nothing() -> None:
    assert allowed(Host(RULES, 404, Failure("status", "404")))
    assert not allowed(Host(b"", 503, Failure("status", "503")), "http://a.test/public")
    assert not allowed(Host(b"", 429, Failure("status", "429")), "http://a.test/public")
    assert not allowed(Host(b"", 0, Failure("timeout")), "http://a.test/public")
    assert allowed(Host(b""))


def test_a_host_is_asked_once_a_day() -> None:
    host = Host(RULES)
    robots = Robots(host.look)
    for now in (0.0, 5.0, KEPT - 1):
        robots.allowed("http://a.test/1", now)
    robots.allowed("http://b.test/1", KEPT - 1)
    assert host.asked == ["http://a.test/robots.txt", "http://b.test/robots.txt"]
    robots.allowed("http://a.test/1", KEPT)
    assert len(host.asked) == 3


def test_long_files_are_cut_and_long_delays_shortened() -> None:
    late = b"#" * LARGEST + b"\nUser-agent: *\nDisallow: /\n"
    assert allowed(Host(late))
    assert Robots(Host(b"User-agent: *\nCrawl-delay: 86400\n").look).delay("a.test", 0.0) == LONGEST_DELAY
    assert Robots(Host(b"User-agent: *\nCrawl-delay: -5\n").look).delay("a.test", 0.0) >= 0


def rules(text: str | bytes) -> Rules:
    return Rules(ours(text if isinstance(text, bytes) else text.encode()))


@pytest.mark.parametrize(
    ("name", "us"),
    [
        ("wolfspider", True),
        ("WolfSpider", True),
        ("wolfspider/1.0", True),
        ("wolfspider (+http://a.test)", True),
        ("wolf", False),
        ("spider", False),
        ("wolfspider2", False),
        ("wolfspider-news", False),
        ("my-wolfspider", False),
        ("", False),
        ("*bot*", False),
    ],
)
@pytest.mark.parametrize("line", ["User-agent: {}", "user-agent:{}", "User agent : {}", "\ufeffUSER-AGENT: {} # who"])
def test_only_our_own_name_is_ours(line: str, name: str, us: bool) -> None:
    assert rules(f"{line.format(name)}\nDisallow: /").allows("http://a.test/x") is not us


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: a\nUser-agent: wolfspider\nDisallow: /", False),
        ("User-agent: wolfspider\n\n\nUser-agent: a\nDisallow: /", False),  # one group: nothing stands between
        ("User-agent: wolfspider\nDisallow:\nUser-agent: *\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\nUser-agent: wolfspider\nAllow: /", True),
        ("User-agent: wolfspider\nCrawl-delay: 2\nUser-agent: *\nDisallow: /", True),
        ("User-agent: wolfspider\nNonsense: 2\nUser-agent: a\nDisallow: /", False),
        ("User-agent: wolfspider\nSitemap: http://a.test/s\nUser-agent: a\nDisallow: /", False),
        (
            "User-agent: wolfspider\nDisallow: /y\nUser-agent: a\nDisallow: /z\nUser-agent: wolfspider\nDisallow: /x",
            False,
        ),
        ("Disallow: /\nUser-agent: *\nDisallow: /y", True),  # rules for nobody
        ("User-agent: *\nDissallow: /", False),
        ("User-agent: *\nDisallow: /\nUser-agent: wolfspider", True),
        ("User-agent: *\rDisallow: /\r", False),
        ("User-agent: *\nDisallow: /\nAllow: /x", True),
        ("User-agent: *\nAllow: /\nDisallow: /x", False),
        ("User-agent: *\nAllow: /x\nDisallow: /x", True),
        ("User-agent: *\nDisallow: /*.html$", True),
        ("User-agent: *\nDisallow: /x$", False),
        ("User-agent: *\nDisallow: *x", False),
        ("User-agent: *\nDisallow: /%78", False),
        ("# Disallow: /\u2028\nUser-agent: * # Disallow\u2028Disallow: /", True),
        ("<html>\n<body>User-agent: *<br>Disallow: /</body>", True),
        ("\x00\x01\x02\x03", True),
    ],
)
def test_groups_and_rules_are_read_as_the_standard_has_it(text: str, allowed: bool) -> None:
    assert rules(text).allows("http://a.test/x") is allowed


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_what_is_not_utf_8_holds_no_rules(codec: str) -> None:
    assert rules("User-agent: *\nDisallow: /\n".encode(codec)).allows("http://a.test/x")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert rules("User-agent: *\nDisallow: /").allows("http://a.test/robots.txt")


def test_a_rule_that_is_cut_in_two_is_none() -> None:
    text = b"User-agent: *\nDisallow: /private/deep"
    assert rules(text).delay == 0.0 and not rules(text).allows("http://a.test/private/deep")
    assert Rules(ours(text, cut=True)).allows("http://a.test/private/deep")
    long = b"User-agent: *\n" + b"#" * (LARGEST - 34) + b"\nDisallow: /private/deep"
    assert Rules(ours(long)).allows("http://a.test/private")


def test_sitemaps_are_told_whoever_they_stand_with_and_not_too_many() -> None:
    text = "Sitemap: /a.xml\nUser-agent: other\nDisallow: /\nSITEMAP : https://b.test/b.xml\n"
    assert rules(text).sitemaps == ("/a.xml", "https://b.test/b.xml")
    many = "".join(f"Sitemap: /{n}.xml\n" for n in range(1000))
    assert len(rules(many).sitemaps) == MOST_SITEMAPS


def test_thousands_of_names_with_thousands_of_rules_are_not_multiplied() -> None:
    names = b"".join(b"User-agent:a%d\n" % n for n in range(15_000))
    text = ours(names + b"User-agent:*\n" + b"Allow:/a\nDisallow:/b\n" * 12_000)
    assert len(text) < LARGEST
    assert not Rules(text).allows("http://a.test/b")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("/x/y", "Disallow: /x/"),
        ("/x/y/z", "allow:/x/y/"),
        ("/q?k=1", "Disallow: /*?"),
        ("/free", ""),
    ],
)
def test_the_deciding_rule_can_be_shown(path: str, line: str) -> None:
    text = "User-agent: *\nDisallow: /x/\nallow:/x/y/\nDisallow: /*?\nCrawl-delay: 3\n"
    assert rules(text).deciding(f"http://a.test{path}") == line


@given(st.binary(), st.booleans())
def test_any_bytes_are_a_robots_txt(body: bytes, cut: bool) -> None:
    kept = ours(body, cut=cut)
    assert Rules(kept).delay >= 0
    assert isinstance(Rules(kept).allows("http://a.test/x?y#z"), bool)
    assert ours(kept.encode()) == kept  # what is stored is read again as it was


LINES = st.lists(
    st.tuples(
        st.sampled_from(
            ["User-agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "Foo", "\ufeffuser agent", "dis"]
        ),
        st.sampled_from([":", " ", ": ", "::", ""]),
        st.one_of(st.sampled_from(["*", "wolfspider", "/", "/a$", "/*b", "1e9", "inf", "nan", "-1"]), st.text()),
    ),
    max_size=20,
)


@given(LINES)
def test_nearly_right_files_are_read_too(lines: list[tuple[str, str, str]]) -> None:
    kept = ours("\n".join("".join(line) for line in lines).encode())
    assert 0 <= Rules(kept).delay <= LONGEST_DELAY
    assert isinstance(Rules(kept).deciding("http://a.test/a/b"), str)
    assert ours(kept.encode()) == kept


PATHS = st.text(alphabet="ab/", max_size=6).map(lambda text: "/" + text)


@given(st.lists(st.tuples(st.booleans(), PATHS), max_size=8), PATHS)
def test_the_longest_rule_decides_and_allow_wins_a_draw(lines: list[tuple[bool, str]], path: str) -> None:
    text = "".join(f"{'Allow' if allow else 'Disallow'}: {prefix}\n" for allow, prefix in lines)
    speaking = [(len(prefix), allow) for allow, prefix in lines if path.startswith(prefix)]
    assert rules("User-agent: *\n" + text).allows(f"http://a.test{path}") is (not speaking or max(speaking)[1])
