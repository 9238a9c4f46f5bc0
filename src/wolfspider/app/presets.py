"""Settings for a purpose, by name; docs/cli.md explains each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wolfspider.core.errors import Problem, closest


class Preset(NamedTuple):
    """Settings for a purpose."""

    says: str
    settings: Mapping[str, Any]


PRESETS: Mapping[str, Preset] = {
    "corpus": Preset(
        "many texts about a topic, soon",
        {"pages": 10_000, "slots": 32, "hurry": 600.0, "hands": 1},
    ),
    "spider": Preset(
        "the pages most like those you like (--like), shown as results", {"strategy": "spider-best-first", "pages": 300}
    ),
    "archive": Preset(
        "whole sites, as they are, for good",
        {"strategy": "breadth-first", "pages": 10_000, "requisites": 50_000, "durability": "full"},
    ),
    "monitor": Preset(
        "news of sites, for a watch", {"per_hour": 240, "every": 300.0, "keep_days": 30.0, "window": 24.0}
    ),
    "gentle": Preset("small servers, which hardly notice", {"delay": 10.0, "adapt": 5.0, "slots": 4, "per_address": 1}),
}


def preset_named(name: str) -> Mapping[str, Any]:
    if name not in PRESETS:
        raise Problem(f"There is no preset {name!r}.{closest(name, PRESETS)}")
    return PRESETS[name].settings
