"""What moves on a terminal while a crawl runs: how far it is, how good what it finds is, what stands in its way.

All of it is told from the crawl's events, its gauges above all. It goes to stderr and is redrawn a few times a second.
Where that is no terminal, a line a minute says the same.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from wolfspider.core.events import Event, Gauge, Landed, Postponed
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, Route, hidden, host_of
from wolfspider.core.plain_text import plainly
from wolfspider.policy.prospects import NEXT
from wolfspider.store.page_count import PageCount
from wolfspider.store.view import Further, Summary
from wolfspider.terminal import progress as terminal
from wolfspider.terminal import standing
from wolfspider.terminal.first_aid import count_words, nothing_relevant
from wolfspider.terminal.outlook_words import awaited, coming, unfound
from wolfspider.terminal.spider_results import FEWEST, Generation, Layout, Outputs, on_screen
from wolfspider.terminal.standing import HALTED, NOTHING_FURTHER, counted

A_MINUTE = 60.0  # seconds between two lines that say how the crawl stands, where nothing moves
PATIENCE = 10.0  # seconds before the first of them, if the crawl only waits
SHOWN = 6  # pages on the screen
AROUND = 10  # lines of the picture besides what is told of a generation, empty ones included
BAR = 16  # columns
NAMED = 5  # hosts in trouble that are told of one by one


class CrawlTally:
    """What a crawl has brought so far, told from its events; of a run that is resumed, from what it had before."""

    def __init__(self, pages: int, keywords: Sequence[str] = ()) -> None:
        self.pages = pages  # the budget, which a person may move
        self.keywords = keywords  # what a person asked for
        self.words: Counter[str] | None = None  # pages with each of the topic's words, if their judge tells of them
        self._whole = True  # has it heard of all pages of the run?
        self.downloads = 0
        self.count = PageCount()
        self.bytes = 0
        self.failures: Counter[str] = Counter()  # in words
        self.forgotten = 0  # pages that were taken out of the run
        self.hosts: set[str] = set()
        self.newest: deque[tuple[float, str, str]] = deque(maxlen=SHOWN)  # each address once
        self.gauge: Gauge | None = None
        self._troubled: set[str] = set()  # hosts
        self._heard = 0.0  # when the gauge came, by the clock of this process

    def take_stock(self, summary: Summary, hosts: Iterable[str]) -> None:
        """The whole run, as it lies on disk."""
        self._whole = self._whole and summary.downloads <= self.downloads
        self.count, self.downloads, self.failures = summary.count, summary.downloads, Counter(summary.reasons)
        self.hosts, self.forgotten = set(hosts), summary.forgotten

    @property
    def pages_in(self) -> int:
        """Pages of every kind."""
        return self.count.pages + self.count.hidden

    def hear(self, event: Event) -> None:
        match event:
            case Landed(how=Route.OUT):
                self._landed(event)
            case Gauge():
                self.gauge, self._heard = event, time.monotonic()
                self.pages, self.downloads = event.budget, event.downloads
                self.count = PageCount(
                    event.pages, event.relevant, event.hidden, event.hidden_relevant, event.truncated
                )

    def _landed(self, event: Landed) -> None:
        outcome = event.outcome
        relevant = bool(outcome.verdict and outcome.verdict.relevant)
        if isinstance(outcome.result, Failure):
            self.failures[in_words(outcome.result)] += 1
        elif outcome.verdict is not None:  # the answer of a Source is no page
            page = outcome.result
            self.bytes += page.size
            self.words = count_words(outcome.verdict.evidence.get("words"), self.words)
            if not hidden(page.robots):
                self.hosts.add(host_of(page.final_url))
            for shown in [row for row in self.newest if row[2] == page.final_url]:
                self.newest.remove(shown)
            if relevant:
                self.newest.appendleft((outcome.verdict.score, page.title, page.final_url))

    def advice(self, over: bool = False) -> str:
        """What to do if nothing relevant is found for long; "" if there is no need."""
        if self.forgotten:  # relevant pages may be among them
            return ""
        return nothing_relevant(self.downloads, self.count, self.keywords, self.words if self._whole else None, over)

    def trouble(self, event: Postponed) -> str:
        """What the trouble of a host is, for the first of them, and once; "" else."""
        host = event.visit.link.host
        if host in self._troubled or len(self._troubled) == NAMED:
            return ""
        self._troubled.add(host)
        others = "" if len(self._troubled) < NAMED else " Other hosts in trouble are only counted from here on."
        return f"{host} is in trouble: {in_words(event.failure)}. It must rest for a while.{others}"

    def summary(self, further: Further = NOTHING_FURTHER) -> str:
        brought = (self.count, len(self.hosts), self.downloads, self.failures, self.forgotten)
        return standing.found(*brought, further=further)

    @property
    def now(self) -> float | None:
        """The crawl's own clock."""
        return None if self.gauge is None else self.gauge.at + time.monotonic() - self._heard

    def fetching(self) -> str:
        """The address that has been fetched for the longest time. What waits for its host is not fetched yet."""
        gauge, now = self.gauge, self.now
        if gauge is None or now is None:
            return "fetching nothing yet"
        if gauge.longest_since is None:
            return "fetching nothing at the moment"
        allowed = "" if gauge.longest_deadline is None else f" of {gauge.longest_deadline:g} s"
        others = f" {gauge.in_flight}, the longest" if gauge.in_flight > 1 else ""
        return f"fetching{others} for {max(0.0, now - gauge.longest_since):.0f} s{allowed}: {gauge.longest}"


