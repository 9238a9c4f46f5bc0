"""Figures without a drawing library: a few marks, two axes, one string of SVG.

    Figure("Found", "downloads", "relevant pages").line(xs, ys, "shark").band(xs, lows, highs).svg()

Beside lines, bands and points there are stacked areas, heat (a grid of cells, coloured by value) and segments, from
which with points a graph is drawn.

A figure carries its own white ground, so that it reads the same on a dark page. Colours are those of Okabe and Ito,
which stay apart for colour-blind eyes and in grey. What cannot be drawn (not finite, or not positive on a logarithmic
axis) is left out, and long curves are thinned to what a screen can show. Equal calls give equal bytes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, cycle, repeat
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wolfspider.core.plain_text import in_markup

DASHES = ("", "6 4", "2 4", "12 4 2 4")  # of lines; with the colours they make 32 looks
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5B5B5B", "#8C6D00")
HEAT = ("#DCE9F5", "#B5D1E8", "#85B4D8", "#5492C4", "#2F70A9", "#174E83", "#0A2F57")  # from little to much
INK, SOFT, FAINT = "#1F2933", "#616E7C", "#E4E7EB"
HUGE = 1e100  # what is larger is no measurement
MOST_POINTS = 800  # of one mark; a screen shows no more
TOP, BOTTOM, LEFT, RIGHT = 56, 52, 70, 24
LEGEND_ROW, LETTER, LONGEST_LABEL = 20, 6.4, 36

Floats = NDArray[np.float64]
Kind = Literal["line", "band", "points", "area", "cells", "segments"]
ORDER: tuple[Kind, ...] = ("cells", "area", "band", "segments", "points", "line")  # from the ground up
WHOLE: tuple[Kind, ...] = ("cells", "segments")  # nothing of them may be left out


@dataclass(frozen=True, slots=True)
class Mark:
    kind: Kind
    xs: Floats
    ys: Floats
    highs: Floats  # of a band, an area or a cell; `ys` are its lows
    label: str
    colour: str
    dash: str
    size: float  # of a point, its radius; of a segment, its width; of a cell, its width along x


@dataclass(slots=True)
class Figure:
    title: str
    x_label: str
    y_label: str
    x_log: bool = False
    y_log: bool = False
    width: int = 760
    height: int = 440
    x_range: tuple[float, float] | None = None  # None: as wide as the data
    y_range: tuple[float, float] | None = None
    axes: bool = True  # not for a graph, where places mean nothing
    marks: list[Mark] = field(default_factory=list)

    def line(
        self, xs: ArrayLike, ys: ArrayLike, label: str = "", dashed: bool = False, colour: str | None = None
    ) -> Figure:
        return self._add("line", xs, ys, ys, label, dashed, colour)

    def band(
        self, xs: ArrayLike, lows: ArrayLike, highs: ArrayLike, label: str = "", colour: str | None = None
    ) -> Figure:
        """Without a colour it takes that of the mark before it: a line and its spread."""
        return self._add(
            "band", xs, lows, highs, label, False, colour or (self.marks[-1].colour if self.marks else None)
        )

    def points(
        self, xs: ArrayLike, ys: ArrayLike, label: str = "", colour: str | None = None, size: float = 2.4
    ) -> Figure:
        return self._add("points", xs, ys, ys, label, False, colour, size)

    def stack(self, xs: ArrayLike, layers: Sequence[ArrayLike], labels: Sequence[str] = ()) -> Figure:
        """Areas one upon the other, the first one lowest. Where any layer is not a number, all are left out."""
        heights = np.array([np.asarray(layer, dtype=np.float64).ravel() for layer in layers])
        tops = np.cumsum(heights, axis=0)
        places = np.asarray(xs, dtype=np.float64).ravel()
        known = np.isfinite(tops[-1]) if len(layers) else np.ones(places.size, dtype=bool)
        for top, height, label, colour in zip(tops, heights, chain(labels, repeat("")), cycle(PALETTE), strict=False):
            self._add("area", places[known], (top - height)[known], top[known], label, False, colour)
        return self

    def heat(
        self,
        rows: Sequence[Sequence[float | None]],
        borders: Sequence[float],
        column: float = 1.0,
        row: float = 1.0,
    ) -> Figure:
        """A cell for each value, the first row lowest; `column` and `row` are its size along x and y. What is None or
        not a number stays white. `borders` part the values into as many colours and one. The axes end with the grid."""
        if not 0 < len(borders) < len(HEAT):
            raise ValueError(f"{len(borders)} borders; there are colours for 1 to {len(HEAT) - 1}")
        widest = max((len(values) for values in rows), default=0)
        if widest:
            self.x_range, self.y_range = (0.0, widest * column), (0.0, len(rows) * row)
        cells: list[list[tuple[float, float]]] = [[] for _ in range(len(borders) + 1)]
        for line, values in enumerate(rows):
            for place, value in enumerate(values):
                if value is not None and math.isfinite(value):
                    cells[bisect_right(borders, value)].append((place * column, line * row))
        labels = [f"under {tick_text(borders[0])}", *(f"from {tick_text(border)}" for border in borders)]
        for label, own, colour in zip(labels, cells, HEAT, strict=False):
            x, y = np.array(own, dtype=np.float64).reshape(-1, 2).T
            self._add("cells", x, y, y + row, label, False, colour, column)
        return self

    def segments(
        self, begins: ArrayLike, ends: ArrayLike, label: str = "", colour: str | None = None, size: float = 1.0
    ) -> Figure:
        """Straight strokes from each (x, y) of `begins` to its partner in `ends`."""
        pairs = np.stack(
            [np.asarray(points, dtype=np.float64).reshape(-1, 2) for points in (begins, ends)], axis=1
        ).reshape(-1, 2)
        return self._add("segments", pairs[:, 0], pairs[:, 1], pairs[:, 1], label, False, colour, size)

    def svg(self) -> str:
        return _draw(self)

    def _add(
        self,
        kind: Kind,
        xs: ArrayLike,
        ys: ArrayLike,
        highs: ArrayLike,
        label: str,
        dashed: bool,
        colour: str | None,
        size: float = 0.0,
    ) -> Figure:
        x, y, high = (np.asarray(values, dtype=np.float64).ravel() for values in (xs, ys, highs))
        if not x.size == y.size == high.size:
            raise ValueError(f"{label or kind}: {x.size} places along x and {y.size} along y")
        keep = _drawable(x, self.x_log) & _drawable(y, self.y_log) & _drawable(high, self.y_log)
        x, y, high = (values[keep] for values in (x, y, high))
        if kind not in WHOLE and x.size > MOST_POINTS:
            some = np.unique(np.linspace(0, x.size - 1, MOST_POINTS).round().astype(np.int64))
            x, y, high = (values[some] for values in (x, y, high))
        used = {mark.colour for mark in self.marks}
        free = next((colour for colour in PALETTE if colour not in used), PALETTE[len(used) % len(PALETTE)])
        look = _unlike(self.marks, kind, label, colour or free, DASHES[dashed])
        self.marks.append(Mark(kind, x, y, high, label, *look, size))
        return self


def _unlike(marks: Sequence[Mark], kind: Kind, label: str, colour: str, dash: str) -> tuple[str, str]:
    """Colour and dashes of a mark. No two lines that have a name look alike, as long as there are looks left: one that
    would is dashed in another way, or takes another colour. Lines without a name belong to the one before them."""
    if kind != "line" or not label:
        return colour, dash
    taken = {(mark.colour, mark.dash) for mark in marks if mark.kind == "line" and mark.label}
    looks = ((own, way) for own in (colour, *PALETTE) for way in (dash, *DASHES))
    return next((look for look in looks if look not in taken), (colour, dash))


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to pixels. `begin` and `end` are in drawing units; y axes run backwards."""

    low: float
    high: float
    log: bool
    begin: float
    end: float

    def place(self, values: ArrayLike) -> Floats:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        raw = np.asarray(values, dtype=np.float64)
        scaled = np.log10(raw) if self.log else raw
        places: Floats = self.begin + (scaled - low) / (high - low) * (self.end - self.begin)
        return places

    def ticks(self) -> list[float]:
        found = log_ticks(self.low, self.high) if self.log else linear_ticks(self.low, self.high)
        slack = 1e-6 * abs(self.end - self.begin)
        first, last = sorted((self.begin, self.end))
        return [tick for tick, at in zip(found, self.place(found), strict=True) if first - slack <= at <= last + slack]


