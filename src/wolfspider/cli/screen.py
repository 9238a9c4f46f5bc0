"""What moves on a terminal while a crawl runs: how far it is, how good what it finds is, what stands in its way.

It goes to stderr and is redrawn a few times a second. Where that is no terminal, nothing moves.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wolfspider import failures
from wolfspider.bench.plain import plainly
from wolfspider.cli.outputs import FEWEST, Generation, Layout, Outputs, on_screen
from wolfspider.events import Ended, Event, Landed
from wolfspider.failures import in_words
from wolfspider.hunt import Hunt
from wolfspider.loop import Crawl
from wolfspider.model import Failure, Page, host_of
from wolfspider.run import Run
from wolfspider.store.reading import Summary

LATELY = 100  # downloads that count as lately
REMINDED = 60.0  # seconds between two lines that say what is waited for, where nothing moves
PATIENCE = 10.0  # seconds before the first of them
SHOWN = 6  # pages on the screen
AROUND = 8  # lines of the picture besides what is told of a generation, empty ones included


class Tally:
    """What a crawl has brought so far, told from its events; of a run that goes on, from what it had before."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self.downloads = 0
        self.pages_in = 0
        self.relevant = 0
        self.bytes = 0
        self.failures: Counter[str] = Counter()  # in words
        self.hosts: set[str] = set()
        self.lately: deque[bool] = deque(maxlen=LATELY)
        self.newest: deque[tuple[float, str, str]] = deque(maxlen=SHOWN)
        self.began = time.monotonic()
        self._first = -1  # downloads when we began to listen
        self._hunt: Hunt | None = None
        self._since: dict[int, float] = {}  # when we first saw a visit that is being fetched

    def follow(self, hunt: Hunt) -> None:
        self._hunt = hunt

    def take_stock(self, summary: Summary, hosts: Iterable[str] = ()) -> None:
        """The whole run, as it lies on disk."""
        self.pages_in, self.relevant, self.downloads = summary.pages, summary.relevant, summary.downloads
        self.failures = Counter(summary.reasons)
        self.hosts.update(hosts)

    @property
    def pages(self) -> int:
        """The budget, which a person may move."""
        crawl = self._hunt.crawl if self._hunt else None
        return self._pages if crawl is None else crawl.limits.pages

    def hear(self, event: Event) -> None:
        match event:
            case Landed(how="out"):
                self._landed(event)
            case Ended(downloads=downloads):
                self.downloads = downloads

    def _landed(self, event: Landed) -> None:
        outcome, before = event.outcome, self.downloads
        if self._first < 0:
            self._first = event.downloads - outcome.downloads
        self.downloads = event.downloads
        if isinstance(outcome.result, Failure):
            self.failures[in_words(outcome.result)] += 1
        else:
            self._page(
                outcome.result,
                outcome.verdict.score if outcome.verdict else 0.0,
                bool(outcome.verdict and outcome.verdict.relevant),
            )
        if event.downloads > before:
            good = bool(outcome.verdict and outcome.verdict.relevant)
            self.lately.append(good)

    def _page(self, page: Page, score: float, relevant: bool) -> None:
        self.pages_in += 1
        self.relevant += relevant
        self.bytes += page.size
        self.hosts.add(host_of(page.final_url))
        if relevant:
            self.newest.appendleft((score, page.title, page.final_url))

    @property
    def rate(self) -> float:
        """Downloads a second, since we listen."""
        return max(0, self.downloads - max(self._first, 0)) / max(time.monotonic() - self.began, 0.001)

    def failures_told(self) -> str:
        return failures.counted(self.failures) or "none"

    def summary(self) -> str:
        share = f"{100 * self.relevant / self.downloads:.0f} %" if self.downloads else "none"
        return (
            f"{counted(self.pages_in, 'page')} from {counted(len(self.hosts), 'host')}, "
            f"{self.relevant:,} of them relevant "
            f"({share} of the downloads); failures: {self.failures_told()}."
        )

    # What only the running crawl knows

    @property
    def halted(self) -> str:
        """Why nothing new starts; then nobody can say how long it takes."""
        hunt = self._hunt
        if hunt is None or hunt.crawl is None or hunt.driver is None:
            return ""
        return "FINISHING" if hunt.driver.ending else "PAUSED" if hunt.crawl.paused else ""

    def resting(self) -> str:
        """What is said where nothing moves, while all that is left waits for hosts; "" if it does not."""
        hunt = self._hunt
        if hunt is None or hunt.crawl is None or hunt.driver is None or self.halted:
            return ""
        crawl = hunt.crawl
        if not crawl.parked or crawl.out > len(crawl.parked):
            return ""
        rest = _rest(hunt, crawl, hunt.driver).removeprefix("all hosts rest, ")
        return f"{len(crawl.parked):,} of {self.pages:,} downloads wait for hosts that rest, {rest}"

    def gauges(self) -> str:
        hunt = self._hunt
        if hunt is None or hunt.crawl is None or hunt.driver is None:
            return "getting ready: taking up the run, or gathering starting points"
        crawl = hunt.crawl
        active = crawl.out - len(crawl.parked)
        state = self.halted
        if not state and not active:
            state = _rest(hunt, crawl, hunt.driver)
        waiting = crawl.strategy.report().get("frontier")
        parts = [state] if state else []
        parts.append(f"{counted(active, 'visit')} out")
        if crawl.parked:
            parts.append(f"{len(crawl.parked)} waiting for their turn")
        if isinstance(waiting, int):
            parts.append(f"{counted(waiting, 'link')} to come")
        return ", ".join(parts)

    @property
    def now(self) -> float | None:
        """The crawl's own clock."""
        return self._hunt.driver.clock() if self._hunt is not None and self._hunt.driver is not None else None

    def fetching(self) -> str:
        """The address that is being fetched for the longest time. Who waits for a turn at a host is not fetched yet."""
        crawl, now = self._hunt.crawl if self._hunt else None, self.now
        if crawl is None or now is None:
            return "fetching nothing yet"
        under_way = [one.visit for one in crawl.flights.values() if one.how == "out"]
        under_way = [visit for visit in under_way if visit.id not in crawl.parked]
        self._since = {visit.id: self._since.get(visit.id, now) for visit in under_way}
        if not under_way:
            return "fetching nothing at the moment"
        longest = min(under_way, key=lambda visit: self._since[visit.id])
        allowed = "" if longest.deadline is None else f" of {longest.deadline:g} s"
        others = f" {len(under_way)}, the longest" if len(under_way) > 1 else ""
        return f"fetching{others} for {now - self._since[longest.id]:.0f} s{allowed}: {longest.link.url}"


