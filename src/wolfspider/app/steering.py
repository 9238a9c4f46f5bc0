"""Commands to a run, sent from outside: what was typed becomes a command for the process that owns the run.

Mistakes that show at once are reported before anything is written, and a run that is over for good gets no command.
Everything else only the crawl can check: it answers with an event, and says why if it could not obey.
"""

from __future__ import annotations

import getpass
import math
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.app.plugins import ClassNeeded, strategy_kind
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import LIVE, worded
from wolfspider.core import codec, events
from wolfspider.core.errors import Problem, closest
from wolfspider.core.events import Command
from wolfspider.core.limits import Limits
from wolfspider.core.params import Param, chosen, move, parameters
from wolfspider.core.scope import Rule
from wolfspider.files.lock import is_owned
from wolfspider.files.program_name import shell_command
from wolfspider.store.fleet_folder import fleet_of
from wolfspider.store.folder import Places
from wolfspider.store.inbox import answer_to, append_command
from wolfspider.store.view import RunView
from wolfspider.web.seeds.sources import NoHost, address

_PAUSE = 0.1  # seconds between two checks for the answer
_LIMITS = "|".join(f"{name}={'S' if name == 'delay' else 'N'}" for name in LIVE)
_OF_FLEET = ("pages", "max_mb", "per_hour")  # limits of which an island has a part, and its fleet the whole
_MOST_SEEDS = 3  # named in a line

# A run without links may get new ones, and pages can be labelled at any time; a resumed run obeys that before it ends.
_REVIVING = (events.AddSeeds, events.Include, events.Label, events.SetTopic)
_OVER: Mapping[str, str] = {  # ends after which a run obeys little
    events.EndReason.DONE: "no link was left to follow",
    events.EndReason.FINISHED: "a person finished it",
    events.EndReason.CIRCLING: "it went round among pages it had",
    events.EndReason.STUCK: "its strategy waited for something that never came",
}


def send(run: Path, command: Command, wait: float) -> tuple[int, Mapping[str, Any] | None]:
    """Hand a command over; its number, and the answer. No answer: nobody runs the crawl, or it did not obey in time."""
    number = append_command(run, command, who_asks())
    answer = _answer(run, number, wait)
    if answer is None and (over := _over(run, command)):  # it ended meanwhile
        answer = {"problem": over}
    return number, answer


def refuse_what_is_late(run: Path, command: Command) -> None:
    """A run that nobody runs does not get every command."""
    if not is_owned(Places.of(run).lock) and (refusal := _idle(command) or _over(run, command)):
        raise Problem(refusal)


def _idle(command: Command) -> str:
    """Why a run without a process does not get this command: stored, it would end or pause the next session unasked."""
    if isinstance(command, events.Pause | events.Stop):
        return f"Nobody runs it, so there is nothing to {type(command).__name__.lower()}."
    return ""


def _over(run: Path, command: Command) -> str:
    """Why a run does not obey any more, and what to do instead; empty if it does, or will when it is resumed."""
    ended = RunView(run).ended
    if ended is None or ended in events.RESUMABLE:
        return ""
    if isinstance(command, _REVIVING if ended == events.EndReason.DONE else events.Label):
        return ""
    begin = shell_command("crawl", "...", "--learned-from", run)
    other = "Give it starting points (seeds) and resume it, or " if ended == events.EndReason.DONE else "Instead, "
    return (
        f"{run} has ended ({_OVER.get(ended, ended)}), so this would change nothing. {other}"
        f"start another run, which takes over what this one has learned: {begin}"
    )


def is_running(run: Path) -> bool:
    """Is there a process that will obey? One that has ended its run may still be busy closing it."""
    return is_owned(Places.of(run).lock) and RunView(run).ended is None


def who_asks() -> str:
    """Who gives commands here."""
    try:
        return f"{getpass.getuser()} on {socket.gethostname()}"
    except (OSError, KeyError):  # a user without a name
        return socket.gethostname()


def _answer(run: Path, number: int, wait: float) -> Mapping[str, Any] | None:
    """What came of it; None if nobody runs the crawl, or it did not answer in time."""
    until = time.monotonic() + wait
    while (answer := answer_to(run, number)) is None:
        if time.monotonic() >= until or not is_owned(Places.of(run).lock):
            return answer_to(run, number)
        time.sleep(_PAUSE)
    return answer


def command_for(run: Path, verb: str, words: Sequence[str]) -> Command:
    """The command that these words stand for, checked as far as possible here."""
    settings = settings_of(run)
    if verb not in VERBS:
        raise Problem(f"{verb!r} is not a command to a run.{closest(verb, VERBS)}")
    needs, make = VERBS[verb]
    if bool(words) != bool(needs):
        raise Problem(f"It is `{shell_command('steer', 'RUN', verb)} {needs}`.".replace(" `.", "`."))
    command = make(words)
    if isinstance(command, events.SetLimit) and command.name in _OF_FLEET and (fleet := fleet_of(run)) is not None:
        option = f"--{command.name.replace('_', '-')}"
        raise Problem(
            f"{run} is an island of a fleet, and {option} is of the whole fleet: stop that, and resume it by "
            f"`{shell_command('resume', fleet, option)} N`."
        )
    if isinstance(command, events.SetParam):
        with suppress(ClassNeeded):  # then the crawl alone can check it
            params: Any = chosen(strategy_kind(settings.strategy).Params, settings.set)
            move(params, command.name, command.value)
    return command


