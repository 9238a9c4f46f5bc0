"""The map and the view of 1997 in a real browser: what is drawn, that nothing moves that should not, and the keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dashboard_in_browser import OVERFLOW, PATIENCE, Dashboard, chromium, until, web
from hunting_ground import SEED, TOPIC, HuntingGround

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(chromium() is None, reason="No Chromium is installed here (Debian: apt-get install chromium)."),
]
DOTS = "() => window.wolfspiderMap?.data.size ?? 0"
PLACES = "() => { const { data } = window.wolfspiderMap; return [[...data.x.slice(0, 20)], [...data.y.slice(0, 20)]]; }"
LIT = "() => { const { data } = window.wolfspiderMap; return [data.lit, data.hosts.length]; }"


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("dashboard") / "runs"
    folder.mkdir()
    with web(HuntingGround(each=300), latency=0.0) as via:
        served = Dashboard(folder, via, "delay = 0\nadapt = 0\nslots = 4\n")
        try:
            yield served
        finally:
            served.end()


@pytest.fixture
def page(browser: Any, dashboard: Dashboard) -> Iterator[Any]:
    """A window in which nothing moves. No test may leave an error of a script behind."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    opened = context.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(dashboard.address)
    yield opened
    context.close()
    assert not errors


def test_the_map_grows_and_no_page_moves(page: Any, dashboard: Dashboard) -> None:
    dashboard.begin("grown", topic=TOPIC, seeds=[SEED], pages=60, strategy="energy")
    page.goto(f"{dashboard.base}/#/run/grown/map")
    until(lambda: not dashboard.run("grown")["running"])
    until(lambda: page.evaluate(DOTS) == dashboard.run("grown")["status"]["pages"])
    first, places = page.evaluate(DOTS), page.evaluate(PLACES)
    dashboard.ask("/api/runs/grown/resume", {"pages": 140})
    until(lambda: page.evaluate(DOTS) > first)
    assert page.evaluate(PLACES) == places
    until(lambda: not dashboard.run("grown")["running"])
    page.reload()
    status = dashboard.run("grown")["status"]
    until(lambda: page.evaluate(DOTS) == status["pages"])
    assert page.evaluate(LIT) == [status["relevant"], status["hosts"]] and page.evaluate(PLACES) == places
    assert page.inner_text("#map-summary").startswith(f"{status['pages']:,} pages of {status['hosts']} hosts")
    page.focus("canvas")
    page.keyboard.press("n")
    page.wait_for_selector(".map-page >> text=Relevant, score")
    page.keyboard.press("Escape")
    page.wait_for_selector(".map-page", state="hidden")
    page.select_option(".map-who select", index=1)
    page.wait_for_selector(".map-page >> text=The territory of")


def test_the_map_is_pinched_and_dragged_by_fingers(browser: Any, dashboard: Dashboard) -> None:
    dashboard.begin("touched", topic=TOPIC, seeds=[SEED], pages=40)
    until(lambda: not dashboard.run("touched")["running"])
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    try:
        page = context.new_page()
        page.goto(dashboard.address)
        page.goto(f"{dashboard.base}/#/run/touched/map")
        until(lambda: page.evaluate(DOTS))
        page.wait_for_timeout(500)
        view = "() => { const { x, y, scale } = window.wolfspiderMap.paint.view; return [x, y, scale]; }"
        box, before = page.locator("canvas").bounding_box(), page.evaluate(view)
        x, y, wire = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, context.new_cdp_session(page)

        def fingers(kind: str, *places: tuple[float, float]) -> None:
            points = [{"x": across, "y": down, "id": number} for number, (across, down) in enumerate(places)]
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        fingers("touchStart", (x - 20, y), (x + 20, y))
        for far in range(30, 110, 10):
            fingers("touchMove", (x - far, y), (x + far, y))
        fingers("touchEnd")
        pinched = page.evaluate(view)
        assert pinched[2] > 2 * before[2]
        fingers("touchStart", (x, y))
        for far in range(10, 90, 10):
            fingers("touchMove", (x + far, y))
        fingers("touchEnd")
        dragged = page.evaluate(view)
        assert dragged[0] < pinched[0] and dragged[2] == pinched[2]
    finally:
        context.close()


def test_a_spiders_results_are_shown_by_generation_and_its_animation_stands_still(
    page: Any, dashboard: Dashboard
) -> None:
    dashboard.begin("spider", topic=TOPIC, seeds=[SEED], pages=120, strategy="spider-best-first")
    page.goto(f"{dashboard.base}/#/run/spider/1997")
    until(lambda: not dashboard.run("spider")["running"])
    state = until(lambda: dashboard.ask("/api/runs/spider/spider")["results"] and page.query_selector(".s97-result"))
    assert state
    told = dashboard.ask("/api/runs/spider/spider")
    page.reload()
    page.wait_for_selector(".s97-result")
    titles = page.eval_on_selector_all(".s97-title a", "all => all.map((each) => each.textContent)")
    assert titles == [one["title"] for one in told["results"]]
    assert page.get_attribute(".scene", "data-state") == "asleep"
    assert page.evaluate("() => document.querySelector('.scene').getAnimations({ subtree: true }).length") == 0
    page.click(".s97-more >> nth=0")
    page.wait_for_selector(".s97-links li a")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(300)
            assert page.evaluate(OVERFLOW) == [], (width, theme)
    if told["newest"] > 1:
        page.click("[aria-label='The generation before']")
        page.wait_for_selector(f".s97-counter >> text={told['newest'] - 1} of {told['newest']}")
