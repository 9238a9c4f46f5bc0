"""How a run is set by now: as it was begun, and as people moved it since, by `steer` or when it was resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wolfspider.store.view import RunView

_LISTS = {"AddSeeds": ("urls", "urls"), "Exclude": ("exclude", "rule"), "Include": ("include", "rule")}


@dataclass
class PresentSettings:
    """Settings and parameters of the strategy, at first and now."""

    first: Mapping[str, Any]
    now: dict[str, Any] = field(default_factory=dict)
    first_params: Mapping[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, view: RunView) -> PresentSettings:
        made = cls.begun(view.about)
        for _, _, data in view.events("Obeyed"):
            made.obeyed(data)
        return made

    @classmethod
    def begun(cls, about: Mapping[str, Any]) -> PresentSettings:
        """As a run was begun, by its run.json."""
        begun, params = (_mapping(about.get(name)) for name in ("settings", "params"))
        return cls(begun, dict(begun), params, dict(params))

    def obeyed(self, told: Mapping[str, Any]) -> None:
        """A person said something, and the run answered."""
        if not told.get("problem"):
            self._move(_mapping(told.get("command")))

    @property
    def keywords(self) -> list[str]:
        return [word.strip() for word in str(self.now.get("topic") or "").split(",") if word.strip()]

    def _move(self, command: Mapping[str, Any]) -> None:
        match command:
            case {"kind": "SetTopic", "keywords": [*keywords]}:
                self.now["topic"] = ", ".join(map(str, keywords))
            case {"kind": "SetLimit", "name": str(name), "value": value}:
                self.now[name] = value
            case {"kind": "SetParam", "name": str(name), "value": value}:
                self.params[name] = value
            case {"kind": "AddSeeds", "found": True}:
                pass  # no person asked for these
            case {"kind": str(kind)} if kind in _LISTS:
                name, given = _LISTS[kind]
                more, before = command.get(given), self.now.get(name)
                self.now[name] = [
                    *(before if isinstance(before, list) else []),
                    *(more if isinstance(more, list) else [more]),
                ]


def _mapping(value: object) -> Mapping[str, Any]:
    """What a run says may be damaged."""
    return value if isinstance(value, Mapping) else {}
