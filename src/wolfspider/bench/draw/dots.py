"""A dot plot: a line for each name, a dot on it for each series. For figures by name, where a curve has no meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wolfspider.bench.draw.svg import FAINT, INK, PALETTE, SOFT, frame, linear_ticks, short, text, tick_text

WIDTH, LEFT, RIGHT, TOP, LINE, BOTTOM = 760, 190, 28, 84, 24, 56
LONGEST_NAME, LETTER = 24, 6.6


def dot_plot(title: str, label: str, rows: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """`rows` from top to bottom: a name, and its value in each series. The axis starts at 0."""
    series = list(dict.fromkeys(name for _, values in rows for name in values))
    colours = {name: PALETTE[number % len(PALETTE)] for number, name in enumerate(series)}
    ticks = linear_ticks(0.0, max([0.1, *(value for _, values in rows for value in values.values())]))
    bottom = TOP + LINE * len(rows)
    parts = [
        *frame(title, WIDTH, bottom + BOTTOM),
        *_legend(series, colours),
        *_axis(ticks, label, bottom),
        *(
            part
            for number, (name, values) in enumerate(rows)
            for part in _row(number, name, values, ticks[-1], colours)
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _place(value: float, most: float) -> float:
    return LEFT + value / most * (WIDTH - LEFT - RIGHT)


def _legend(series: Sequence[str], colours: Mapping[str, str]) -> Iterator[str]:
    at = float(LEFT)
    for name in series:
        yield f'<circle cx="{at:.1f}" cy="56" r="5" fill="{colours[name]}"/>'
        yield text(at + 10, 60, short(name, LONGEST_NAME), INK)
        at += 30 + LETTER * len(short(name, LONGEST_NAME))


def _axis(ticks: Sequence[float], label: str, bottom: int) -> Iterator[str]:
    for tick in ticks:
        at = _place(tick, ticks[-1])
        yield f'<path d="M{at:.1f} {TOP - 8}V{bottom}" stroke="{FAINT}"/>'
        yield text(at, bottom + 18, tick_text(tick), SOFT, anchor="middle")
    yield text((LEFT + WIDTH - RIGHT) / 2, bottom + 42, label, INK, anchor="middle")


def _row(number: int, name: str, values: Mapping[str, float], most: float, colours: Mapping[str, str]) -> Iterator[str]:
    y = TOP + LINE * number + LINE / 2
    yield text(LEFT - 14, y + 4, short(name, LONGEST_NAME), INK, anchor="end")
    places = [_place(value, most) for value in values.values()]
    if places:
        yield f'<path d="M{min(places):.1f} {y:.1f}H{max(places):.1f}" stroke="{SOFT}" stroke-width="1.5"/>'
    for series, place in zip(values, places, strict=True):
        yield f'<circle cx="{place:.1f}" cy="{y:.1f}" r="5" fill="{colours[series]}" fill-opacity="0.85"/>'