def linear_ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten that cover the range."""
    rough = (high - low) / about
    base = 10.0 ** math.floor(math.log10(rough))
    step = base * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * base >= rough * (1 - 1e-9))
    first = math.floor(low / step + 1e-9)
    count = min(math.ceil(high / step - 1e-9) - first, 50)
    return [(first + i) * step for i in range(count + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; 2 and 5 times them too where there are few, and not all of them where there are many."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    step = max(1, math.ceil((last - first) / 8))
    factors = (1, 2, 5) if last - first <= 2 else (1,)
    return [factor * 10.0**power for power in range(first, last + 1, step) for factor in factors]


def tick_text(value: float, log: bool = False) -> str:
    """10,000 and 0.25; powers of ten with raised digits where plain ones would be long."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if -4 < power < (5 if log else 7):
        return f"{value:,.{max(1, 3 - power)}f}".rstrip("0").rstrip(".")
    factor = value / 10.0**power
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if abs(factor - 1) < 1e-9 else f"{factor:g}·10{raised}"


def _drawable(values: Floats, log: bool) -> NDArray[np.bool_]:
    fits = np.isfinite(values) & (np.abs(values) < HUGE)
    return fits & (values > 1 / HUGE) if log else fits


def _range(arrays: Sequence[Floats], log: bool, given: tuple[float, float] | None) -> tuple[float, float]:
    """The least range of round ends that holds the data; zero is kept in sight on linear axes that come near it."""
    if given:
        return given
    values = np.concatenate(arrays) if arrays else np.empty(0)
    if not values.size:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if log:
        return (low / 1.25, high * 1.25)
    if 0 <= low < 0.4 * high:
        low = 0.0
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size or size < 1 / HUGE:
        low, high = (low - size / 2, high + size / 2) if size > 1 / HUGE else (0.0, 1.0)
    ticks = linear_ticks(low, high)
    return (ticks[0], ticks[-1])


