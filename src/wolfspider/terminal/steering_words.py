"""Commands to a run in words: what each would take away, what came of it, and what a person might not expect."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.app.explain import Matching, matching
from wolfspider.app.past_runs import glimpse
from wolfspider.app.plugins import ClassNeeded
from wolfspider.app.preflight import floor_told
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import worded
from wolfspider.app.steering import as_typed, is_running
from wolfspider.core import events
from wolfspider.core.events import Command
from wolfspider.core.scope import Rule
from wolfspider.files.program_name import shell_command
from wolfspider.store.view import RunView
from wolfspider.terminal.standing import counted, resume_command

_MOST_HOSTS = 3  # named in a warning
_ASIDE = "those that match are set aside until they are included again"
FINISHES = (
    "Once finished, the run fetches nothing more, and links that wait are never followed; "
    "`stop` ends it so that it can be resumed."
)
_DONE = {
    "Pause": "Paused: visits in flight land, nothing new starts. End the pause by: {unpause}",
    "Resume": "Going on.",
    "Finish": "Finishing: visits in flight land, then the run is closed.",
    "Stop": "Stopped. Resume it by: {resume}",
}


def warning(run: Path, command: Command) -> str:
    """What a command takes away, as far as the last snapshot tells; empty for those that take nothing away."""
    if isinstance(command, events.Finish):
        return FINISHES
    if not isinstance(command, events.Exclude):
        return ""
    return set_aside(run, matching(run, Rule.read(command.rule)))


def set_aside(run: Path, found: Matching | None) -> str:
    """What an exclusion would set aside; None if that is not known."""
    return f"How many links match is not known {_unknown(run)}; {_ASIDE}." if found is None else _matched(found)


def _unknown(run: Path) -> str:
    with suppress(ClassNeeded), glimpse(RunView(run)) as seen:
        return "yet, in the first minute of a run" if seen is None else "with this strategy"
    return "here, since its strategy is a class of another program"


def _matched(found: Matching) -> str:
    count, whole = found.hosts.total(), "" if found.whole else " and were looked at"
    links = f"of the {counted(found.waiting, 'link')} that waited at the last snapshot{whole}"
    if not count:
        none = f"None {links} match" if found.waiting or whole else "No link waited at the last snapshot"
        return f"{none}; links found later that match are not followed."
    most = ", ".join(f"{host} ({links:,})" for host, links in found.hosts.most_common(_MOST_HOSTS))
    where = f", {'most ' * (len(found.hosts) > _MOST_HOSTS)}at {most}"
    verb, they = ("matches", "It is") if count == 1 else ("match", "They are")
    return f"{count:,} {links} {verb}{where}. {they} set aside until {they.lower()} included again."


def remark(run: Path, command: Command) -> str:
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


def sentence(run: Path, command: Command, answer: Mapping[str, Any] | None) -> str:
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
