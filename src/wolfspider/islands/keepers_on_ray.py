"""Keepers as actors of Ray, spread over the machines of a cluster; each starts its island as a process beside it.

Orders and reports are bytes of our own (msgpack): what Ray packs and unpacks is never anything of a page. An actor
that dies, or whose machine does, takes its island with it. Another one is made for it, wherever there is room, and
resumes the island from its folder, which therefore must be on a disk that all machines see.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.app.settings import Settings
from wolfspider.core.errors import Problem
from wolfspider.drivers.cluster.ray_home import RayHome
from wolfspider.islands.keeper import Keeper

_PATIENCE = 60.0  # seconds for which an actor may be silent, its start included; then another one takes its place
_GOODBYE = 30.0  # seconds that all islands have to end


class KeeperActor:
    """A keeper in a process of Ray's."""

    def __init__(self, fleet: str, number: int, name: str, settings: bytes, moved: Collection[str]) -> None:
        self._keeper = Keeper(Path(fleet), number, name, Settings.from_json(json.loads(settings)), moved)

    def turn(self, order: bytes) -> bytes:
        return self._keeper.turn(order)

    def close(self) -> None:
        self._keeper.close()


class KeepersOnRay:
    def __init__(
        self, home: RayHome, fleet: Path, count: int, name: str, settings: Settings, moved: Collection[str] = ()
    ) -> None:
        self._ray, self._fleet, self._name, self._moved = home.ray, str(fleet), name, list(moved)
        self._settings = json.dumps(settings.to_json()).encode()
        self._kind = home.ray.remote(num_cpus=0, max_restarts=0)(KeeperActor)
        self._home, self._machines = home, list[str]()
        self._at = [""] * count  # the machine that each was sent to
        self._actors: list[Any] = [self._made(number) for number in range(count)]

    def _made(self, number: int, machine: str = "") -> Any:
        """On this machine, if it is still there; else on any."""
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        self._at[number] = machine
        made = self._kind.options(scheduling_strategy=affinity(machine, soft=True) if machine else "SPREAD")
        return made.remote(self._fleet, number, self._name, self._settings, self._moved)

    def machines(self) -> int:
        with suppress(Exception):  # Ray is out of reach for a moment
            self._machines = [str(node["NodeID"]) for node in self._home.nodes()]
        return len(self._machines)

    def place(self, number: int, at_work: Collection[int], most: int) -> None:
        islands = Counter(self._at[other] for other in at_work)
        if not self._machines or (self._at[number] in self._machines and islands[self._at[number]] < most):
            return
        self._ray.wait([self._actors[number].close.remote()], timeout=_GOODBYE)
        self.kill(number)
        self._actors[number] = self._made(number, min(self._machines, key=islands.__getitem__))

    def turns(self, orders: Sequence[bytes]) -> list[bytes | None]:
        asked = [actor.turn.remote(order) for actor, order in zip(self._actors, orders, strict=True)]
        self._ray.wait(asked, num_returns=len(asked), timeout=_PATIENCE)
        return [self._answer(number, answer) for number, answer in enumerate(asked)]

    def _answer(self, number: int, answer: Any) -> bytes | None:
        errors = self._ray.exceptions
        try:
            told: bytes = self._ray.get(answer, timeout=0)
        except (errors.RayActorError, errors.GetTimeoutError, errors.ObjectLostError):
            self.kill(number)
            self._actors[number] = self._made(number)
            return None
        except errors.RayTaskError as error:
            raise Problem(f"The keeper of island {number + 1} failed: {error.cause}") from error
        return told

    def kill(self, number: int) -> None:
        """End a keeper at once, and its island with it."""
        self._ray.kill(self._actors[number])

    def close(self) -> None:
        closing = [actor.close.remote() for actor in self._actors]
        self._ray.wait(closing, num_returns=len(closing), timeout=_GOODBYE)
        for number in range(len(self._actors)):
            self.kill(number)