def _draw(figure: Figure) -> str:
    shown = [mark for mark in figure.marks if mark.label]
    right = RIGHT + (30 + LETTER * max(len(short(mark.label)) for mark in shown) if shown else 0)
    x = Axis(
        *_range([m.xs for m in figure.marks], figure.x_log, figure.x_range),
        figure.x_log,
        LEFT,
        figure.width - right,
    )
    heights = [values for m in figure.marks for values in (m.ys, m.highs)]
    y = Axis(*_range(heights, figure.y_log, figure.y_range), figure.y_log, figure.height - BOTTOM, TOP)
    parts = [
        *frame(figure.title, figure.width, figure.height),
        *(_grid(figure, x, y) if figure.axes else ()),
        _window(x.begin - 5, y.end - 5, x.end - x.begin + 10, y.begin - y.end + 10),
        *(_mark(mark, x, y) for mark in sorted(figure.marks, key=lambda mark: ORDER.index(mark.kind)) if mark.xs.size),
        "</svg>",
        *_legend(shown, x.end + 16),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _window(x: float, y: float, width: float, height: float) -> str:
    """Cuts off what lies outside. A nested svg needs no id, so that several figures may share one page."""
    box = f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}"
    return f'<svg x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" viewBox="{box}">'


def frame(title: str, width: int, height: int) -> list[str]:
    """The head of every figure: its size, white ground and title. The caller closes the svg."""
    fonts = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{fonts}" font-size="12">',
        f"<title>{in_markup(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#FFFFFF"/>',
        text(24, 31, title, INK, size=16, bold=True),
    ]


