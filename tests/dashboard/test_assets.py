"""What the browser is sent: small, our own, unable to read markup, and readable in both themes."""

from __future__ import annotations

import gzip
import itertools
import math
import re
from pathlib import Path

import pytest

import wolfspider

STATIC = Path(wolfspider.__file__).parent / "dashboard" / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
READS_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment|setHTML"
    r"|\beval\(|new Function"
)
SIGHTS = {  # what is left of red, green and blue: Machado, Oliveira and Fernandes 2009
    "without red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "without green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "without blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
ON = {  # text, and the grounds it stands on
    "ink": ("paper", "panel", "sunken"),
    "muted": ("paper", "panel", "sunken"),
    "accent": ("paper", "panel", "accent-soft"),
    "good": ("panel", "good-soft"),
    "bad": ("panel", "bad-soft"),
    "warn": ("panel", "warn-soft"),
    "accent-ink": ("accent",),
}


def test_everything_together_is_small() -> None:
    files = [each for each in STATIC.iterdir() if each.is_file()]
    assert len(files) > 20
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) < 150_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.name)
def test_no_script_reads_markup_or_asks_elsewhere(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert not READS_MARKUP.search(text)
    assert not re.findall(r"""["'`](?:https?:)?//(?!www\.w3\.org|example\.org)[a-z]""", text)


def test_pages_have_no_script_or_handler_within() -> None:
    for page in STATIC.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:", text), page.name


@pytest.mark.parametrize("theme", [":root", '[data-theme="dark"]'])
def test_text_stands_out_from_its_ground(theme: str) -> None:
    block = (STATIC / "style.css").read_text(encoding="utf-8").split(theme + " {", 1)[1].split("}", 1)[0]
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))
    for text, grounds in ON.items():
        for ground in grounds:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("theme", [":root", '[data-theme="dark"]'])
@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_are_told_apart_by_people_who_do_not_see_all_of_them(theme: str, sight: str) -> None:
    """In CIELAB, where 2.3 can just be told apart. Comparisons have up to eight curves."""
    block = (STATIC / "style.css").read_text(encoding="utf-8").split(theme + " {", 1)[1].split("}", 1)[0]
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))
    seen = {name: lab(colour, SIGHTS[sight]) for name, colour in colours.items()}
    curves = [f"s{number}" for number in range(1, 9)]
    for one, other in itertools.combinations(curves, 2):
        assert math.dist(seen[one], seen[other]) > 10, (one, other)
    assert math.dist(seen["good"], seen["bad"]) > 15


def lab(colour: str, sight: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """A colour in CIELAB, as somebody sees it."""
    light = linear(colour)
    red, green, blue = (max(0.0, sum(a * b for a, b in zip(row, light, strict=True))) for row in sight)
    parts = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in parts)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(colour: str) -> list[float]:
    """Its red, green and blue as light."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
