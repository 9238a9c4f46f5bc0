"""`wolfspider label`: a person is asked about a few pages, one key for each, and a crawl learns from the answers.

An answer is sent when the next one is given, so that the last one can be taken back. Where there is no terminal the
pages are listed, with how to answer.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from wolfspider.app.labelling import (
    DOWN,
    SKIP,
    UP,
    PageQuestion,
    questions,
    read_answers,
    send,
    settled,
    told,
    topic_of,
    unknown_told,
)
from wolfspider.app.run_folder import settings_of
from wolfspider.app.settings import choose
from wolfspider.app.steering import who_asks
from wolfspider.app.teacher import TaughtPage, TeacherPlan, ask_about, check, key_in_environment
from wolfspider.cli.common import STDOUT, print_json, say
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.plain_text import plainly
from wolfspider.files.program_name import shell_command
from wolfspider.store.view import RunView
from wolfspider.terminal.progress import busy, console_for

SILENT = 1  # exit code: the teacher gave no answer
UNDO, QUIT = "undo", "quit"
_KEYS = {
    **dict.fromkeys(("\x1b[A", "\x1bOA", "+", "y", "k"), UP),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "-", "n", "j"), DOWN),
    **dict.fromkeys(("\x1b[C", "\x1bOC", "s", " ", "\r", "\n"), SKIP),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "u", "\x7f", "\b"), UNDO),
    **dict.fromkeys(("q", "\x1b", "\x04"), QUIT),
}
_HELP = "↑ or y: on topic   ↓ or n: not   → or s: skip   ← or u: undo   q: quit"
_LONGEST_KEY, _TOGETHER = 6, 0.05  # characters of a key, and seconds between two of them
_TURN = 0.2  # seconds to wait for a key before looking whether Ctrl-C was pressed
_LARGEST = 10_000_000  # bytes of answers


def label(run: Path, count: int, answers: Path | None, as_json: bool, quiet: bool) -> int:
    """Ask, send, and say what became of it."""
    if answers is not None:
        return _answered(run, read_answers(_read(answers), str(answers)), quiet)
    console = console_for(stderr=True, quiet=quiet)
    with busy(console, "Looking for the pages to ask about"):
        asked = questions(run, count)
    if as_json:
        for question in asked:
            print_json(question._asdict())
        return 0
    if not asked:
        say(console_for(), "The judge is in no doubt about any page of the run that has no label yet: nothing to ask.")
        return 0
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _list(run, asked)
        return 0
    return Asking(run, asked, console_for()).ask(quiet)


def _read(answers: Path) -> str:
    try:
        if answers == STDOUT:
            return sys.stdin.read(_LARGEST + 1)
        with answers.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{answers} cannot be read: {error.strerror}.") from error


def _answered(run: Path, labels: Mapping[str, bool], quiet: bool) -> int:
    code = _finished(run, labels, quiet)
    if unknown := unknown_told(run, labels):
        say(console_for(stderr=True, quiet=quiet), unknown, 2000)
    return code


def _finished(run: Path, labels: Mapping[str, bool], quiet: bool, by_teacher: bool = False) -> int:
    who = who_asks()
    numbers = [send(run, url, good, who, by_teacher) for url, good in labels.items()]
    return _tell(run, list(labels.values()), numbers, quiet, by_teacher)


def _tell(run: Path, answers: Sequence[bool], numbers: Sequence[int], quiet: bool, by_teacher: bool = False) -> int:
    """Wait for what becomes of the labels, and say it."""
    with busy(console_for(stderr=True, quiet=quiet), "The run takes the labels in"):
        result = settled(run, answers, numbers)
    if result.problem:
        raise Problem(result.problem)
    say(console_for(quiet=quiet), told(run, result, by_teacher), 2000)
    return 0


def ask_teacher(run: Path, count: int, flags: Mapping[str, Any], quiet: bool) -> int:
    """A chat service answers in place of the person."""
    plan = TeacherPlan.of(choose({**settings_of(run).to_json(), **flags}, environment=False).settings)
    check(plan, key_in_environment())
    console = console_for(stderr=True, quiet=quiet)
    view, asked = RunView(run), questions(run, count)
    taught = asyncio.run(_taught(plan, view, asked, console))
    code = _finished(run, {each.url: each.good for each in taught}, quiet, by_teacher=True)
    return SILENT if asked and not taught else code


async def _taught(
    plan: TeacherPlan, view: RunView, asked: Sequence[PageQuestion], console: Console
) -> list[TaughtPage]:
    taught = []
    with busy(console, "The teacher reads"):
        urls = [question.url for question in asked]
        async for each in ask_about(plan, view.folder, topic_of(view), urls, lambda text: say(console, text)):
            taught.append(each)
            say(console, f"{'up' if each.good else 'down'} {each.url}: {each.reason}")
    return taught


def _list(run: Path, asked: Sequence[PageQuestion]) -> None:
    """For a person whose terminal is elsewhere, or a program."""
    for question in asked:
        print(*_lines(question), "", sep="\n")
    how = shell_command("label", run, "--answers", "FILE")
    print(
        "There is no terminal to ask at. Write an answer a line, `up URL`, `down URL` or `skip URL`, and give them by"
    )
    print(f"  {how}")
    print("or through a pipe by --answers -. With --json each page is a line of JSON.")


def _lines(question: PageQuestion) -> list[str]:
    said = "on topic" if question.relevant else "off topic"
    return [
        plainly(question.title) or "(no title)",
        plainly(question.url, 2000),
        f"  {question.why} It says: {said}.",
        f"  {question.excerpt}",
    ]


@contextmanager
def _keyboard() -> Iterator[Callable[[], str]]:
    """Reads single keys. All the time between two of them too, so that none is lost, or shown, that came early."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: _pressed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _pressed(terminal: int) -> str:
    """A key; an arrow is three characters that come at once.

    It waits in short turns: a Ctrl-C that comes just before a read would otherwise be heard only with the next key.
    """
    while not select.select([terminal], [], [], _TURN)[0]:
        pass
    key = os.read(terminal, 1)
    if not key:
        raise EOFError
    while key[:1] == b"\x1b" and len(key) < _LONGEST_KEY and select.select([terminal], [], [], _TOGETHER)[0]:
        key += os.read(terminal, 1)
        if len(key) > 2 and key[-1:].isalpha():
            break
    return key.decode("latin-1")