def _grid(figure: Figure, x: Axis, y: Axis) -> Iterable[str]:
    for tick, at in zip(y.ticks(), y.place(y.ticks()), strict=True):
        yield f'<path d="M{x.begin:.1f} {at:.1f}H{x.end:.1f}" stroke="{FAINT}"/>'
        yield text(x.begin - 8, at + 4, tick_text(tick, y.log), SOFT, anchor="end")
    for tick, at in zip(x.ticks(), x.place(x.ticks()), strict=True):
        yield f'<path d="M{at:.1f} {y.begin:.1f}v5" stroke="{SOFT}"/>'
        yield text(at, y.begin + 19, tick_text(tick, x.log), SOFT, anchor="middle")
    yield f'<path d="M{x.begin:.1f} {y.begin:.1f}H{x.end:.1f}" stroke="{SOFT}"/>'
    yield text((x.begin + x.end) / 2, figure.height - 12, figure.x_label, INK, anchor="middle")
    middle = (y.begin + y.end) / 2
    label = text(0, 0, figure.y_label, INK, anchor="middle")
    yield f'<g transform="translate(18 {middle:.1f}) rotate(-90)">{label}</g>'


def _mark(mark: Mark, x: Axis, y: Axis) -> str:
    xs, ys = x.place(mark.xs), y.place(mark.ys)
    colour = in_markup(mark.colour)
    if mark.kind == "points":
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{mark.size:g}"/>' for a, b in zip(xs, ys, strict=True))
        return f'<g fill="{colour}" fill-opacity="0.6">{dots}</g>'
    if mark.kind == "cells":
        return _cells(mark, x, y)
    if mark.kind == "segments":
        strokes = "".join(_path(xs[i : i + 2], ys[i : i + 2]) for i in range(0, xs.size, 2))
        return f'<path d="{strokes}" fill="none" stroke="{colour}" stroke-width="{mark.size:g}" stroke-opacity="0.7"/>'
    if mark.kind in ("band", "area"):
        around = _path(np.concatenate([xs, xs[::-1]]), np.concatenate([ys, y.place(mark.highs)[::-1]]))
        look = 'fill-opacity="0.16"' if mark.kind == "band" else f'stroke="{colour}" stroke-width="0.3"'
        return f'<path d="{around}Z" fill="{colour}" {look}/>'
    dash = f' stroke-dasharray="{mark.dash}"' if mark.dash else ""
    return (
        f'<path d="{_path(xs, ys)}" fill="none" stroke="{colour}" stroke-width="2"'
        f' stroke-linejoin="round" stroke-linecap="round"{dash}/>'
    )


def _cells(mark: Mark, x: Axis, y: Axis) -> str:
    lefts, rights = x.place(mark.xs), x.place(mark.xs + mark.size)
    tops, bottoms = y.place(mark.highs), y.place(mark.ys)
    boxes = "".join(
        f"M{a:.1f} {b:.1f}H{c:.1f}V{d:.1f}H{a:.1f}Z" for a, b, c, d in zip(lefts, tops, rights, bottoms, strict=True)
    )
    return f'<path d="{boxes}" fill="{in_markup(mark.colour)}" stroke="#FFFFFF" stroke-width="0.4"/>'


def _legend(marks: Sequence[Mark], left: float) -> Iterable[str]:
    for row, mark in enumerate(marks):
        at = TOP + 8 + row * LEGEND_ROW
        colour = in_markup(mark.colour)
        if mark.kind == "points":
            yield f'<circle cx="{left + 9:.1f}" cy="{at}" r="4" fill="{colour}" fill-opacity="0.6"/>'
        elif mark.kind in ("band", "area", "cells"):
            thin = ' fill-opacity="0.25"' if mark.kind == "band" else ""
            yield f'<rect x="{left:.1f}" y="{at - 5}" width="18" height="10" fill="{colour}"{thin}/>'
        else:
            dash = f' stroke-dasharray="{mark.dash}"' if mark.dash else ""
            yield f'<path d="M{left:.1f} {at}h18" stroke="{colour}" stroke-width="2.5" stroke-linecap="round"{dash}/>'
        yield text(left + 24, at + 4, short(mark.label), INK)


def short(label: str, longest: int = LONGEST_LABEL) -> str:
    return label if len(label) <= longest else label[: longest - 1] + "…"


def _path(xs: Floats, ys: Floats) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(xs, ys, strict=True))


def text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", size: int = 12, bold: bool = False
) -> str:
    look = f'text-anchor="{anchor}" font-size="{size}"' + (' font-weight="600"' if bold else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" {look}>{in_markup(words)}</text>'