def _one(words: Sequence[str], needs: str) -> str:
    if len(words) != 1:
        raise Problem(f"One at a time: {needs}, not {' '.join(words)[:80]!r}.")
    return words[0]


def _pair(words: Sequence[str], needs: str) -> tuple[str, str]:
    name, equals, value = _one(words, needs).partition("=")
    if not equals or not name or not value:
        raise Problem(f"It takes {needs}, not {words[0][:80]!r}.")
    return name.strip().replace("-", "_"), value.strip()


def _limit(words: Sequence[str]) -> Command:
    name, value = _pair(words, _LIMITS)
    if name not in LIVE:
        raise Problem(f"There is no limit {name!r}.{closest(name, LIVE)}")
    limit = parameters(Limits)[name]  # its bounds are not those of a new run
    return events.SetLimit(name, limit.read(_number(limit, value)))


def _number(limit: Param, value: str) -> float:
    if limit.words:
        return float(limit.convert(value))
    whole = limit.kind == "int"
    with suppress(ValueError):
        number = float(value)
        if math.isfinite(number) and (not whole or number == int(number)):
            return int(number) if whole else number
    raise Problem(f"{limit.name} is a {'whole ' * whole}number, not {value[:80]!r}.")


def _topic(words: Sequence[str]) -> Command:
    text = " ".join(words)
    keywords = tuple(part.strip() for part in text.split(",") if part.strip())
    return events.SetTopic(keywords, text.replace(",", " "))


def _label(words: Sequence[str]) -> Command:
    """A page by its address, or a host by its name alone."""
    if len(words) != 2 or words[1] not in ("up", "down"):
        raise Problem(f"It is label URL up or label URL down, not {' '.join(words)[:80]!r}.")
    url, word = words
    return events.Label(address(url) if "/" in url else url.lower(), word == "up")


def _seeds(words: Sequence[str]) -> Command:
    try:
        return events.AddSeeds(tuple(dict.fromkeys(map(address, words))))
    except NoHost as problem:
        raise Problem(
            f"{problem} Starting points are given by `{shell_command('steer', 'RUN', 'seeds', 'URL...')}`, words to "
            f"look for by `{shell_command('steer', 'RUN', 'topic', 'WORDS')}`."
        ) from None


def _rule(words: Sequence[str]) -> str:
    return Rule.read(_one(words, "a RULE")).text


VERBS: Mapping[str, tuple[str, Callable[[Sequence[str]], Command]]] = {
    "set": ("NAME=VALUE", lambda words: events.SetParam(*_pair(words, "NAME=VALUE"))),
    "limit": (_LIMITS, _limit),
    "topic": ("WORDS", _topic),
    "pause": ("", lambda words: events.Pause()),
    "resume": ("", lambda words: events.Resume()),
    "finish": ("", lambda words: events.Finish()),
    "stop": ("", lambda words: events.Stop()),
    "seeds": ("URL...", _seeds),
    "label": ("URL up|down", _label),
    "exclude": ("RULE", lambda words: events.Exclude(_rule(words))),
    "include": ("RULE", lambda words: events.Include(_rule(words))),
}


def as_typed(command: Command) -> str:
    """The command in the words of `wolfspider steer`."""
    match command:
        case events.SetParam(name, value):
            return f"set {name}={value}"
        case events.SetLimit(name, value):
            return f"limit {name}={worded(name, value)}"
        case events.SetTopic(keywords, description):
            return f"topic {', '.join(keywords) or description}"
        case events.AddSeeds(urls):
            more = f" and {len(urls) - _MOST_SEEDS:,} more" if len(urls) > _MOST_SEEDS else ""
            return f"seeds {' '.join(urls[:_MOST_SEEDS])}{more}"
        case events.Label(url, good):
            return f"label {url} {'up' if good else 'down'}"
        case events.Exclude(rule) | events.Include(rule):
            return f"{type(command).__name__.lower()} {rule}"
        case _:
            return type(command).__name__.lower()


def answered(command: Command, number: int, answer: Mapping[str, Any] | None) -> dict[str, Any]:
    """What came of a command, as plain data."""
    told = {"number": number, "command": type(command).__name__.lower(), **codec.plain(command)}
    if answer is None:
        return told | {"obeyed": None, "old": None, "problem": ""}
    return told | {"obeyed": not answer["problem"], "old": answer.get("old"), "problem": answer["problem"]}
