"""The strategies and judges that take part in a bench: built-in ones, and plug-ins from a user's files.

In tables a strategy has the name it gives itself, a judge the name of its class. If two entrants would have the same
name, or a built-in one has it, the file is shown, too: `fox (my_fox.py)`.
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
from wolfspider.core.params import chosen
from wolfspider.core.topic import Task, Topic
from wolfspider.files.program_name import shell_command
from wolfspider.policy.judges import JUDGES, ORACLE, make_judge
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.strategy import Strategy
from wolfspider.strategies import all_strategies
from wolfspider.testing.demands import Checked, tried
from wolfspider.testing.judge_conformance import verdicts_are_scores
from wolfspider.testing.sketch import Sketch, Trial, configured

FEW = 20  # downloads of a trial


class Plugin(NamedTuple):
    """A class from a user's file."""

    address: str  # FILE.py[:NAME], absolute
    name: str  # what it calls itself
    digest: str  # of the content of the file
    imports: tuple[str, ...]  # what the file imports


class Entrant(NamedTuple):
    name: str  # in tables
    given: str  # on the command line
    plugin: Plugin | None = None  # None: built in


def strategies_entered(given: Iterable[str]) -> list[Entrant]:
    """Problem reports a name that does not exist, and an error in a file."""
    return _entered(given, strategy_kind, all_strategies())


def judges_entered(given: Iterable[str]) -> list[Entrant]:
    """Likewise; in a bench the oracle is a judge, too."""
    built_in = (*JUDGES, ORACLE)

    def load(name: str) -> object:
        if not is_file(name) and name not in built_in:
            raise Problem(f"There is no judge {name!r}.{closest(name, built_in)}")
        return judge_maker(name) if is_file(name) else None

    return _entered(given, load, built_in)


def _entered(given: Iterable[str], load: Callable[[str], Any], built_in: Iterable[str]) -> list[Entrant]:
    kinds = {name: load(name) for name in dict.fromkeys(given)}
    plugins = {name: _plugin_of(name, kind) for name, kind in kinds.items() if is_file(name)}
    taken = Counter([*built_in, *(plugin.name for plugin in plugins.values())])
    files = Counter(Path(name).name for name in plugins)
    entrants = []
    for name in kinds:
        plugin = plugins.get(name)
        shown = plugin.name if plugin else name
        if plugin and taken[shown] > 1:
            shown = f"{shown} ({Path(name).name if files[Path(name).name] == 1 else name})"
        entrants.append(Entrant(shown, name, plugin))
    return entrants


def _plugin_of(given: str, kind: type) -> Plugin:
    path = Path(given.partition(".py")[0] + ".py").absolute()
    name = str(getattr(kind, "name", "") or kind.__name__)
    return Plugin(f"{path}:{kind.__name__}", name, content_digest(kind), imports_of(path.read_bytes()))


def check_works(entrants: Iterable[Entrant], judge: Entrant, settings: Mapping[str, Mapping[str, str]]) -> None:
    """Try plug-ins on a few pages in memory: what fails there would fail in every row."""
    checks: list[tuple[Entrant, Checked]] = []
    if judge.plugin:
        checks.append((judge, tried(verdicts_are_scores, judge_maker(judge.plugin.address))))
    for entrant in entrants:
        if entrant.plugin:
            kind = strategy_of(entrant.name, entrant.plugin)
            params: Any = chosen(kind.Params, settings.get(entrant.name, {}))
            checks.append((entrant, tried(_crawls, configured(kind, vars(params)))))
    for entrant, checked in checks:
        if checked.seen:
            sentence = f"{entrant.given} cannot take part: {checked.seen.rstrip('.')}. {checked.remedy}"
            raise Problem(f"{sentence} More is tried by: {shell_command('conform', entrant.given)}")


def _crawls(kind: type[Strategy]) -> None:
    """It crawls."""
    Trial(kind, Sketch(), pages=FEW).run()


def strategy_of(name: str, plugin: Plugin | None) -> type[Strategy]:
    return strategy_kind(plugin.address if plugin else name)


def judge_of(name: str, plugin: Plugin | None, task: Task) -> Callable[[Topic], Judge]:
    """Makes the judge for a topic; the labels of the task are for the oracle alone."""
    if plugin:
        return judge_maker(plugin.address)
    return lambda topic: make_judge(name, topic, dict.fromkeys(task.relevant, True), key)


def check_unchanged(plugin: Plugin | None, load: Callable[[str], Any]) -> None:
    """Results are kept under the content that the file had when the bench began: they must come from it."""
    if plugin and content_digest(load(plugin.address)) != plugin.digest:
        raise Problem(f"{plugin.address} has changed while the bench ran. Run the bench again.")


def files_of(entrants: Iterable[Entrant]) -> Mapping[str, Mapping[str, str]]:
    """The files of plug-ins by the names of the entrants, for the report."""
    return {
        entrant.name: {"file": entrant.given, "digest": entrant.plugin.digest} for entrant in entrants if entrant.plugin
    }
