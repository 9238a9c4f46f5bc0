"""The demo hunts better than breadth-first, counts right, and shows titles as text whatever they hold."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from wolfspider.bench.measure.metrics import Find, key
from wolfspider.bench.run.demo import Demo, DemoCrawl, Line, Plan, next_steps, verdict
from wolfspider.core.errors import Problem
from wolfspider.terminal import demo_screen


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo(Plan(120))


@pytest.fixture(scope="module")
def told(demo: Demo) -> tuple[list[Line], list[tuple[str, int, int, float]]]:
    looks: list[tuple[str, int, int, float]] = []

    def look(hunt: DemoCrawl) -> None:
        looks.append((hunt.strategy, hunt.downloads, len(hunt.found), hunt.recent))

    return demo.run(look), looks


Told = tuple[list[Line], list[tuple[str, int, int, float]]]


def test_it_finds_more_than_breadth_first(told: Told) -> None:
    ours, plain = told[0]
    assert (ours.strategy, plain.strategy) == ("hunter", "breadth-first")
    assert ours.found > 1.5 * plain.found
    assert plain.found < ours.found <= ours.possible <= ours.downloads == plain.downloads == 120


def test_what_it_finds_is_truly_relevant(demo: Demo, told: Told) -> None:
    assert demo.hunt.found.relevant == frozenset(map(key, demo.task.relevant))
    assert len(demo.hunt.found) == told[0][0].found


def test_it_is_looked_at_after_every_download(told: Told) -> None:
    lines, looks = told
    assert [downloads for _, downloads, _, _ in looks] == [*range(1, 121), *range(1, 121)]
    assert [strategy for strategy, *_ in looks] == ["hunter"] * 120 + ["breadth-first"] * 120
    assert looks[119][2] == lines[0].found


def test_the_recent_rate_is_that_of_the_last_hundred(told: Told) -> None:
    found = [count for strategy, _, count, _ in told[1] if strategy == "hunter"]
    recent = [rate for strategy, _, _, rate in told[1] if strategy == "hunter"]
    assert recent[9] == pytest.approx(found[9] / 10)
    assert recent[119] == pytest.approx((found[119] - found[19]) / 100)


def test_the_same_seed_gives_the_same_demo(told: Told) -> None:
    assert Demo(Plan(120)).run(lambda hunt: None) == told[0]


def test_breadth_first_is_compared_with_the_default() -> None:
    assert Plan(10, strategy="breadth-first").rival == "hunter"


@pytest.mark.parametrize("plan", [{"pages": 0}, {"pages": -5}, {"pages": 5, "strategy": "sharc"}])
def test_what_cannot_work_is_said_before_anything_is_computed(plan: dict[str, object]) -> None:
    with pytest.raises(Problem):
        Plan(**plan)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "theirs", "says"),
    [(40, 10, "4.0 times as many"), (10, 0, "breadth-first none"), (100, 99, "about as many"), (5, 10, "0.5 times")],
)
def test_the_verdict(ours: int, theirs: int, says: str) -> None:
    assert says in verdict([Line("shark", ours, 100, 100), Line("breadth-first", theirs, 100, 100)])


def printed(width: int = 100, terminal: bool = False) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=width, force_terminal=terminal, color_system=None, highlight=False), file


def test_the_summary_tells_finds_comparison_and_what_is_next(demo: Demo, told: Told) -> None:
    console, file = printed()
    demo_screen.summary(console, demo, told[0])
    text = file.getvalue()
    assert all(f"{line.found} found" in text for line in told[0])
    assert all(command in text for command, _ in next_steps(demo.plan, "wolfspider"))
    assert demo.hunt.best.finds[0].title in text


def test_titles_are_text_whatever_they_hold(demo: Demo, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = Find(
        0.9, -1, "http://a\x1b[31m.example/", "\x1b]0;mine\x07[bold]loud[/bold] :smile:\n0.99 forged \u202eline"
    )
    monkeypatch.setattr(type(demo.hunt.best), "finds", property(lambda best: [evil]))
    console, file = printed()
    console.print(demo_screen.finds(demo.hunt))
    assert file.getvalue().rstrip() == "0.90  [bold]loud[/bold] :smile: 0.99 forged line  a.example"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_screen_fits_its_terminal(demo: Demo, told: Told, width: int) -> None:
    console, file = printed(width, terminal=True)
    with demo_screen.following(console, demo) as look:
        look(demo.hunt)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue()).replace("\r", "\n").splitlines()
    assert "120" in "".join(lines) and "Hunting for" in "".join(lines)
    assert max(map(len, lines)) <= width
    assert any(f"{demo.hunt.best.finds[0].score:.2f}" in line for line in lines)


def test_without_a_terminal_there_is_no_progress(demo: Demo, told: Told) -> None:
    console, file = printed(1000)
    with demo_screen.following(console, demo) as look:
        look(demo.hunt)
    assert file.getvalue() == ""
