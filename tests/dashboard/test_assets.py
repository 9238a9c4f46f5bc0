"""What the browser is sent: small, our own, unable to read markup, and readable in both themes."""

from __future__ import annotations

import gzip
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


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
