from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.draw.svg import DASHES, MOST_POINTS, PALETTE, Figure, linear_ticks, log_ticks, tick_text

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_marks_and_their_labels_are_drawn() -> None:
    figure = (
        Figure("Found", "downloads", "pages").line([0, 1, 2], [0, 5, 9], "shark").band([0, 1, 2], [0, 4, 8], [1, 6, 9])
    )
    root = ElementTree.fromstring(figure.points([1], [2], "seen", colour="#123456").svg())
    assert {"Found", "downloads", "pages", "shark", "seen"} <= {node.text for node in root.iter(f"{SVG}text")}
    assert figure.marks[0].colour == figure.marks[1].colour != figure.marks[2].colour == "#123456"
    assert len(list(root.iter(f"{SVG}circle"))) == 2  # the point and its sign in the legend


def test_text_is_escaped() -> None:
    figure = Figure("<script>alert(1)</script>", 'a"b', "x & y").line([0, 1], [0, 1], "</svg>\x00", colour='"><b>')
    assert "<script>" not in figure.svg()
    assert "x & y" in texts(figure.svg()) and "</svg>" in texts(figure.svg())


def test_no_text_of_a_figure_has_control_characters() -> None:
    wild = "\x1b]0;x\x07\x00\x0b\uffff wolf"
    svg = Figure(wild, wild, wild).line([0, 1], [0, 1], wild, colour=f"red{wild}").svg()
    ElementTree.fromstring(svg)
    assert not any(ord(char) < 32 and char != "\n" for char in svg) and "wolf" in svg


def test_what_cannot_be_drawn_is_left_out() -> None:
    figure = Figure("t", "x", "y", x_log=True, y_log=True).line([0, 1, 10, 100, math.inf], [1, 0, 5, math.nan, 1])
    assert figure.marks[0].xs.tolist() == [10]
    assert "nan" not in figure.svg() and "inf" not in figure.svg()


def test_an_empty_figure_is_still_a_figure() -> None:
    for log in (False, True):
        assert "t" in texts(Figure("t", "x", "y", x_log=log, y_log=log).line([], [], "none").svg())


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    xs = np.arange(100_000)
    mark = Figure("t", "x", "y").line(xs, xs).marks[0]
    assert mark.xs.size <= MOST_POINTS and mark.xs[0] == 0 and mark.xs[-1] == 99_999


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 places along x and 1"):
        Figure("t", "x", "y").line([1, 2], [1], "z")


def test_ticks() -> None:
    assert linear_ticks(0, 1000) == [0, 200, 400, 600, 800, 1000]
    assert log_ticks(1, 1000) == [1, 10, 100, 1000]
    assert log_ticks(1, 10)[:4] == [1, 2, 5, 10]
    assert [tick_text(v) for v in (0, 0.25, 2.5, 10_000, 1e8, 1.25e8)] == [
        "0",
        "0.25",
        "2.5",
        "10,000",
        "10⁸",
        "1.25·10⁸",
    ]
    assert [tick_text(v, log=True) for v in (1e-5, 0.01, 1000, 1e6)] == ["10⁻⁵", "0.01", "1,000", "10⁶"]


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_linear_ticks_cover_the_range_evenly(low: float, width: float) -> None:
    high = low + width
    if not high - low > 1e-9 * abs(low):
        return
    ticks = linear_ticks(low, high)
    step = ticks[1] - ticks[0]
    assert 2 <= len(ticks) <= 12
    assert ticks[0] <= low + step * 1e-3 and ticks[-1] >= high - step * 1e-3


@given(
    st.lists(st.tuples(st.floats(allow_nan=True), st.floats(allow_nan=True)), max_size=20), st.booleans(), st.booleans()
)
def test_any_numbers_give_well_formed_svg(pairs: list[tuple[float, float]], x_log: bool, y_log: bool) -> None:
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    svg = Figure("t", "x", "y", x_log, y_log).line(xs, ys, "a").band(xs, ys, ys).points(xs, ys).svg()
    ElementTree.fromstring(svg)
    assert "nan" not in svg


def areas(svg: str) -> list[str]:
    return [node.get("d", "") for node in ElementTree.fromstring(svg).iter(f"{SVG}path") if node.get("fill")]


def test_layers_are_stacked_and_end_at_their_sum() -> None:
    figure = Figure("t", "x", "y").stack([0, 1, 2], [[1, 2, 3], [1, 1, 1], [0, 0.5, math.nan]], ["old", "young"])
    assert [mark.kind for mark in figure.marks] == ["area"] * 3
    assert figure.marks[1].ys.tolist() == [1, 2] and figure.marks[2].highs.tolist() == [2, 3.5]
    assert len(areas(figure.svg())) == 3 and {"old", "young"} <= set(texts(figure.svg()))
    assert Figure("t", "x", "y").stack([], []).marks == []


def test_heat_draws_every_cell_that_has_a_value_in_the_colour_of_its_range() -> None:
    figure = Figure("t", "x", "y").heat([[60.0, None, 200.0], [math.nan, 69.0, 500.0]], [70, 200], column=3.0)
    cells = [mark for mark in figure.marks if mark.xs.size]
    assert [mark.xs.tolist() for mark in cells] == [[0, 3], [6, 6]]
    assert sum(path.count("M") for path in areas(figure.svg())) == 4
    assert {"under 70", "from 70", "from 200"} <= set(texts(figure.svg()))
    assert (figure.x_range, figure.y_range) == ((0, 9), (0, 2))
    assert "t" in texts(Figure("t", "x", "y").heat([], [1]).svg())
    many = Figure("t", "x", "y").heat([[1.0] * (MOST_POINTS + 10)], [0])
    assert areas(many.svg())[0].count("M") == MOST_POINTS + 10
    with pytest.raises(ValueError, match="7 borders"):
        Figure("t", "x", "y").heat([[1.0]], range(7))


def test_segments_join_their_ends_and_a_figure_without_axes_has_no_ticks() -> None:
    figure = Figure("t", "", "", axes=False).segments([(0, 0), (1, 1)], [(1, 1), (0, 2)], "link", size=2)
    root = ElementTree.fromstring(figure.svg())
    strokes = [node for node in root.iter(f"{SVG}path") if node.get("stroke-width") == "2"]
    assert len(strokes) == 1 and strokes[0].get("d", "").count("M") == 2
    assert texts(figure.svg()) == ["t", "link"]
    assert texts(Figure("t", "", "", axes=False).segments([], []).svg()) == ["t"]


def test_no_two_lines_with_a_name_look_alike() -> None:
    figure = Figure("many", "x", "y")
    for number in range(len(PALETTE) * len(DASHES)):
        figure.line([0, 1], [0, number], str(number), dashed=number % 2 == 0, colour=PALETTE[number % 3])
    looks = [(mark.colour, mark.dash) for mark in figure.marks]
    assert len(set(looks)) == len(looks) == 32
    assert looks[0] == (PALETTE[0], DASHES[1]) and looks[1] == (PALETTE[1], "")


def test_lines_without_a_name_look_like_those_they_belong_to() -> None:
    figure = (
        Figure("runs", "x", "y").line([0, 1], [0, 1], "a", colour=PALETTE[2]).line([0, 1], [1, 0], colour=PALETTE[2])
    )
    assert {(mark.colour, mark.dash) for mark in figure.marks} == {(PALETTE[2], "")}