@contextmanager
def following(
    console: Console, tally: CrawlTally, outputs: Outputs, moves: bool = True
) -> Iterator[Callable[[], None]]:
    """Gives what draws the picture anew. Where lines of data go to the same terminal nothing `moves`, and each
    generation of a spider is a line."""
    with terminal.screen(console) if moves else nullcontext() as show:
        if show:
            yield lambda: show(_picture(console, tally, outputs.newest))
        else:
            outputs.listen(lambda generation: console.print(Text(plainly(generation.line(), 2000))))
            yield _reminding(console, tally)


def _reminding(console: Console, tally: CrawlTally) -> Callable[[], None]:
    """Where nothing moves, a line a minute says how the crawl stands, and a sentence what to do if it finds nothing."""
    began = said = time.monotonic()
    advised = False

    def look() -> None:
        nonlocal said, advised
        if tally.gauge is None:
            return
        if not advised and (advice := tally.advice()):
            advised = True
            console.print(_line(advice))
        silent = time.monotonic() - said
        if silent >= A_MINUTE or (said == began and silent >= PATIENCE and standing.resting(tally.gauge)):
            left = "".join(f"; {said}" for said in (unfound(tally.gauge), awaited(tally.gauge)) if said)
            console.print(_line(f"{_progress(tally)}{left}; {standing.visits(tally.gauge)}"))
            said = time.monotonic()

    return look


def _picture(console: Console, tally: CrawlTally, generation: Generation | None) -> RenderableType:
    """What there is, in the height there is: where it is low, results go before the rest."""
    height, fetching = console.height - 1, _line(tally.fetching())
    if generation is not None and height < AROUND + 2 + 2 * FEWEST:
        return Group(_bar(tally), fetching, *_results(console, tally, generation, height - 2, brief=True))
    found = (
        terminal.finds(tally.newest)
        if generation is None
        else Group(*_results(console, tally, generation, height - AROUND - bool(tally.gauge and awaited(tally.gauge))))
    )
    ready = "getting ready: resuming the run, or gathering starting points"
    visits = ready if tally.gauge is None else standing.visits(tally.gauge)
    failures = f"failures: {standing.failed(tally.failures)}"
    prospects = () if tally.gauge is None else (said(tally.gauge) for said in (coming, unfound, awaited))
    about = [_line(_rates(tally)), *map(_line, filter(None, prospects)), _line(visits), _line(failures), fetching]
    if advice := tally.advice():
        about.append(Text(plainly(advice, 500), "yellow"))
    return terminal.framed(_bar(tally), *about, Text(), found)


def _results(
    console: Console, tally: CrawlTally, generation: Generation, lines: int, brief: bool = False
) -> Iterator[RenderableType]:
    layout = Layout(console.width - (0 if brief else 2), console.options.ascii_only)
    yield _line(generation.status(tally.now))
    yield from on_screen(generation, layout, lines - 1, brief)


def _line(text: str) -> Text:
    return terminal.one_line(plainly(text))


def _progress(tally: CrawlTally) -> str:
    left = "" if tally.gauge is None else HALTED.get(tally.gauge.state) or standing.left(tally.gauge)
    return ", ".join(filter(None, (terminal.of_budget(tally.downloads, tally.pages), _rates(tally), left)))


def _bar(tally: CrawlTally) -> Table:
    gauge = tally.gauge
    rate = "" if gauge is None else f"{gauge.rate_minute:.1f}/s"
    left = "" if gauge is None else HALTED.get(gauge.state) or standing.left(gauge)
    return terminal.progress(tally.downloads, tally.pages, BAR, rate, left)


def _rates(tally: CrawlTally) -> str:
    """All of it is of the moment of the last gauge."""
    lately = None if tally.gauge is None or tally.gauge.lately is None else tally.gauge.lately / NEXT
    hidden = f", {tally.count.hidden_relevant:,} more noindex" if tally.count.hidden_relevant else ""
    return terminal.rates(
        f"{tally.count.relevant:,} relevant{hidden}",
        standing.harvest(tally.count, tally.downloads),
        lately,
        counted(len(tally.hosts), "host"),
    )
