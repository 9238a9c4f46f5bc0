"""A teacher that is a chat service: it is asked about pages as a person would be, and its answers are labels.

Sent are the topic and the beginning of the page's text, nothing else: no address, no other page, nothing of the run.
The answer is one bit and a reason. Anything else is no answer, so whatever a page says to the service, the worst it can
bring about is a wrong label for itself. Questions are bounded in number, tokens and money, over all sessions of a run,
and none is asked twice (store/teacher_ledger.py). No trouble with the service ever stops a crawl.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from wolfspider import __version__
from wolfspider.app.doubtful_pages import candidates
from wolfspider.app.settings import Settings
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import Label
from wolfspider.core.model import Page, hidden, host_of
from wolfspider.core.plain_text import plainly
from wolfspider.core.topic import Topic
from wolfspider.engine.crawl import Crawl
from wolfspider.policy.questions import Doubtful, Questions, due
from wolfspider.store.inbox import append_command
from wolfspider.store.teacher_ledger import Spent, TeacherLedger
from wolfspider.store.view import RunView
from wolfspider.web.http.chat_service import DEADLINE, ChatReply, ChatService, ChatTrouble, told
from wolfspider.web.http.ip_addresses import is_own_host
from wolfspider.web.seeds.sources import address

KEY = "WOLFSPIDER_TEACHER_KEY"  # in the environment
LONGEST_TEXT = 4_000  # characters of a page that are sent
LONGEST_TITLE = 300
LONGEST_REASON = 200
LONGEST_PROMPT = 20_000
ANSWER = 200  # tokens of an answer
MOST_FAILURES = 5  # in a row, after which the service is left alone for this session
FIRST_WAIT = 5.0  # seconds after a failure, doubled with each
LONGEST_WAIT = 300.0
POLL = 0.5  # seconds
NOTHING_ASKED = "The teacher was asked no question in this session."
_MILLION = 1_000_000


@dataclass(frozen=True)
class TeacherPlan:
    """Which service is asked, how, and how much at most."""

    url: str
    model: str = ""
    prompt: str = ""  # a file
    labels: int = 30
    tokens: int = 100_000
    price: float = 0.0  # of a million tokens
    money: float = 0.0  # 0: no bound
    deadline: float = DEADLINE

    @classmethod
    def of(cls, settings: Settings) -> TeacherPlan:
        names = ("model", "prompt", "labels", "tokens", "price", "money")
        return cls(address(settings.teacher), *(getattr(settings, f"teacher_{name}") for name in names))

    def affords(self, spent: Spent, tokens: int) -> bool:
        """May a question be asked that costs at most so much?"""
        whole = spent.tokens + tokens
        dear = self.money and whole * self.price / _MILLION > self.money
        return spent.questions < self.labels and whole <= self.tokens and not dear


def check(plan: TeacherPlan, key: str) -> None:
    """Everything that can be wrong with it and be seen at once."""
    prompt_of(plan)
    if plan.money and not plan.price:
        raise Problem("--teacher-money needs --teacher-price: what a million tokens cost.")
    if key and not (key.isascii() and key.isprintable()):
        raise Problem(f"{KEY} has characters that no key has.")
    if key and plan.url.startswith("http:") and not is_own_host(host_of(plan.url)):
        raise Problem("The key would be sent to the teacher readable by everybody on the way: use https.")


def check_settings(settings: Settings) -> None:
    if settings.teacher:
        check(TeacherPlan.of(settings), key_in_environment())


def key_in_environment() -> str:
    return os.environ.get(KEY, "").strip()


def prompt_of(plan: TeacherPlan) -> str:
    """What the service is told to do."""
    if not plan.prompt:
        return _own_prompt()
    try:
        text = Path(plan.prompt).read_text(encoding="utf-8")
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise BadInput(f"--teacher-prompt {plan.prompt} cannot be read: {why}. Give a file with a text.") from error
    except ValueError as error:
        raise BadInput(f"--teacher-prompt {plan.prompt} is no text in UTF-8.") from error
    if not text.strip() or len(text) > LONGEST_PROMPT:
        raise BadInput(f"--teacher-prompt {plan.prompt} must have 1 to {LONGEST_PROMPT:,} characters.")
    return text


@cache
def _own_prompt() -> str:
    return files("wolfspider.app").joinpath("teacher_prompt.txt").read_text(encoding="utf-8")


class TeacherAnswer(NamedTuple):
    good: bool
    reason: str


def question_of(topic: Topic, page: Page) -> str:
    """All that is sent of a page and of the topic."""
    words, room = [], LONGEST_TEXT
    for word in page.words:
        room -= len(word) + 1
        if room < 0:
            break
        words.append(word)
    wanted = {"keywords": list(topic.keywords), "description": topic.description}
    shown = {"title": plainly(page.title, LONGEST_TITLE), "text": plainly(" ".join(words), LONGEST_TEXT)}
    return json.dumps({"topic": wanted, "page": shown}, ensure_ascii=False)


def answer_in(content: str) -> TeacherAnswer | None:
    """One bit and a reason, and nothing beside them; None for everything else."""
    text = content.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        said: Any = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or set(said) != {"relevant", "reason"}:
        return None
    good, reason = said["relevant"], said["reason"]
    if not isinstance(good, bool) or not isinstance(reason, str):
        return None
    return TeacherAnswer(good, plainly(reason, LONGEST_REASON))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)


class Teacher:
    """Asks a service, within bounds."""

    def __init__(
        self, plan: TeacherPlan, service: ChatService, ledger: TeacherLedger, remark: Callable[[str], None]
    ) -> None:
        self.plan, self.ledger, self.remark = plan, ledger, remark
        self._service, self._prompt = service, prompt_of(plan)
        self.asked = self.answered = 0  # questions of this session
        self._failures = 0  # in a row
        self.wait = 0.0  # seconds before the next question
        self.over = ""  # why nothing more is asked in this session

    async def ask(self, topic: Topic, page: Page) -> TeacherAnswer | None:
        """None: there is no answer, or nothing more may be asked (`over`)."""
        self.wait = 0.0
        question = question_of(topic, page)
        sent = "\n".join((self.plan.url, self.plan.model, self._prompt, question)).encode("utf-8", "replace")
        key = hashlib.blake2b(sent, digest_size=16).hexdigest()
        if (known := self.ledger.known(key)) is not None:
            return None if known.good is None else TeacherAnswer(known.good, "it said so before")
        most = len(sent) + ANSWER  # no text has more tokens than bytes
        spent = self.ledger.spent()
        if not self.plan.affords(spent, most):
            asked = f"{spent.questions:,} questions ({spent.tokens:,} tokens)"
            self._end(f"The teacher was asked {asked}, which is all that its bounds allow.")
            return None
        number = self.ledger.begin(key, most)
        self.asked += 1
        reply = await self._service.ask(self._prompt, question, ANSWER)
        if isinstance(reply, ChatTrouble):
            self._fail(number, reply)
            return None
        answer = answer_in(reply.content)
        self.ledger.end(number, _tokens(reply, most, len(sent)), None if answer is None else answer.good)
        if answer is None:
            self._strike("The teacher's answer is not one of yes and no with a reason, and counts as none.")
        else:
            self._failures, self.answered = 0, self.answered + 1
        return answer

    def summary(self) -> str:
        """What came of this session, in a sentence."""
        if not self.asked:
            return NOTHING_ASKED
        questions = f"{self.asked:,} question{'s' * (self.asked > 1)}"
        return f"The teacher answered {self.answered:,} of {questions} in this session."

    def _fail(self, number: int, trouble: ChatTrouble) -> None:
        if not trouble.counts:
            self.ledger.drop(number)
        sentence = told(host_of(self.plan.url), trouble)
        if trouble.lasting:
            self._end(sentence)
        else:
            self._strike(sentence, trouble.wait)

    def _strike(self, sentence: str, wait: float = 0.0) -> None:
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            self._end(sentence)
            return
        self.wait = max(wait, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (self._failures - 1)))
        if self._failures == 1:
            self.remark(sentence)

    def _end(self, sentence: str) -> None:
        self.over = sentence
        self.remark(f"{sentence} It is asked nothing more in this session.")


def _tokens(reply: ChatReply, most: int, sent: int) -> int:
    """As the service counts them, if that can be: no text has less than a token for eight bytes."""
    return most if reply.tokens is None or reply.tokens <= 0 else min(max(reply.tokens, sent // 8), 10 * most)


@asynccontextmanager
async def teacher_at(
    plan: TeacherPlan, folder: Path, key: str, remark: Callable[[str], None]
) -> AsyncIterator[Teacher]:
    agent = f"wolfspider/{__version__}"
    with closing(TeacherLedger(folder)) as ledger:
        async with ChatService(plan.url, plan.model, key, agent, plan.deadline) as service:
            yield Teacher(plan, service, ledger, remark)


# Beside a crawl


@asynccontextmanager
async def taught(
    settings: Settings, crawl: Crawl, folder: Path, ring: Callable[[], None], remark: Callable[[str], None]
) -> AsyncIterator[None]:
    """While this lasts, the crawl has the teacher that the settings name, if they name one."""
    if not settings.teacher:
        yield
        return
    asked: list[Teacher] = []  # empty, if the crawl was too short even for that
    lesson = asyncio.create_task(_lessons(settings, crawl, folder, ring, remark, asked))
    try:
        yield
    finally:
        lesson.cancel()
        await asyncio.gather(lesson, return_exceptions=True)
        remark(asked[0].summary() if asked else NOTHING_ASKED)


async def _lessons(
    settings: Settings,
    crawl: Crawl,
    folder: Path,
    ring: Callable[[], None],
    remark: Callable[[str], None],
    asked: list[Teacher],
) -> None:
    questions = Questions()
    crawl.listen(questions.hear)
    try:
        for candidate in await asyncio.to_thread(_earlier, folder):
            questions.add(candidate)
        async with teacher_at(TeacherPlan.of(settings), folder, key_in_environment(), remark) as teacher:
            asked.append(teacher)
            while not teacher.over:
                await _lesson(teacher, questions, crawl, folder, ring)
                await asyncio.sleep(max(POLL, teacher.wait))
    except Exception as error:  # whatever it is, the crawl goes on
        remark(plainly(f"The teacher is asked nothing more: {error}"))
    finally:
        crawl.listeners.remove(questions.hear)


def _earlier(folder: Path) -> list[Doubtful]:
    """Pages of an earlier session that may be asked about, the best of them."""
    found = Questions()
    for candidate in candidates(RunView(folder)):
        found.add(candidate)
    return found.all()


async def _lesson(teacher: Teacher, questions: Questions, crawl: Crawl, folder: Path, ring: Callable[[], None]) -> None:
    """Questions that are due, one after another, until one brings trouble."""
    plan = teacher.plan
    while not teacher.over and due(teacher.ledger.spent().questions, plan.labels, crawl.limits.pages) <= crawl.spent:
        candidate = questions.take()
        if candidate is None:
            return
        if candidate.url in crawl.labels:
            continue
        page = await asyncio.to_thread(page_at, folder, candidate.url)
        if page is None:
            continue
        answer = await teacher.ask(crawl.topic, page)
        if answer is not None and candidate.url not in crawl.labels:  # unless a person was quicker
            label = Label(candidate.url, answer.good, by_teacher=True)
            try:  # beside the commands of people, so that a repair finds it
                await asyncio.to_thread(append_command, folder, label, "the teacher")
            except Problem:
                crawl.inbox.append(label)
            ring()
            said = f"The teacher says {'yes' if answer.good else 'no'} to {candidate.url}: {answer.reason}"
            teacher.remark(plainly(said, 500))
        if teacher.wait:
            questions.add(candidate)
            return


def page_at(folder: Path, url: str) -> Page | None:
    view = RunView(folder)
    row = view.page(url)
    return None if row is None or hidden(row.robots) else view.parsed(row)


# Without a crawl


class TaughtPage(NamedTuple):
    """A page that a teacher has labelled."""

    url: str
    good: bool
    reason: str


async def ask_about(
    plan: TeacherPlan, folder: Path, topic: Topic, urls: Sequence[str], remark: Callable[[str], None]
) -> AsyncIterator[TaughtPage]:
    """Labels for these pages of a run, as they come. A page about which there was trouble is left out."""
    async with teacher_at(plan, folder, key_in_environment(), remark) as teacher:
        for url in urls:
            page = await asyncio.to_thread(page_at, folder, url)
            answer = None if page is None else await teacher.ask(topic, page)
            if answer is not None:
                yield TaughtPage(url, *answer)
            if teacher.over:
                return
            await asyncio.sleep(teacher.wait)
