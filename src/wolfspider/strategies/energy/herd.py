"""The agents of the energy strategy: where each is, its energy, where it is heading; and the sum of all energies."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from typing import Any

from wolfspider.core.codec import helper

NOWHERE = -1


class Agent:
    __slots__ = ("at", "energy", "forced", "heading")

    def __init__(self, at: int = NOWHERE, energy: float = 1.0, heading: int = NOWHERE, forced: bool = False) -> None:
        self.at = at  # the document it stands on
        self.energy = energy
        self.heading = heading  # the address it has chosen and not reached
        self.forced = forced  # would have died, and must go where energy is left


@helper
class Herd:
    """Agents by name. They are stored as a few arrays, however many there are."""

    def __init__(self) -> None:
        self.agents: dict[str, Agent] = {}
        self.born = 0
        self.energy = 0.0  # of all

    def __len__(self) -> int:
        return len(self.agents)

    def __contains__(self, name: str) -> bool:
        return name in self.agents

    def __getitem__(self, name: str) -> Agent:
        return self.agents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.agents)

    @property
    def died(self) -> int:
        return self.born - len(self)

    def join(self, at: int = NOWHERE, energy: float = 1.0) -> str:
        name = f"agent-{self.born}"
        self.agents[name] = Agent(at, energy)
        self.born += 1
        self.energy += energy
        return name

    def feed(self, agent: Agent, amount: float) -> None:
        agent.energy += amount
        self.energy += amount

    def leave(self, name: str) -> None:
        self.energy -= self.agents.pop(name).energy
        if not self.agents:
            self.energy = 0.0  # drops the rounding error

    def state(self) -> dict[str, Any]:
        agents = self.agents.values()
        return {
            "born": self.born,
            "energy": self.energy,
            "numbers": array("Q", (int(name.removeprefix("agent-")) for name in self.agents)),
            "at": array("q", (agent.at for agent in agents)),
            "energies": array("d", (agent.energy for agent in agents)),
            "heading": array("q", (agent.heading for agent in agents)),
            "forced": array("B", (agent.forced for agent in agents)),
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Herd:
        made = cls()
        made.born, made.energy = state["born"], state["energy"]
        columns = (state[name] for name in ("numbers", "at", "energies", "heading", "forced"))
        for number, at, energy, heading, forced in zip(*columns, strict=True):
            made.agents[f"agent-{number}"] = Agent(at, energy, heading, bool(forced))
        return made


def brood(energy: float, room: int) -> int:
    """How many agents, with the parent, share an energy above 1: its ceiling, so that none has more than 1. With a
    clone for each whole unit besides the parent, as printed, an energy of 2 would become 3."""
    return min(math.ceil(energy), 1 + room) if energy > 1 else 1
