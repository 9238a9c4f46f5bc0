"""Commands from the browser: what one would do, its way to the crawl, what came of it, and how to take it back.

They are the commands of `wolfspider steer`, by the same way: this only writes them where the crawl looks for them. A
label for a run that nobody crawls is handed to a process of its own, which takes it into the run.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wolfspider.app import steering
from wolfspider.app.event_json import finite
from wolfspider.app.explain import matching
from wolfspider.app.plugins import PARTS
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import worded
from wolfspider.app.strange_runs import refuse_named
from wolfspider.core import codec, events
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.events import Command
from wolfspider.core.plain_text import plainly
from wolfspider.core.scope import Rule
from wolfspider.dashboard.acting_shapes import (
    CommandAnswer,
    CommandBody,
    History,
    HistoryLine,
    Preview,
    UndoBody,
)
from wolfspider.dashboard.curves import mark
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.run_past import past_of
from wolfspider.dashboard.shapes import Saying
from wolfspider.dashboard.undoing import saying, undo_now, undos
from wolfspider.store.inbox import waiting_commands
from wolfspider.store.view import RunView
from wolfspider.terminal.standing import counted
from wolfspider.terminal.steering_words import FINISHES, remark, sentence, set_aside

SHOWN = 1000  # commands of a history
_WAIT = 5.0  # seconds for which a crawl may be busy before it answers
_PATIENCE = 120.0  # and a process that takes a label into a run
_MOST_LABELS = 100  # that one process takes in
_FEW, _MOST_SHARE = 20, 0.8  # links left, and the share that is set aside, where a person is asked first
_LONGEST = 2000


class Unconfirmed(Busy):
    """It takes much away, so the person has to say that it is meant."""


def history(desk: RunDesk, run: Path) -> History:
    commands, _ = past_of(desk, run).said()
    told = zip(commands, undos(settings_of(run), commands), strict=True)
    lines: list[HistoryLine] = [{**mark(each, back), "obeyed": not each.problem} for each, back in told]
    verbs = {verb: needs for verb, (needs, _) in steering.VERBS.items()}
    return {"commands": [*lines[-SHOWN:], *_unanswered(run)], "verbs": verbs}


def preview(run: Path, asked: Saying) -> Preview:
    return _preview(run, steering.command_for(run, asked["verb"], asked["words"]))


def command(desk: RunDesk, run: Path, asked: CommandBody) -> CommandAnswer:
    return _sent(desk, run, steering.command_for(run, asked["verb"], asked["words"]), asked.get("confirm", False))


def undo(desk: RunDesk, run: Path, asked: UndoBody) -> CommandAnswer:
    commands, _ = past_of(desk, run).said()
    return _sent(desk, run, undo_now(settings_of(run), commands, asked["number"]), asked.get("confirm", False))


def _sent(desk: RunDesk, run: Path, meant: Command, confirmed: bool) -> CommandAnswer:
    """A command, whether it does something or takes it back: where it takes much away, the person must mean it."""
    steering.refuse_what_is_late(run, meant)
    if not confirmed and isinstance(meant, events.Exclude | events.Finish | events.SetLimit):
        would = _preview(run, meant)
        if would["needs_confirm"]:
            raise Unconfirmed(f"{would['text']} Say that it is meant (confirm).")
    if isinstance(meant, events.Label) and "://" in meant.url and not steering.is_running(run):
        refuse_named(run, PARTS, desk.for_all.settings())
        number, answer = _taken_in(desk, run, meant)
    else:
        number, answer = steering.send(run, meant, _WAIT)
    desk.forget(run)
    told = steering.answered(meant, number, answer)
    commands, _ = past_of(desk, run).said()
    numbered = zip(commands, undos(settings_of(run), commands), strict=True)
    back = next((undo for each, undo in numbered if each.number == number), None)
    problem = plainly(str(told["problem"]), _LONGEST)
    said = problem or sentence(run, meant, answer) + remark(run, meant)
    return {
        "number": number,
        "text": plainly(steering.as_typed(meant), _LONGEST),
        "obeyed": told["obeyed"],
        "old": finite(codec.plain(told["old"])),
        "problem": problem,
        "answer": plainly(said, _LONGEST),
        "running": steering.is_running(run),
        "undo": saying(back),
    }


def _taken_in(desk: RunDesk, run: Path, label: events.Label) -> tuple[int, Any]:
    """A label that a process of its own takes into a run at rest; its number, and the answer. Labels that come while
    such a process is at work are taken in together by the next one."""
    waiting: list[events.Label] = desk.lasting(run, "labels", list)
    waiting.append(label)
    with desk.alone(run, "labels"):
        if any(each is label for each in waiting):
            labels = waiting[:_MOST_LABELS]
            del waiting[: len(labels)]
            _take_in(run, labels)
    obeyed = [each for each in past_of(desk, run).said()[0] if each.command == label]
    if not obeyed or obeyed[-1].number is None:
        raise Busy(f"{run.name} has the label, and has not obeyed it yet.")
    return obeyed[-1].number, {"problem": obeyed[-1].problem, "old": obeyed[-1].old}


def _take_in(run: Path, labels: Sequence[events.Label]) -> None:
    answers = "".join(f"{'up' if label.good else 'down'} {label.url}\n" for label in labels)
    words = [sys.executable, "-P", "-m", "wolfspider", "label", "--quiet", "--answers", "-", "--", str(run)]
    try:
        done = subprocess.run(  # noqa: S603
            words, input=answers.encode(), capture_output=True, timeout=_PATIENCE, cwd=run.parent, check=False
        )
    except subprocess.TimeoutExpired:
        raise Busy(f"{run.name} has not taken the label in within {_PATIENCE:g} seconds; it may yet do so.") from None
    if done.returncode:
        said = plainly(done.stderr.decode("utf-8", "replace"), _LONGEST).strip()
        raise Problem(said.removeprefix("wolfspider: ") or f"{run.name} could not take the label in.")


# What a command would do


def _preview(run: Path, meant: Command) -> Preview:
    match meant:
        case events.Exclude(rule):
            return _of_exclusion(run, rule)
        case events.Finish():
            return _told(FINISHES, confirm=True)
        case events.SetLimit("pages", value) if value <= (spent := RunView(run).summary().downloads):
            return _told(f"{counted(spent, 'download')} are spent already, so the crawl would end.", confirm=True)
        case events.SetLimit(name, value):
            return _told(f"{name} becomes {worded(name, value)}.{remark(run, meant)}")
        case events.SetTopic(keywords, _):
            return _told(
                f"Wanted from now on: {', '.join(keywords)}. Pages are judged by that as they come; what you have "
                "labelled stays labelled."
            )
        case events.AddSeeds(urls):
            return _of_seeds(run, urls)
        case events.Label(url, _) if "://" not in url:
            return _told(f"The newest pages of {url}, 20 at most, get this label.")
        case events.Stop():
            return _told("The crawl ends at once, and can be resumed.")
        case events.Pause():
            return _told("Visits in flight land, and nothing new starts until the pause is ended.")
    return _told(f"{steering.as_typed(meant)}.{remark(run, meant)}")


def _of_exclusion(run: Path, rule: str) -> Preview:
    found = matching(run, Rule.read(rule))
    if found is None:
        return _told(set_aside(run, found))
    removes = found.hosts.total()
    left = found.waiting - removes
    little = bool(removes) and (left < _FEW or removes > _MOST_SHARE * found.waiting)
    return {
        "removes": removes,
        "left": left,
        "examples": [plainly(url, _LONGEST) for url in found.examples],
        "hosts": {plainly(host): links for host, links in found.hosts.most_common(20)},
        "needs_confirm": little,
        "text": plainly(
            set_aside(run, found) + (f" Only {counted(left, 'link')} would be left." if little else ""), _LONGEST
        ),
    }


def _of_seeds(run: Path, urls: Sequence[str]) -> Preview:
    view = RunView(run)
    had = [url for url in urls if view.visits_of(url)]
    new = counted(len(urls) - len(had), "new starting point")
    return _told(f"{new}." + (f" The run has visited {counted(len(had), 'other')} already." if had else ""))


def _told(text: str, confirm: bool = False) -> Preview:
    text = plainly(text, _LONGEST)
    return {"removes": None, "left": None, "examples": [], "hosts": {}, "needs_confirm": confirm, "text": text}


# What was said


def _unanswered(run: Path) -> list[HistoryLine]:
    """Commands that wait until the crawl comes to them, or is resumed."""
    return [
        {
            "number": number,
            "at": at,
            "downloads": None,
            "who": plainly(who),
            "text": plainly(steering.as_typed(waiting), _LONGEST),
            "before": "",
            "obeyed": None,
            "problem": "",
            "undo": None,
        }
        for number, at, who, waiting in waiting_commands(run, SHOWN)
    ]
