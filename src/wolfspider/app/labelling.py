"""Labels for pages of a run: what a teacher is asked, and what becomes of the answers.

The pages are chosen by policy/questions.py, from what the run knows of them. Answers are commands, as those of
`wolfspider steer`: a crawl that runs learns from them at once. Where nobody crawls, they are obeyed right here, so that
they are in the log of the run, and in what the run hands on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider.app import assemble
from wolfspider.app.doubtful_pages import candidates
from wolfspider.app.settings import Settings
from wolfspider.app.settling import obey_waiting
from wolfspider.app.steering import who_asks
from wolfspider.core.errors import BadInput, Busy, Problem, closest
from wolfspider.core.events import Label
from wolfspider.core.plain_text import plainly
from wolfspider.core.text import words
from wolfspider.core.topic import Topic
from wolfspider.files.lock import is_owned
from wolfspider.files.program_name import shell_command
from wolfspider.learn.stopwords import STOP_WORDS
from wolfspider.policy.questions import Doubtful, chosen
from wolfspider.policy.topic_words import is_telling
from wolfspider.store.folder import Places
from wolfspider.store.inbox import MOST_WAITING, answer_to, append_command
from wolfspider.store.view import RunView, StoredPage
from wolfspider.web.page.plaintext import readable
from wolfspider.web.seeds.sources import address

COUNT = 10  # pages that a person is asked about at a time
LONGEST = 400  # characters of an excerpt
_WINDOW = 50  # words of it
_READ = 20_000  # words of a page among which the excerpt is looked for
WAIT, _PAUSE = 10.0, 0.1  # seconds for a crawl to obey, and between two looks
_LARGEST_ANSWERS = 10_000_000  # bytes
_IN_DOUBT, _LEANING = 0.15, 0.35  # from the border, at most, of a score
_MOST_NAMED = 5  # addresses in a sentence
UP, DOWN, SKIP = "up", "down", "skip"


class PageQuestion(NamedTuple):
    """A page that a teacher is asked about."""

    url: str
    title: str
    score: float
    relevant: bool  # as the judge says
    links: int
    words: list[str]  # of the topic that the page has
    excerpt: str
    why: str


def questions(run: str | Path, count: int = COUNT) -> list[PageQuestion]:
    """The pages of a run from which its judge would learn most, the best first; it may run meanwhile."""
    view = RunView(Path(run))
    wanted = telling_words(topic_of(view))
    pages = ((candidate, view.page(candidate.url)) for candidate in chosen(candidates(view), count))
    return [_question(view, candidate, page, wanted) for candidate, page in pages if page is not None]


def topic_of(view: RunView) -> Topic:
    """What the run looks for now, without the pages that a person likes."""
    topic = assemble.topic_of(Settings.of_run(view.about), ())
    for _, _, data in view.events("Obeyed"):
        command = data.get("command", {})
        if command.get("kind") == "SetTopic" and not data.get("problem"):
            topic = Topic(tuple(command["keywords"]), str(command["description"]))
    return topic


def telling_words(topic: Topic) -> set[str]:
    """Words of a topic by which a page may be known; where it has none, all that it has."""
    every = set(words(" ".join((*topic.keywords, topic.description))))
    return {word for word in every - STOP_WORDS if is_telling(word)} or every


def _question(view: RunView, candidate: Doubtful, page: StoredPage, wanted: set[str]) -> PageQuestion:
    try:
        text = readable(view.body(page), page.headers.get("content-type", ""))
    except BadInput:  # never archived, or damaged
        text = page.description
    shown, met = excerpt(text, wanted)
    why = f"The judge {doubt_told(candidate.score)}: its score is {candidate.score:.2f}, and 0.50 is the border. "
    why += f"The page shows {candidate.links:,} link{'s' * (candidate.links != 1)}."
    title, links = plainly(page.title), candidate.links
    return PageQuestion(candidate.url, title, candidate.score, page.relevant, links, met, shown, why)


def doubt_told(score: float) -> str:
    """How sure the judge is, in words that fit behind its name."""
    if abs(score - 0.5) <= _IN_DOUBT:
        return "is in doubt"
    if abs(score - 0.5) <= _LEANING:
        return f"leans to {'yes' if score > 0.5 else 'no'}"
    return "is nearly sure, and other pages would teach it less"


def excerpt(text: str, wanted: set[str]) -> tuple[str, list[str]]:
    """The passage with most words of the topic, and those that the page has; the first of equal passages."""
    parts = text.split(None, _READ)[:_READ]
    hits = [wanted.intersection(words(part)) for part in parts]
    starts = [max(0, place - _WINDOW // 4) for place, met in enumerate(hits) if met] or [0]

    def here(start: int) -> int:
        return len(set[str]().union(*hits[start : start + _WINDOW]))

    start = max(starts[:500], key=here)
    passage = " ".join(parts[start : start + _WINDOW])
    more = "… " if start else ""
    return plainly(more + passage, LONGEST), sorted(set[str]().union(*hits))


# Answers


class Labelled(NamedTuple):
    """What became of labels."""

    up: int
    down: int
    running: bool  # a crawl has them
    taken: bool  # they are in the log of the run
    problem: str = ""  # why one of them was not obeyed


def label(run: str | Path, labels: Mapping[str, bool], on_remark: Callable[[str], None] | None = None) -> Labelled:
    """Label pages of a run by their addresses: good or not. A crawl that runs learns at once; where nobody crawls, the
    run itself takes them in, which may take a while."""
    folder, who = Path(run), who_asks()
    if on_remark and (unknown := unknown_told(folder, [address(url) for url in labels if "/" in url])):
        on_remark(unknown)
    numbers = [send(folder, url, good, who) for url, good in labels.items()]
    return settled(folder, list(labels.values()), numbers, on_remark)


def send(folder: Path, url: str, good: bool, who: str, by_teacher: bool = False) -> int:
    """Hand a label over; the number of the command."""
    return append_command(folder, Label(address(url) if "/" in url else url.lower(), good, by_teacher), who)


def unknown_told(run: Path, urls: Iterable[str]) -> str:
    """Of which of these addresses the run has no page, in a sentence; "" if it has all. They may be mistyped."""
    view = RunView(run)
    missing = [url for url in urls if view.page(url) is None]
    if not missing:
        return ""
    named = ", ".join(plainly(url, 200) for url in missing[:_MOST_NAMED])
    more = f" and {len(missing) - _MOST_NAMED:,} more" if len(missing) > _MOST_NAMED else ""
    one = len(missing) == 1
    return (
        f"The run has no page {named}{more}. {'This label counts' if one else 'These labels count'} only if a crawl of "
        f"it downloads the page{'s' * (not one)}: is the address spelled right?"
    )


def settled(
    folder: Path,
    answers: Sequence[bool],
    numbers: Sequence[int],
    remark: Callable[[str], None] | None = None,
    wait: float = WAIT,
) -> Labelled:
    """What becomes of labels that were sent. A crawl that runs has some seconds to obey them; one that just ended may
    not have seen them any more."""
    until, replies, running = time.monotonic() + wait, dict[int, Mapping[str, Any]](), False
    while len(replies) < len(numbers) and (not running or time.monotonic() < until):
        running = is_owned(Places.of(folder).lock)
        if running:
            time.sleep(_PAUSE)
        else:
            with suppress(Busy):  # somebody resumed it just now, and it obeys
                obey_waiting(folder, Settings.of_run(RunView(folder).about), remark or (lambda sentence: None))
        replies |= {each: reply for each in numbers if (reply := answer_to(folder, each)) is not None}
    problem = next((str(reply["problem"]) for reply in replies.values() if reply.get("problem")), "")
    up, taken = sum(answers), len(replies) == len(numbers)
    return Labelled(up, len(answers) - up, running, taken, problem)


def told(folder: Path, result: Labelled, by_teacher: bool = False) -> str:
    """What became of labels, and what they are good for, in sentences."""
    if not result.up + result.down:
        return "No label was given, and nothing was changed."
    count = result.up + result.down
    given = f"{count} label{'s' * (count > 1)}: {result.up} up, {result.down} down."
    if result.running:
        return f"{given} The crawl learns from {'them' if count > 1 else 'it'} as it goes on."
    rejudge = shell_command("export", folder, "--rejudge", "--relevant")
    kept, pages = ("They are kept", "these pages") if count > 1 else ("It is kept", "this page")
    whose = "the teacher's" if by_teacher else "your"
    learned = shell_command("crawl", "...", "--learned-from", folder)
    return (
        f"{given} {kept} in the run: for {pages} {whose} word counts. Score all its pages anew by what the "
        f"judge has learned: {rejudge}. Start a new crawl from that: {learned}"
    )


def read_answers(text: str, where: str) -> dict[str, bool]:
    """Labels that a person, or a program, wrote down: `up URL`, `down URL` or `skip URL` a line, or JSON objects with
    `url` and `label`. Blank lines and those that begin with # are left out."""
    labels: dict[str, bool] = {}
    if len(text) > _LARGEST_ANSWERS:
        raise BadInput(f"{where} is longer than {_LARGEST_ANSWERS:,} characters.")
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        word, url = _from_json(line) if line.startswith("{") else (*line.split(None, 1), "")[:2]
        if word not in (UP, DOWN, SKIP):
            raise Problem(
                f"{where}, line {number}: an answer is `up URL`, `down URL` or `skip URL`, not {line[:80]!r}."
                f"{closest(word, (UP, DOWN, SKIP))}"
            )
        if word != SKIP:
            labels[address(url)] = word == UP
    if len(labels) > MOST_WAITING:
        raise Problem(f"{where} has {len(labels):,} labels; give at most {MOST_WAITING:,} at a time.")
    return labels


def _from_json(line: str) -> tuple[str, str]:
    try:
        answer: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line[:80], ""
    if not isinstance(answer, dict):
        return line[:80], ""
    word, url = answer.get("label", SKIP), answer.get("url", "")
    if word is None or isinstance(word, bool):
        word = SKIP if word is None else UP if word else DOWN
    return (word, url) if isinstance(word, str) and isinstance(url, str) else (line[:80], "")
