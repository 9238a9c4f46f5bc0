"""`wolfspider steer`: what a person typed becomes a command for the process that owns the run, and its answer a line.

Mistakes that show at once are reported before anything is written, and a run that is over for good gets no command. A
command that takes something away says first what that is, and asks. Everything else only the crawl can check: it
answers with an event, and says why if it could not obey.
"""

from __future__ import annotations

import getpass
import math
import shlex
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.app.explain import Matching, matching
from wolfspider.app.past_runs import glimpse
from wolfspider.app.plugins import ClassNeeded, strategy_kind
from wolfspider.app.preflight import floor_told
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import LIVE, known
from wolfspider.cli.common import print_json, say
from wolfspider.core import codec, events
from wolfspider.core.errors import Problem, closest
from wolfspider.core.events import Command
from wolfspider.core.params import chosen, move
from wolfspider.core.plain_text import plainly
from wolfspider.core.scope import Rule
from wolfspider.files.lock import is_owned
from wolfspider.store.folder import Places
from wolfspider.store.inbox import answer_to, append_command
from wolfspider.store.view import RunView
from wolfspider.terminal.progress import console_for
from wolfspider.terminal.standing import counted, resume_command
from wolfspider.web.seeds.sources import NoHost, address

UNANSWERED = 1  # exit code
DECLINED = 1  # exit code: the person was asked, and did not say yes
_PAUSE = 0.1  # seconds between two checks for the answer
_LIMITS = "|".join(f"{name}={'S' if name == 'delay' else 'N'}" for name in LIVE)
_MOST_HOSTS = 3  # named in a warning
_MOST_SEEDS = 3  # named in a line
_ASIDE = "those that match are set aside until they are included again"
_DONE = {
    "Pause": "Paused: visits in flight land, nothing new starts. End the pause by: wolfspider steer {run} resume",
    "Resume": "Going on.",
    "Finish": "Finishing: visits in flight land, then the run is closed.",
    "Stop": "Stopped. Resume it by: {resume}",
}


# A run without links may get new ones, and pages can be labelled at any time; a resumed run obeys that before it ends.
_REVIVING = (events.AddSeeds, events.Include, events.Label, events.SetTopic)
_OVER: Mapping[str, str] = {  # ends after which a run obeys little
    events.EndReason.DONE: "no link was left to follow",
    events.EndReason.FINISHED: "a person finished it",
    events.EndReason.CIRCLING: "it went round among pages it had",
    events.EndReason.STUCK: "its strategy waited for something that never came",
}


def steer(
    run: Path, verb: str, words: Sequence[str], *, wait: float = 10.0, yes: bool = False, as_json: bool = False
) -> int:
    """Hand a command over, wait for the answer and print it."""
    command = command_for(run, verb, words)
    if not is_owned(Places.of(run).lock) and (refusal := _idle(command) or _over(run, command)):
        raise Problem(refusal)
    warning = _warning(run, command)
    if warning and not yes and not _agrees(warning):
        print("Nothing was changed.", file=sys.stderr)
        return DECLINED
    number = append_command(run, command, _who())
    answer = _answer(run, number, wait)
    if answer is None and (over := _over(run, command)):  # it ended meanwhile
        answer = {"problem": over}
    if answer is not None and answer.get("problem") and not as_json:
        raise Problem(str(answer["problem"]))
    if as_json:
        print_json(_told(command, number, answer))
    else:
        told = _sentence(run, command, answer) + _remark(run, command)
        say(console_for(), (f"{warning} " if warning and yes else "") + told, 2000)
    if answer is None:
        return UNANSWERED if _is_running(run) else 0
    return Problem.code if answer.get("problem") else 0


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
    begin = shlex.join(("wolfspider", "crawl", "...", "--learned-from", str(run)))
    other = "Give it starting points (seeds) and resume it, or " if ended == events.EndReason.DONE else "Instead, "
    return (
        f"{run} has ended ({_OVER.get(ended, ended)}), so this would change nothing. {other}"
        f"start another run, which takes over what this one has learned: {begin}"
    )


def _is_running(run: Path) -> bool:
    """Is there a process that will obey? One that has ended its run may still be busy closing it."""
    return is_owned(Places.of(run).lock) and RunView(run).ended is None


