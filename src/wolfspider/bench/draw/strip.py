"""A number with its interval as a drawing of one line's height, to stand beside the words of a ruling."""

from __future__ import annotations

import math

from wolfspider.bench.draw.svg import PALETTE
from wolfspider.bench.experiment import Estimate

WIDTH, HEIGHT, EDGE = 180, 16, 8
WANTED, FOUND = PALETTE[2], PALETTE[0]


def strip(measured: Estimate) -> str:
    """The wanted range as a field, the interval as a stroke, the mean as a dot, and a tick where zero is in sight.
    Nothing, where a number is not finite."""
    numbers = (measured.mean, measured.low, measured.high)
    if not all(map(math.isfinite, numbers)):
        return ""
    borders = [border for border in measured.wanted if math.isfinite(border)]
    low, high = min(*numbers, *borders), max(*numbers, *borders)
    margin = 0.08 * (high - low) or 1.0
    low, high = low - margin, high + margin

    def place(value: float) -> float:
        inside = min(max(value, low), high)
        return EDGE + (inside - low) / (high - low) * (WIDTH - 2 * EDGE)

    wanted, found = (tuple(map(place, pair)) for pair in (measured.wanted, (measured.low, measured.high)))
    middle = HEIGHT / 2
    zero = f'<path d="M{place(0):.1f} 1V{HEIGHT - 1}" stroke="currentColor"/>' if low < 0 < high else ""
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
        f"<title>{measured.mean:.4g}, 95% interval {measured.low:.4g} to {measured.high:.4g}</title>"
        f'<rect x="{wanted[0]:.1f}" y="2" width="{wanted[1] - wanted[0]:.1f}" height="{HEIGHT - 4}" fill="{WANTED}"'
        f' fill-opacity="0.22"/>{zero}'
        f'<path d="M{found[0]:.1f} {middle}H{found[1]:.1f}" stroke="{FOUND}" stroke-width="2.5"/>'
        f'<circle cx="{place(measured.mean):.1f}" cy="{middle}" r="4" fill="{FOUND}"/></svg>'
    )
