"""The strategies and judges that take part in a bench: those of the house, and those from files of a person's own.

In tables an entrant has its own name: a strategy what it calls itself, a judge the name of its class. Where two would
have the same, or one of the house has it, the file is told as well: `fox (my_fox.py)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app.plugins import content_digest, is_file, judge_maker, strategy_kind
from wolfspider.bench.measure.metrics import key
from wolfspider.bench.run.source import imports_of
from wolfspider.core.errors import Problem, closest
from wolfspider.core.topic import Task, Topic
from wolfspider.policy.judges import JUDGES, ORACLE, make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies import all_strategies


class Own(NamedTuple):
    """A class in a file of a person's own."""

    address: str  # FILE.py[:NAME], absolute
    name: str  # what it calls itself
    digest: str  # of the content of the file
    imports: tuple[str, ...]  # what the file imports


class Entrant(NamedTuple):
    name: str  # in tables
    given: str  # on the command line
    own: Own | None = None  # None: one of the house


def strategies_entered(given: Iterable[str]) -> list[Entrant]:
    """Problem tells which of them there is not, and what is wrong in a file."""
    return _entered(given, strategy_kind, all_strategies())


def judges_entered(given: Iterable[str]) -> list[Entrant]:
    """Likewise; in a bench the oracle is a judge, too."""
    house = (*JUDGES, ORACLE)

    def load(name: str) -> object:
        if not is_file(name) and name not in house:
            raise Problem(f"There is no judge {name!r}.{closest(name, house)}")
        return judge_maker(name) if is_file(name) else None

    return _entered(given, load, house)


def _entered(given: Iterable[str], load: Callable[[str], Any], house: Iterable[str]) -> list[Entrant]:
    kinds = {name: load(name) for name in dict.fromkeys(given)}
    owns = {name: _own(name, kind) for name, kind in kinds.items() if is_file(name)}
    taken = Counter([*house, *(own.name for own in owns.values())])
    files = Counter(Path(name).name for name in owns)
    entrants = []
    for name in kinds:
        own = owns.get(name)
        shown = own.name if own else name
        if own and taken[shown] > 1:
            shown = f"{shown} ({Path(name).name if files[Path(name).name] == 1 else name})"
        entrants.append(Entrant(shown, name, own))
    return entrants


def _own(given: str, kind: type) -> Own:
    path = Path(given.partition(".py")[0] + ".py").absolute()
    name = str(getattr(kind, "name", "") or kind.__name__)
    return Own(f"{path}:{kind.__name__}", name, content_digest(kind), imports_of(path.read_bytes()))


def strategy_of(name: str, own: Own | None) -> type[Strategy]:
    return strategy_kind(own.address if own else name)


def judge_of(name: str, own: Own | None, task: Task) -> Callable[[Topic], Judge]:
    """Makes the judge for a topic; the labels of the task are for the oracle alone."""
    if own:
        return judge_maker(own.address)
    return lambda topic: make_judge(name, topic, dict.fromkeys(task.relevant, True), key)


def check_unchanged(own: Own | None, load: Callable[[str], Any]) -> None:
    """Results are kept under what the file was when the bench began: they must come from that."""
    if own and content_digest(load(own.address)) != own.digest:
        raise Problem(f"{own.address} has changed while the bench ran. Run the bench again.")


def files_of(entrants: Iterable[Entrant]) -> Mapping[str, Mapping[str, str]]:
    """For the report: where the entrants that are not of the house come from, by their names."""
    return {entrant.name: {"file": entrant.given, "digest": entrant.own.digest} for entrant in entrants if entrant.own}