def _agrees(warning: str) -> bool:
    """Ask the person at the terminal; where there is none, nothing is done."""
    if not sys.stdin.isatty():
        raise Problem(plainly(f"{warning} There is no terminal to ask at: say --yes if that is meant.", 2000))
    say(console_for(stderr=True), warning, 2000)
    print("Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def command_for(run: Path, verb: str, words: Sequence[str]) -> Command:
    """The command that these words stand for, checked as far as possible here."""
    settings = settings_of(run)
    if verb not in VERBS:
        raise Problem(f"{verb!r} is not a command to a run.{closest(verb, VERBS)}")
    needs, make = VERBS[verb]
    if bool(words) != bool(needs):
        raise Problem(f"It is `wolfspider steer RUN {verb} {needs}`.".replace(" `.", "`."))
    command = make(words)
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
    return events.SetLimit(name, _number(name, value))


def _number(name: str, value: str) -> float:
    """The crawl checks the bounds: they are not those of a new run."""
    whole = known()[name].kind == "int"
    with suppress(ValueError):
        number = float(value)
        if math.isfinite(number) and (not whole or number == int(number)):
            return int(number) if whole else number
    raise Problem(f"{name} is a {'whole ' * whole}number, not {value[:80]!r}.")


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
            f"{problem} Starting points are given by `wolfspider steer RUN seeds URL...`, words to look for by "
            "`wolfspider steer RUN topic WORDS`."
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


def _warning(run: Path, command: Command) -> str:
    """What a command takes away, as far as the last snapshot tells; empty for those that take nothing away."""
    if isinstance(command, events.Finish):
        return (
            "Once finished, the run fetches nothing more, and links that wait are never followed; "
            "`stop` ends it so that it can be resumed."
        )
    if not isinstance(command, events.Exclude):
        return ""
    found = matching(run, Rule.read(command.rule))
    return f"How many links match is not known {_unknown(run)}; {_ASIDE}." if found is None else _matched(found)


def _unknown(run: Path) -> str:
    with suppress(ClassNeeded), glimpse(RunView(run)) as seen:
        return "yet, in the first minute of a run" if seen is None else "with this strategy"
    return "here, since its strategy is a class of another program"


def _matched(found: Matching) -> str:
    """What an exclusion would set aside."""
    count, whole = found.hosts.total(), "" if found.whole else " and were looked at"
    links = f"of the {counted(found.waiting, 'link')} that waited at the last snapshot{whole}"
    if not count:
        none = f"None {links} match" if found.waiting or whole else "No link waited at the last snapshot"
        return f"{none}; links found later that match are not followed."
    most = ", ".join(f"{host} ({links:,})" for host, links in found.hosts.most_common(_MOST_HOSTS))
    where = f", {'most ' * (len(found.hosts) > _MOST_HOSTS)}at {most}"
    verb, they = ("matches", "It is") if count == 1 else ("match", "They are")
    return f"{count:,} {links} {verb}{where}. {they} set aside until {they.lower()} included again."


def _remark(run: Path, command: Command) -> str:
    """That public hosts are given more than a very short delay, or that a label waits for its page."""
    match command:
        case events.SetLimit("delay", delay) if sentence := floor_told(settings_of(run), delay):
            return f" {sentence}"
        case events.Label(url) if "://" in url and RunView(run).page(url) is None:
            return " The run has not downloaded it: the label counts when the page comes."
    return ""


def _who() -> str:
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


def told_of(event: events.Obeyed) -> str:
    """What came of a command, in a line beside the screen of the crawl that obeyed it."""
    verb, was = _as_typed(event.command), event.old
    if event.problem:
        return f"Not obeyed: {verb}: {event.problem}"
    before = ", ".join(map(str, was)) if isinstance(was, list | tuple) else was
    return f"Obeyed: {verb}" + (f" (was {before})" if before not in (None, "") else "")


def _as_typed(command: Command) -> str:
    """The command in the words of `wolfspider steer`."""
    match command:
        case events.SetParam(name, value):
            return f"set {name}={value}"
        case events.SetLimit(name, value):
            return f"limit {name}={value}"
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


def _told(command: Command, number: int, answer: Mapping[str, Any] | None) -> dict[str, Any]:
    told = {"number": number, "command": type(command).__name__.lower(), **codec.plain(command)}
    if answer is None:
        return told | {"obeyed": None, "old": None, "problem": ""}
    return told | {"obeyed": not answer["problem"], "old": answer.get("old"), "problem": answer["problem"]}


def _sentence(run: Path, command: Command, answer: Mapping[str, Any] | None) -> str:
    if answer is None and _is_running(run):
        return "The crawl has not answered yet. It has the command, and obeys when it is through with its turn."
    if answer is None:
        return f"Nobody runs it at the moment. It obeys when it is resumed: {resume_command(run)}"
    old = answer.get("old")
    match command:
        case events.SetLimit("pages", value) if value <= RunView(run).summary().downloads:
            now = f"pages was {old}, and is {value} now."
            return f"{now} That is spent already: the crawl ends when the requests it has sent are answered."
        case events.SetParam(name, value) | events.SetLimit(name, value):
            return f"{name} was {old}, and is {value} now."
        case events.SetTopic(keywords, _):
            return f"Wanted was: {', '.join(old or ()) or 'nothing named'}. Wanted is now: {', '.join(keywords)}."
        case events.AddSeeds(urls):
            return f"{len(urls)} starting point{'s' * (len(urls) > 1)} more."
        case events.Label(url, good):
            return f"{url} counts as {'good' if good else 'bad'} from now on."
        case events.Exclude(rule):
            again = shlex.join(("wolfspider", "steer", str(run), "include", rule))
            return f"Excluded: {rule}. Take it back by: {again}"
        case events.Include(rule):
            return f"Included: {rule}. Links that were set aside by it wait again, if there are any."
        case _:
            return _DONE[type(command).__name__].format(run=shlex.quote(str(run)), resume=resume_command(run))