def _rest(hunt: Hunt, crawl: Crawl, driver: Run) -> str:
    """Nothing is on its way: what is waited for."""
    times = [driver.room.next_ready()]
    if hunt.web is not None:
        hosts = {crawl.flights[number].visit.link.host for number in crawl.parked}
        times += [hunt.web.polite.ready_at(host) for host in hosts]
    seconds = max(0.0, min(times) - driver.clock())
    return f"all hosts rest, the next for {_span(seconds)}" if 0.0 < seconds < math.inf else "waiting"


@contextmanager
def following(console: Console, tally: Tally, outputs: Outputs, moves: bool = True) -> Iterator[Callable[[], None]]:
    """Gives what draws the picture anew. Where lines of data go to the same terminal nothing `moves`, and each
    generation of a spider is a line."""
    if not console.is_terminal or console.quiet or not moves:
        outputs.listen(lambda generation: console.print(Text(plainly(generation.line(), 2000))))
        yield _reminding(console, tally)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda: live.update(_picture(console, tally, outputs.newest), refresh=True)


def _reminding(console: Console, tally: Tally) -> Callable[[], None]:
    """Where nothing moves, a line a minute at most says that the crawl only waits."""
    said = time.monotonic() - REMINDED + PATIENCE

    def look() -> None:
        nonlocal said
        if time.monotonic() - said >= REMINDED and (sentence := tally.resting()):
            console.print(_line(sentence))
            said = time.monotonic()

    return look


def _picture(console: Console, tally: Tally, generation: Generation | None) -> RenderableType:
    """What there is, in the height there is: where it is low, results go before the rest."""
    height, fetching = console.height - 1, _line(tally.fetching())
    if generation is not None and height < AROUND + 2 + 2 * FEWEST:
        return Group(_bar(tally), fetching, *_results(console, tally, generation, height - 2, brief=True))
    found = _finds(tally) if generation is None else Group(*_results(console, tally, generation, height - AROUND))
    about = (_line(_rates(tally)), _line(tally.gauges()), _line(f"failures: {tally.failures_told()}"), fetching)
    return Padding(Group(_bar(tally), *about, Text(), found), (1, 1))


def _results(
    console: Console, tally: Tally, generation: Generation, lines: int, brief: bool = False
) -> Iterator[RenderableType]:
    layout = Layout(console.width - (0 if brief else 2), console.options.ascii_only)
    yield _line(generation.status(tally.now))
    yield from on_screen(generation, layout, lines - 1, brief)


def _line(text: str) -> Text:
    return Text(plainly(text), no_wrap=True, overflow="ellipsis")


def _bar(tally: Tally) -> Table:
    line = Table.grid(padding=(0, 2))
    left = (tally.pages - tally.downloads) / tally.rate if tally.rate > 0.01 else math.inf
    eta = tally.halted or (f"about {_span(left)} left" if left < math.inf and tally.downloads else "")
    for _ in range(3):
        line.add_column(no_wrap=True)
    line.add_row(
        ProgressBar(tally.pages, tally.downloads, width=24), f"{tally.downloads:,} of {tally.pages:,} downloads", eta
    )
    return line


def counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _rates(tally: Tally) -> str:
    share = 100 * tally.relevant / tally.downloads if tally.downloads else 0
    lately = 100 * sum(tally.lately) / len(tally.lately) if tally.lately else 0
    return (
        f"{tally.relevant:,} relevant, harvest rate {share:.0f} % (lately {lately:.0f} %), "
        f"{counted(len(tally.hosts), 'host')}, {tally.rate:.1f} downloads/s"
    )


def _finds(tally: Tally) -> Table:
    """The newest relevant pages. Titles come from pages: they are shown as text, whatever they hold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="green", no_wrap=True)
    for score, title, url in tally.newest:
        shown = Text(plainly(title) or "(no title)", no_wrap=True, overflow="ellipsis")
        table.add_row(f"{score:.2f}", shown, Text(plainly(host_of(url)), "dim", no_wrap=True, overflow="ellipsis"))
    return table
