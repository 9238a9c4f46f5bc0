"""The dashboard as a person uses it, in a real browser, against crawls of a web on loopback."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from dashboard_in_browser import OVERFLOW, PATIENCE, Dashboard, chromium, number, process_of, until, web
from hunting_ground import SEED, TOPIC, HuntingGround
from small_web import SPIDERS, SmallWeb
from wolfspider.store.view import utc
from wolfspider.watch.book import Book, Report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(chromium() is None, reason="No Chromium is installed here (Debian: apt-get install chromium)."),
]
HUNT = {"topic": TOPIC, "seeds": [SEED], "pages": 20_000}
WIDTHS, THEMES = (1440, 390), ("light", "dark")
MILLISECONDS = 1000 * PATIENCE

PAYLOADS = tuple(
    payload.replace("SAY", f"window.owned={place}")
    for place, payload in enumerate(
        itertools.islice(
            itertools.cycle(
                (
                    "<script>SAY</script>",
                    "<img src=x onerror=SAY>",
                    '"><svg onload=SAY>',
                    "'-SAY-'",
                    "javascript:SAY",
                    "</title><script>SAY</script>",
                    "{{constructor.constructor('SAY')()}}",
                    "<iframe srcdoc='<script>parent.SAY</script>'>",
                    "&lt;script&gt;SAY&lt;/script&gt;",
                    "\u202e<b onmouseover=SAY>",
                    '" onfocus=SAY autofocus x="',
                    "<style>@import 'javascript:SAY'</style>",
                    "${SAY}`",
                    "<a href='javascript:SAY'>x</a>",
                    "<math><mtext><script>SAY</script>",
                    "\\u003cscript\\u003eSAY",
                    "__proto__",
                    "constructor",
                    "data:text/html,<script>SAY</script>",
                    "<base href='//evil.test/'>",
                )
            ),
            200,
        )
    )
)


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("dashboard") / "runs"
    folder.mkdir()
    with web(HuntingGround(each=3000)) as via:
        served = Dashboard(folder, via)
        try:
            yield served
        finally:
            served.end()


Opens = Callable[..., Any]


@pytest.fixture
def window(browser: Any, dashboard: Dashboard) -> Iterator[Opens]:
    """`window("#/run/x")` opens a view in a new window. No test may leave an error of a script behind."""
    contexts, errors = [], []

    def opened(place: str, width: int = 1440, theme: str = "light", served: Dashboard = dashboard) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        context.set_default_timeout(MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(served.address)
        page.goto(f"{served.base}/{place}")
        page.wait_for_selector("h1")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture(scope="module")
def hunt(dashboard: Dashboard) -> str:
    """A crawl that outlasts the tests."""
    dashboard.begin("hunt", **HUNT)
    return "hunt"


def spent(page: Any) -> int:
    """The downloads that the overview shows."""
    return number(page.inner_text(".answer-card .big"))


def test_a_crawl_is_tried_then_started_and_its_numbers_move(window: Opens, dashboard: Dashboard) -> None:
    page = window("#/start")
    page.fill("[name=topic]", "wolf spiders, burrow")
    page.fill("[name=seeds]", SEED)
    page.fill("[name=pages]", "60")
    page.click("text=Check it")
    page.wait_for_selector("text=This can be started.")
    page.click("#test-crawl")
    page.wait_for_selector(".preview .page-line")
    page.wait_for_selector(".preview >> text=Done")
    page.click("text=Start the real one")
    until(lambda: page.evaluate("location.hash").startswith("#/run/"))
    name = page.evaluate("decodeURIComponent(location.hash.split('/')[2])")
    page.wait_for_selector(".big")
    first = spent(page)
    until(lambda: spent(page) > first)
    until(lambda: not dashboard.run(name)["running"])
    page.wait_for_selector(".pill.off")
    assert dashboard.run(name)["gauge"]["budget"] == 60


def test_a_slider_and_a_field_reach_the_crawl(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}/steer")
    before = next(each for each in dashboard.run(hunt)["params"] if each["name"] == "spread")
    slider = page.locator("[data-param=spread] input[type=range]")
    place = slider.bounding_box()
    slider.focus()
    slider.press("End")
    until(
        lambda: (
            next(each for each in dashboard.run(hunt)["params"] if each["name"] == "spread")["value"] == before["high"]
        )
    )
    page.wait_for_selector("[data-param=spread] >> text=set by")
    assert not dashboard.run(hunt)["gauge"]["probes"]
    chance = page.locator("[data-param=chance] input[type=range]")
    chance.focus()
    chance.press("End")
    until(lambda: dashboard.run(hunt)["gauge"]["probes"] > 0)  # links are drawn by chance from here on
    drawn = f"/api/runs/{hunt}/pages?kind=all&limit=200"
    assert any(each["agent"] == "chance" for each in dashboard.ask(drawn)["pages"])
    chance.press("Home")
    budget = page.locator("[data-param=pages] input[type=number]")
    budget.fill("19999")
    budget.press("Enter")
    until(lambda: dashboard.run(hunt)["gauge"]["budget"] == 19_999)  # the crawl itself says so
    assert (slider.bounding_box() or {})["x"] == (place or {})["x"]  # however long the list of what was done
    page.goto(f"{dashboard.base}/#/run/{hunt}")
    page.wait_for_selector(".deeds >> text=limit pages=19999")
    page.wait_for_selector("text=of 19,999 downloads")
    page.wait_for_selector("iframe[data-drawn]")
    frame = next(each for each in page.frames if each.url.endswith("/plots/"))
    frame.locator(".annotation").last.click()  # the number on its line in a plot
    page.wait_for_selector("dialog >> text=limit pages=19999")
    page.click("dialog >> text=Undo")
    until(lambda: dashboard.run(hunt)["gauge"]["budget"] == 20_000)
    page.wait_for_selector("dialog", state="detached")


def test_a_thumb_reaches_the_judge(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}/pages?kind=rejected")
    row = page.locator("tbody tr").first
    row.hover()  # so that it stays where it is
    title = row.locator(".page-title").inner_text()
    row.locator(".thumb.up").click()
    page.wait_for_selector(".toast")
    labelled = until(
        lambda: [each for each in dashboard.ask(f"/api/runs/{hunt}/pages?kind=accepted")["pages"] if each["label"]]
    )
    assert title in {each["title"] for each in labelled} and all(each["relevant"] for each in labelled)


def test_a_host_is_excluded_after_a_preview_and_taken_back(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}/steer")
    page.get_by_label("Host or pattern").fill("oven-letters.test")
    page.click("#exclude")
    page.wait_for_selector("dialog >> text=oven-letters.test")
    page.click("dialog >> button.primary")
    rules = lambda: {each["rule"]: each["allowed"] for each in dashboard.run(hunt)["scope"]}  # noqa: E731
    until(lambda: rules().get("oven-letters.test") is False)
    page.wait_for_selector(".rules >> text=oven-letters.test")
    page.locator(".toast >> text=Undo").click()
    until(lambda: rules().get("oven-letters.test") is not False)


def test_the_queue_tile_opens_the_links_that_wait(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    until(lambda: dashboard.ask(f"/api/runs/{hunt}/queue")["links"])
    page.click(".tile-value >> nth=0")
    page.wait_for_selector("tbody .page-title")
    told = dashboard.ask(f"/api/runs/{hunt}/queue?limit=1000")
    assert told["all"] >= len(told["links"]) > 0 and told["at"]
    scores = [each["score"] for each in told["links"]]
    assert scores == sorted(scores, reverse=True)
    host = told["links"][0]["host"]
    assert {each["host"] for each in dashboard.ask(f"/api/runs/{hunt}/queue?host={host}")["links"]} == {host}


def test_the_news_of_a_watch_that_is_started_here(window: Opens, dashboard: Dashboard) -> None:
    page = window("#/start")
    page.fill("[name=topic]", "floods")
    page.fill("[name=seeds]", SEED)
    page.locator(".preset", has_text="monitor").click()
    page.click("#start-crawl")
    until(lambda: page.evaluate("location.hash") == "#/run/floods")
    until(lambda: dashboard.downloads("floods") > 3)
    assert dashboard.run("floods")["watch"]
    dashboard.ask("/api/runs/floods/commands", {"verb": "stop", "words": []})
    until(lambda: not dashboard.run("floods")["running"])
    book, now = Book(dashboard.folder / "floods"), time.time()
    with book.writing():
        for number, (host, agent, late) in enumerate((("a", "one", 60), ("a", "two", 7200), ("b", "one", 600))):
            about = {"title": f"<b>News {number}</b>", "published": utc(now - late), "late": late, "agent": agent}
            book.report(Report.named("new", now - 5, f"http://{host}.test/{number}", about))
        for host, told, silent in (("a.test", 2, 0), ("c.test", 9, 1)):
            book.execute(
                "INSERT OR REPLACE INTO sites VALUES (?, ?, ?, ?, 7, ?)", host, now - 1e6, now - 1e5, told, silent
            )
    book.close()
    told = dashboard.ask("/api/runs/floods/news")
    page.goto(f"{dashboard.base}/#/run/floods/news")
    page.wait_for_selector(".tiles.three .tile-value")  # those of the news, not of the view before
    shown = page.eval_on_selector_all(".tile-value", "all => all.map((each) => each.textContent)")
    assert (shown[0], shown[2]) == (str(told["today"]), "1") and told["today"] >= 3
    page.click(".tile-value >> nth=2")
    page.wait_for_selector("text=Sites gone quiet")
    page.wait_for_selector("tbody a.strong")
    assert page.eval_on_selector_all("tbody a.strong", "all => all.map((each) => each.textContent)") == ["c.test"]
    page.goto(f"{dashboard.base}/#/run/floods/news?show=late&site=a.test")
    page.wait_for_selector(".fresh-items .page-title")
    titles = page.eval_on_selector_all(".fresh-items .page-title", "all => all.map((each) => each.textContent)")
    assert titles == ["<b>News 1</b>", "<b>News 0</b>"]  # the latest first, and as text
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{dashboard.base}/#/run/floods/news?w={width}")
        page.wait_for_selector(".hours")
        assert page.evaluate(OVERFLOW) == []


def test_pause_and_resume(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    page.click("[data-verb=pause]")
    page.wait_for_selector(".pill >> text=Paused")
    until(lambda: dashboard.run(hunt)["gauge"]["state"] == "paused")
    page.click("[data-verb=resume]")
    page.wait_for_selector(".pill >> text=/Fetching|Waiting/")


def test_pages_are_labelled_by_keys(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}/label")
    page.wait_for_selector(".question-card h2")
    before = len(dashboard.ask(f"/api/runs/{hunt}/commands")["commands"])
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".step.up")
    page.keyboard.press("Space")
    page.wait_for_selector(".step.skip")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".step.down")
    page.keyboard.press("z")
    page.wait_for_selector(".step.now:nth-child(3)")
    page.keyboard.press("ArrowRight")  # at once: the answer before may still be on its way
    page.wait_for_selector(".step.up:nth-child(3)")
    until(lambda: len(dashboard.ask(f"/api/runs/{hunt}/commands")["commands"]) == before + 3)
    last = dashboard.ask(f"/api/runs/{hunt}/commands")["commands"][-2:]
    assert [each["text"].rpartition(" ")[2] for each in last] == ["down", "up"] and not last[-1]["problem"]
    assert last[0]["text"].split()[1] == last[1]["text"].split()[1]
    assert page.locator(".toast.bad").count() == 0


def test_numbers_are_shown_before_the_plots_and_without_them(browser: Any, dashboard: Dashboard, hunt: str) -> None:
    context = browser.new_context()
    try:
        page = context.new_page()
        asked: list[str] = []
        page.route("**/plotly.min.js", lambda route: asked.append(route.request.url))  # it never comes
        page.goto(dashboard.address)
        page.goto(f"{dashboard.base}/#/run/{hunt}", wait_until="commit")
        page.wait_for_selector(".answer-card .big", timeout=MILLISECONDS)
        assert spent(page) > 0
        assert page.locator("iframe[data-drawn]").count() == 0
    finally:
        context.close()


def test_the_plots_are_drawn_in_a_frame_that_can_reach_nothing(window: Opens, dashboard: Dashboard, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    page.wait_for_selector("iframe[data-drawn]")
    frame = next(each for each in page.frames if each.url.endswith("/plots/"))
    assert frame.locator(".plot .main-svg").count() >= 3
    for pages in (19_000, 18_000):  # at nearly the same download: only one of their numbers has room
        dashboard.ask(f"/api/runs/{hunt}/commands", {"verb": "limit", "words": [f"pages={pages}"]})
    until(lambda: frame.locator(".annotation-text").count() > 0)
    page.wait_for_timeout(3000)
    across = "all => all.map((each) => each.getBoundingClientRect()).map((box) => [box.left, box.right])"
    boxes = sorted(frame.locator(".plot").first.locator(".annotation-text").evaluate_all(across))
    assert boxes and all(one[1] <= other[0] for one, other in itertools.pairwise(boxes))
    assert frame.evaluate("origin") == "null"
    assert frame.evaluate("fetch('/api/runs').then(() => 'let in', () => 'kept out')") == "kept out"


def test_the_dashboard_dies_and_is_opened_again(tmp_path: Path, window: Opens, dashboard: Dashboard, hunt: str) -> None:
    dashboard.ask(f"/api/runs/{hunt}/commands", {"verb": "limit", "words": ["pages=18000"]})
    dashboard.kill()
    before = dashboard_less(dashboard.folder / hunt)
    until(lambda: dashboard_less(dashboard.folder / hunt) > before)  # the crawl goes on
    dashboard.start()
    page = window(f"#/run/{hunt}")
    page.wait_for_selector(".deeds >> text=limit pages=18000")
    assert spent(page) > before


def dashboard_less(run: Path) -> int:
    """The downloads of a run, by the command line."""
    words = [sys.executable, "-m", "wolfspider", "status", str(run), "--json"]
    return int(json.loads(subprocess.run(words, capture_output=True, check=True, timeout=PATIENCE).stdout)["downloads"])


def test_a_killed_crawl_is_resumed(window: Opens, dashboard: Dashboard) -> None:
    dashboard.begin("killed", **HUNT)
    page = window("#/run/killed")
    os.kill(process_of(dashboard.folder / "killed"), signal.SIGKILL)
    page.wait_for_selector(".pill >> text=Killed")
    before = dashboard.downloads("killed")
    page.click("[data-verb=restart]")
    until(lambda: dashboard.downloads("killed") > before)
    page.wait_for_selector(".pill.good, .pill.warn")
    page.click("[data-verb=stop]")
    page.click("dialog >> button.primary")
    until(lambda: not dashboard.run("killed")["running"])


def test_a_run_that_is_opened_before_it_is_there_is_shown_once_it_is(window: Opens, dashboard: Dashboard) -> None:
    page = window("#/run/later")
    page.wait_for_selector("text=There is no run")
    dashboard.begin("later", **{**HUNT, "pages": 20})
    page.wait_for_selector(".big")
    until(lambda: spent(page) == 20)
    page.wait_for_selector(".lost", state="hidden")


def test_numbers_on_screen_are_those_of_the_export(window: Opens, dashboard: Dashboard) -> None:
    dashboard.begin("short", **{**HUNT, "pages": 40, "seeds": [SEED, f"{SEED}there/is/none"]})
    until(lambda: not dashboard.run("short")["running"])
    page = window("#/run/short")
    page.wait_for_selector(".pill.off")
    lines = lambda *more: subprocess.run(  # noqa: E731
        [sys.executable, "-m", "wolfspider", "export", str(dashboard.folder / "short"), *more],
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    ).stdout.splitlines()
    pages, relevant = len(lines()), len(lines("--relevant"))
    cards = page.locator(".answer-card")
    assert number(cards.nth(0).locator(".big").inner_text()) == dashboard.downloads("short") == 40
    assert number(cards.nth(1).locator(".big").inner_text()) == relevant
    assert number(cards.nth(1).locator(".big-note").inner_text()) == pages
    hosts, failures = (dashboard.ask(f"/api/runs/short/{what}") for what in ("hosts", "failures"))
    counts = {each["reason"]: each["count"] for each in failures["failures"]}
    tile = lambda name: page.locator(".tile", has=page.get_by_text(name, exact=True)).locator("a.tile-value")  # noqa: E731
    until(lambda: tile("Hosts").inner_text() == str(hosts["all"]))
    assert number(tile("Failed").inner_text()) == sum(counts.values()) > 0
    unlinked = page.locator(".facts > div", has=page.locator("dd > span")).locator("dt").all_inner_texts()
    assert unlinked == ["began"]  # a time; every number opens the list behind it
    page.locator("button.figure-value").first.press("Enter")
    newest = page.locator("dialog tbody td.n").first.inner_text()
    page.locator("dialog >> text=Close").click()
    assert page.locator("button.figure-value").first.inner_text() == newest
    page.goto(f"{dashboard.base}/#/run/short/pages?kind=accepted")
    page.wait_for_selector("tbody .page-title")
    assert page.locator("tbody .page-title").count() == relevant
    page.goto(f"{dashboard.base}/#/run/short")
    reason, count = page.locator(".failure strong").first.inner_text(), page.locator(".failure-count").first
    assert number(count.inner_text()) == counts[reason]
    count.click()
    page.wait_for_selector("tbody .page-title")
    whys = page.locator("tbody .why-cell")
    assert whys.count() == counts[reason] and {*whys.all_inner_texts()} == {reason}
    titles = page.locator("tbody .page-title").all_inner_texts()
    assert all("/" in each for each in titles)  # where it is, for want of a title


def test_what_pages_say_is_never_run(tmp_path: Path, window: Opens) -> None:
    links = "".join(
        f'<a href="/{place}?{quote(payload)}">{escape(payload)}</a> ' for place, payload in enumerate(PAYLOADS)
    )
    pages: dict[str, Any] = {"http://evil.test/": f"<title>Start</title><body>{SPIDERS}{links}</body>"}
    world = Hostile(pages)
    folder = tmp_path / "runs"
    folder.mkdir()
    with web(world, latency=0.0) as via:
        served = Dashboard(folder, via, "delay = 0\nslots = 8\n")
        try:
            served.begin("evil", topic="wolf spiders", seeds=["http://evil.test/"], pages=260)
            until(lambda: not served.run("evil")["running"])
            told = served.run("evil")
            assert served.downloads("evil") > 150, (told["reason_text"], told["lines"])
            lists = ("", "/pages?kind=all", "/pages?kind=failed", "/hosts", "/queue", "/search?q=window.owned")
            odd = quote(f"http://evil.test/1?{quote(PAYLOADS[1])}", safe="")
            for place in (*lists, "/steer", "/label", "/map", f"/explain?url={odd}"):
                page = window(f"#/run/evil{place}", served=served)
                page.wait_for_timeout(700)
                while page.locator("text=Older ones").count():
                    page.locator("text=Older ones").click()
                    page.wait_for_timeout(300)
                assert page.evaluate("window.owned") is None
                assert (
                    page.locator("main script, main img, main base, main style, main iframe:not(.plots)").count() == 0
                )
                assert page.locator("main a[href^='javascript:'], main a[href^='data:']").count() == 0
            page = window("#/run/evil/pages?kind=failed", served=served)
            page.wait_for_selector(".page-title")
            assert "audio/" in page.inner_text("main")  # the words of the error
            page = window("#/run/evil/report", served=served)  # in a frame in which nothing runs
            page.wait_for_selector("main iframe")
            page.wait_for_timeout(700)
            assert page.evaluate("window.owned") is None
            page = window("#/run/evil/pages?kind=all", served=served)
            page.wait_for_selector(".page-title")
            assert "<script>window.owned=" in page.inner_text("main")  # it is there, as text
            page.locator(".page-title").first.click()
            page.wait_for_selector(".pairs")
            assert page.evaluate("window.owned") is None
        finally:
            served.end()


class Hostile(SmallWeb):
    """Every page has one of the payloads as its title and in its text; every seventh is an error with one, and another
    seventh one whose words are the payload."""

    def __init__(self, pages: dict[str, Any]) -> None:
        super().__init__(pages, {})

    def look(self, url: str, now: float) -> Any:
        first = url.removeprefix("http://evil.test/").partition("?")[0]
        if first.isdecimal() and url not in self.pages:
            payload = PAYLOADS[int(first) % len(PAYLOADS)]
            shown = escape(payload)
            answer: Any = f"<title>{shown}</title><body><p>{shown} {SPIDERS}</p></body>"
            if int(first) % 7 == 0:
                answer = (404, {"content-type": "text/html"}, payload.encode())
            if int(first) % 7 == 3 and payload.isascii():
                answer = (200, {"content-type": f"audio/{payload}"}, b"noise")  # the error names it
            self.pages = {**self.pages, url: answer}
        return super().look(url, now)


COUNT_SHIFTS = """() => {
  window.shifts = 0;
  const add = (list) => { for (const each of list.getEntries()) window.shifts += each.value; };
  new PerformanceObserver(add).observe({ type: "layout-shift" });
}"""
ALL_NAMED = """() => [...document.querySelectorAll("button, a, input, select, textarea")].filter((e) =>
  !(e.textContent + (e.ariaLabel ?? "") + (e.title ?? "")).trim() && !e.labels?.length).map((e) => e.outerHTML)"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_overlaps_or_is_cut_off(window: Opens, hunt: str, width: int, theme: str) -> None:
    page = window("#/", width=width, theme=theme)
    views = (
        "",
        "/pages",
        "/hosts",
        "/queue",
        "/map",
        "/steer",
        "/label",
        "/search?q=burrow",
        f"/explain?url={quote(SEED, safe='')}",
        "/report",
        "/news",
        "/1997",
    )
    for place in ("#/", "#/start", f"#/compare?runs={hunt}", *(f"#/run/{hunt}{view}" for view in views)):
        page.goto(f"{page.url.partition('#')[0]}{place}")
        page.wait_for_selector("main h1")
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.evaluate(OVERFLOW) == [], place


def test_every_fact_fits_its_place_at_widths_between(window: Opens, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    wide = "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"
    for width in (1410, 1390, 1110, 900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.eval_on_selector_all(".facts dt, .facts dd, .big-line", wide) == [], width


def test_numbers_that_run_move_nothing(window: Opens, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    page.wait_for_selector("iframe[data-drawn]")
    page.wait_for_selector(".page-line")
    page.evaluate(COUNT_SHIFTS)
    first = spent(page)
    until(lambda: spent(page) > first + 20)
    assert page.evaluate("window.shifts") < 0.02


def test_everything_is_reached_by_the_keyboard(window: Opens, hunt: str) -> None:
    page = window(f"#/run/{hunt}")
    page.wait_for_selector(".page-line")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    seen: set[str] = set()
    for _ in range(160):
        seen.add(page.evaluate("document.activeElement.className || document.activeElement.tagName"))
        page.keyboard.press("Tab")
    assert {"place", "button", "big", "tile-value", "page-title cut", "thumb up"} <= {
        each.replace(" primary", "") for each in seen
    }
    assert page.evaluate(ALL_NAMED) == []
    page.keyboard.press("]")
    until(lambda: page.evaluate("location.hash").endswith("/pages"))