class Asking:
    """The dialogue with a person at a terminal."""

    def __init__(self, run: Path, asked: Sequence[PageQuestion], console: Console) -> None:
        self.run, self.asked, self.console = run, asked, console
        self.who = who_asks()
        self.given: list[tuple[int, bool]] = []  # which page, and the answer
        self.numbers: list[int] = []  # of the answers that were sent
        self.place = 0

    def ask(self, quiet: bool) -> int:
        with _keyboard() as self.pressed, suppress(KeyboardInterrupt):
            self._ask_all()
        self._send_rest()
        return _tell(self.run, [good for _, good in self.given], self.numbers, quiet)

    def _ask_all(self) -> None:
        while self.place < len(self.asked):
            self._show(self.asked[self.place])
            said = self._key()
            if said == QUIT:
                break
            if said == UNDO:
                self._undo()
                continue
            if said != SKIP:
                self._send_rest()
                self.given.append((self.place, said == UP))
            self.place += 1

    def _send_rest(self) -> None:
        """What was answered can no longer be taken back."""
        for place, good in self.given[len(self.numbers) :]:
            self.numbers.append(send(self.run, self.asked[place].url, good, self.who))

    def _undo(self) -> None:
        if len(self.given) > len(self.numbers):
            place, _ = self.given.pop()
            self.place = place
        elif self.place and (not self.given or self.given[-1][0] != self.place - 1):
            self.place -= 1  # it was skipped
        else:
            other = shell_command("steer", "RUN", "label", "URL")
            said = f"That answer was sent; give the other label by `{other} up|down`."
            say(self.console, said if self.given else "This is the first page.")

    def _show(self, question: PageQuestion) -> None:
        title, url, why, _ = _lines(question)
        self.console.print()
        self.console.print(Text(f"{self.place + 1} of {len(self.asked)}  ", "dim"), Text(title, "bold"))
        self.console.print(Text(url, "dim"))
        shown = Text(question.excerpt)
        shown.highlight_words(question.words, "bold", case_sensitive=False)
        self.console.print(shown)
        self.console.print(Text(why.strip(), "dim"))
        self.console.print(Text(_HELP, "dim"))

    def _key(self) -> str:
        while True:
            try:
                key = self.pressed()
            except EOFError:
                return QUIT
            if said := _KEYS.get(key if len(key) > 1 else key.lower()):
                self.console.print(Text(said, "bold"))
                return said
            say(self.console, f"That key means nothing here. {_HELP}")
