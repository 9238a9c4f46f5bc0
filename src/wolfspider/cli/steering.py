"""`wolfspider steer`: a command is handed over, and its answer is a line.

A command that takes something away says first what that is, and asks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.app.explain import Matching, matching
from wolfspider.app.past_runs import glimpse
from wolfspider.app.plugins import ClassNeeded
from wolfspider.app.preflight import floor_told
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import worded
from wolfspider.app.steering import answered, as_typed, command_for, is_running, refuse_what_is_late, send
from wolfspider.cli.common import print_json, say
from wolfspider.core import events
from wolfspider.core.errors import Problem
from wolfspider.core.events import Command
from wolfspider.core.plain_text import plainly
from wolfspider.core.scope import Rule
from wolfspider.files.program_name import shell_command
from wolfspider.store.view import RunView
from wolfspider.terminal.progress import console_for
from wolfspider.terminal.standing import counted, resume_command

UNANSWERED = 1  # exit code
DECLINED = 1  # exit code: the person was asked, and did not say yes
_MOST_HOSTS = 3  # named in a warning
_ASIDE = "those that match are set aside until they are included again"
_DONE = {
    "Pause": "Paused: visits in flight land, nothing new starts. End the pause by: {unpause}",
    "Resume": "Going on.",
    "Finish": "Finishing: visits in flight land, then the run is closed.",
    "Stop": "Stopped. Resume it by: {resume}",
}


def steer(
    run: Path, verb: str, words: Sequence[str], *, wait: float = 10.0, yes: bool = False, as_json: bool = False
) -> int:
    """Hand a command over, wait for the answer and print it."""
    command = command_for(run, verb, words)
    refuse_what_is_late(run, command)
    warning = _warning(run, command)
    if warning and not yes and not _agrees(warning):
        print("Nothing was changed.", file=sys.stderr)
        return DECLINED
    number, answer = send(run, command, wait)
    if answer is not None and answer.get("problem") and not as_json:
        raise Problem(str(answer["problem"]))
    if as_json:
        print_json(answered(command, number, answer))
    else:
        told = _sentence(run, command, answer) + _remark(run, command)
        say(console_for(), (f"{warning} " if warning and yes else "") + told, 2000)
    if answer is None:
        return UNANSWERED if is_running(run) else 0
    return Problem.code if answer.get("problem") else 0


def _agrees(warning: str) -> bool:
    """Ask the person at the terminal; where there is none, nothing is done."""
    if not sys.stdin.isatty():
        raise Problem(plainly(f"{warning} There is no terminal to ask at: say --yes if that is meant.", 2000))
    say(console_for(stderr=True), warning, 2000)
    print("Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


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


def told_of(event: events.Obeyed) -> str:
    """What came of a command, in a line beside the screen of the crawl that obeyed it."""
    verb, was = as_typed(event.command), event.old
    if isinstance(event.command, events.Label) and event.command.by_teacher:
        verb += ", as the teacher says"
    if event.problem:
        return f"Not obeyed: {verb}: {event.problem}"
    before = ", ".join(map(str, was)) if isinstance(was, list | tuple) else was
    if isinstance(event.command, events.SetLimit) and was is not None:
        before = worded(event.command.name, was)
    return f"Obeyed: {verb}" + (f" (was {before})" if before not in (None, "") else "")


def _sentence(run: Path, command: Command, answer: Mapping[str, Any] | None) -> str:
    if answer is None and is_running(run):
        return "The crawl has not answered yet. It has the command, and obeys when it is through with its turn."
    if answer is None:
        return f"Nobody runs it at the moment. It obeys when it is resumed: {resume_command(run)}"
    old = answer.get("old")
    match command:
        case events.SetLimit("pages", value) if value <= RunView(run).summary().downloads:
            now = f"pages was {old}, and is {value} now."
            return f"{now} That is spent already: the crawl ends when the requests it has sent are answered."
        case events.SetLimit(name, value):
            return f"{name} was {worded(name, old)}, and is {worded(name, value)} now."
        case events.SetParam(name, value):
            return f"{name} was {old}, and is {value} now."
        case events.SetTopic(keywords, _):
            return f"Wanted was: {', '.join(old or ()) or 'nothing named'}. Wanted is now: {', '.join(keywords)}."
        case events.AddSeeds(urls):
            return f"{len(urls)} starting point{'s' * (len(urls) > 1)} more."
        case events.Label(url, good):
            return f"{url} counts as {'good' if good else 'bad'} from now on."
        case events.Exclude(rule):
            again = shell_command("steer", run, "include", rule)
            return f"Excluded: {rule}. Take it back by: {again}"
        case events.Include(rule):
            return f"Included: {rule}. Links that were set aside by it wait again, if there are any."
        case _:
            return _DONE[type(command).__name__].format(
                unpause=shell_command("steer", run, "resume"), resume=resume_command(run)
            )
