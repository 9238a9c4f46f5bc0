"""Measures of a fleet of news foragers: the rewarded share of downloads and of documents sent, the freshness of the
documents found, the lag from publication to reward, and the size and scores of the fleet. (Palotai, Farkas and Lorincz;
`territory.py` measures how foragers divide the work.)

    crawl.listen(fleet := Foraging(world.changed))
    ...
    fleet.row()

Definitions that the papers leave open:
    found URLs      addresses seen: of pages that were downloaded, and of those that they link to. `fetched` are the
                    ones whose page was downloaded at least once.
    download        a landing that went out and was charged, however often it had to be tried.
    rewarded        a credit with the reason "new"; every credit is a document sent.
    stored copy     the newest download of an address by any forager; a rewarded address is one document, whatever its
                    content was when it was rewarded.
    undated         rewarded documents that do not say when they were published, as lists of articles.
    published       rewarded documents by the time they say they were published, in the same windows as the others.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.bench.measure.folds import DAY, HOUR, WINDOW, Atlas, Documents, Measure, looked_at, mean, paid, ratio
from wolfspider.bench.measure.metrics import charged
from wolfspider.bench.measure.territory import Division, Linked, Starts, Territory
from wolfspider.core.events import Credited, Event, Landed, Noted

Changed = Callable[[str, float, float], float | None]  # address, since, until: its first change in between
HORIZON = 366 * DAY  # how far ahead a page is asked for its next change; longer than any experiment
SERIES = ("downloads", "sent", "relevant", "published")
WITHIN = (1, 6, 24)  # hours


@dataclass(slots=True)
class Sums:
    downloads: int = 0
    sent: int = 0
    relevant: int = 0
    value: float = 0.0


class ForagingTally(Measure):
    """Counts downloads, documents sent and documents rewarded: of all, of each forager, in each window of time."""

    def __init__(self, window: float = WINDOW, atlas: Atlas | None = None, documents: Documents | None = None) -> None:
        self.atlas, self.documents = atlas or Atlas(), documents or Documents()
        super().__init__(self.atlas, self.documents)
        self.width = window
        self.all = Sums()
        self.undated = 0
        self.agents: dict[str, Sums] = {}
        self._windows: dict[str, Counter[int]] = {name: Counter() for name in SERIES}

    def landed(self, event: Landed) -> None:
        if charged(event):
            self._windows["downloads"][self.window(self.width)] += 1
            for sums in self._sums(event.outcome.visit.agent):
                sums.downloads += 1

    def credited(self, event: Credited) -> None:
        self._windows["sent"][self.window(self.width)] += 1
        for sums in self._sums(event.credit.agent):
            sums.sent += 1
            sums.value += event.credit.value
            sums.relevant += paid(event)
        if paid(event):
            self._windows["relevant"][self.window(self.width)] += 1
            document = self.documents.of(event)
            if document and document.published is None:
                self.undated += 1
            elif document and document.published is not None:
                self._windows["published"][int((document.published - self.start) // self.width)] += 1

    def _sums(self, agent: str) -> tuple[Sums, Sums]:
        return self.all, self.agents.setdefault(agent, Sums())

    def series(self) -> dict[str, list[int]]:
        """Counts in each window since the start, the last one unfinished."""
        last = -1 if math.isnan(self.start) else self.window(self.width)
        return {name: [counts[number] for number in range(last + 1)] for name, counts in self._windows.items()}

    def figures(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "window_hours": self.width / HOUR,
            "downloaded": self.all.downloads,
            "sent": self.all.sent,
            "relevant": self.all.relevant,
            "undated": self.undated,
            "seen": self.atlas.seen,
            "fetched": self.atlas.found,
            "download_efficiency": ratio(self.all.relevant, self.all.downloads),
            "sent_efficiency": ratio(self.all.relevant, self.all.sent),
            "relative_found_url": ratio(self.atlas.seen, self.all.downloads),
            "relative_fetched_url": ratio(self.atlas.found, self.all.downloads),
            "series": self.series(),
            "agents": {name: [s.downloads, s.sent, s.relevant, s.value] for name, s in self.agents.items()},
        }


def shares(parts: Sequence[float], wholes: Sequence[float]) -> list[float]:
    """The ratio of two series of `ForagingTally.series`, window by window."""
    return [ratio(part, whole) for part, whole in zip(parts, wholes, strict=True)]


class Freshness(Measure):
    """Samples, at regular times, how many copies of rewarded documents are still current, and how long the others have
    been stale.

    Of each rewarded address only the time is kept at which its copy goes stale. A download changes that time only if
    the copy was stale already, so the web is hardly ever asked.
    """

    def __init__(self, changed: Changed, every: float = WINDOW, documents: Documents | None = None) -> None:
        self.documents = documents or Documents()
        super().__init__(self.documents)
        self.changed, self.every = changed, every
        self.samples: list[tuple[float, int, float, float]] = []  # hours, documents, freshness, mean age in hours
        self._rows: dict[str, int] = {}  # of rewarded addresses
        self._stale = array("d")  # when the copy of each goes stale
        self._copies: dict[str, float] = {}  # when each address was last downloaded

    def passed(self) -> None:
        while (at := self.start + self.every * (len(self.samples) + 1)) <= self.now:
            self.samples.append(((at - self.start) / HOUR, len(self._stale), *self.measure(at)))

    def measure(self, at: float) -> tuple[float, float]:
        """Freshness and mean age in hours; not a number while nothing was rewarded."""
        if not self._stale:
            return math.nan, math.nan
        stale = np.frombuffer(self._stale)
        return float((stale > at).mean()), float(np.maximum(at - stale, 0.0).mean()) / HOUR

    def landed(self, event: Landed) -> None:
        page = event.outcome.page
        if charged(event) is None or page is None:
            return
        at = looked_at(page, event.at, self.start)
        self._copies[page.final_url] = at
        row = self._rows.get(page.final_url)
        if row is not None and self._stale[row] <= at:
            self._stale[row] = self._next(page.final_url, at)

    def credited(self, event: Credited) -> None:
        document = self.documents.of(event) if paid(event) else None
        if document and document.url not in self._rows:
            self._rows[document.url] = len(self._stale)
            self._stale.append(self._next(document.url, self._copies.get(document.url, document.at)))

    def _next(self, url: str, since: float) -> float:
        time = self.changed(url, since, since + HORIZON)
        return math.inf if time is None else time

    def figures(self) -> dict[str, Any]:
        return {
            "freshness": mean(freshness for _, documents, freshness, _ in self.samples if documents),
            "age_hours": mean(age for _, documents, _, age in self.samples if documents),
            "documents": len(self._stale),
            "samples": list(self.samples),
        }


class Lags(Measure):
    """Hours between the publication of a document and its reward. A date in the future is a lag of 0; documents without
    a date are left out, and counted.

    `days` is by the day of the reward. What is found on the first days is a backlog, or else young, so `published` is
    by the day of the publication, for what was published since the start.
    """

    def __init__(self, documents: Documents | None = None) -> None:
        self.documents = documents or Documents()
        super().__init__(self.documents)
        self.undated = 0
        self._days = array("l")  # since the start, of the reward
        self._published = array("l")  # of the publication; negative before the start
        self._lags = array("d")

    def credited(self, event: Credited) -> None:
        document = self.documents.of(event) if paid(event) else None
        if document is None:
            return
        if document.published is None:
            self.undated += 1
        else:
            self._days.append(self.window(DAY))
            self._published.append(math.floor((document.published - self.start) / DAY))
            self._lags.append(max(0.0, event.at - document.published) / HOUR)

    def figures(self) -> dict[str, Any]:
        lags, published = np.array(self._lags), np.array(self._published, dtype=np.int64)
        since = published >= 0
        return dict(
            undated=self.undated,
            **_lag_figures(lags),
            days=_by_day(np.array(self._days, dtype=np.int64), lags),
            published=_by_day(published[since], lags[since]),
        )


def _by_day(days: Any, lags: Any) -> list[dict[str, float]]:
    return [{"day": int(day), **_lag_figures(lags[days == day])} for day in np.unique(days)]


def _lag_figures(lags: Any) -> dict[str, float]:
    within = {f"within_{hours}h": float((lags <= hours).mean()) if lags.size else math.nan for hours in WITHIN}
    mean, median = (float(lags.mean()), float(np.median(lags))) if lags.size else (math.nan, math.nan)
    return {"documents": int(lags.size), "mean": mean, "median": median, **within}


class Population(Measure):
    """Births, deaths, the number of foragers alive, the score of each after each of its time slices, and the counts of
    steps, paths and slices."""

    def __init__(self, window: float = WINDOW) -> None:
        super().__init__()
        self.width = window  # of a column of `heat`
        self.kinds: dict[str, str] = {}  # of everyone ever born, oldest first
        self.births: list[tuple[float, str, str]] = []  # hours, forager, parent
        self.deaths: list[tuple[float, str]] = []
        self.alive: list[tuple[float, int]] = []  # after each birth and death
        self.scores: list[tuple[float, str, float]] = []  # after each slice
        self.counts: Counter[str] = Counter()  # of notes by their kind
        self._living: set[str] = set()

    def noted(self, event: Noted) -> None:
        self.counts[event.kind] += 1
        hours, data = (event.at - self.start) / HOUR, event.data
        if event.kind == "birth":
            self.kinds[data["agent"]] = data.get("kind", "")
            self.births.append((hours, data["agent"], data.get("parent", "")))
            self._living.add(data["agent"])
        elif event.kind == "death":
            self.deaths.append((hours, data["agent"]))
            self._living.discard(data["agent"])
        elif event.kind == "slice":
            self.scores.append((hours, data["agent"], float(data["score"])))
        if event.kind in ("birth", "death"):
            self.alive.append((hours, len(self._living)))

    def heat(self) -> list[list[float]]:
        """A line for each forager ever born, oldest first: its last score in each window, and while it waits for a
        slice the one before; not a number before its birth and after its death."""
        width, columns = self.width / HOUR, 0 if math.isnan(self.start) else self.window(self.width) + 1
        lines = {agent: [math.nan] * columns for agent in self.kinds}
        for hours, agent, score in self.scores:
            lines.setdefault(agent, [math.nan] * columns)[int(hours // width)] = score
        ends = {agent: int(hours // width) + 1 for hours, agent in self.deaths}
        return [_held(line, ends.get(agent, columns)) for agent, line in lines.items()]

    def figures(self) -> dict[str, Any]:
        values = [score for _, _, score in self.scores]
        counts = [count for _, count in self.alive]
        return {
            "births": list(self.births),
            "deaths": list(self.deaths),
            "alive": list(self.alive),
            "kinds": dict(self.kinds),
            "first": sum(not parent for _, _, parent in self.births),
            "largest": max(counts, default=0),
            "last": counts[-1] if counts else 0,
            "moves": self.counts["move"],
            "paths": self.counts["restart"],
            "slices": self.counts["slice"],
            "lowest_score": min(values, default=math.nan),
            "highest_score": max(values, default=math.nan),
            "heat_hours": self.width / HOUR,
            "heat": self.heat(),
        }


def _held(line: list[float], end: int) -> list[float]:
    """Each gap filled with the value before it, up to the end."""
    filled, last = [], math.nan
    for column, value in enumerate(line):
        last = last if math.isnan(value) else value
        filled.append(last if column < end else math.nan)
    return filled


class Foraging:
    """All measures of a fleet at once, with one atlas and one set of documents. Without `changed` there is no
    freshness. With `steps` the division of work is told by windows of so many steps."""

    def __init__(self, changed: Changed | None = None, window: float = WINDOW, steps: int = 0) -> None:
        atlas, documents = Atlas(), Documents()
        self.atlas = atlas
        self.tally = ForagingTally(window, atlas, documents)
        self.freshness = Freshness(changed, window, documents) if changed else None
        self.lags = Lags(documents)
        self.population = Population(window)
        self.division = Division(steps=steps)
        self.starts = Starts(window, atlas)
        self.territory = Territory(atlas)
        self.linked = Linked()
        self._folds = {name: fold for name, fold in vars(self).items() if isinstance(fold, Measure)}

    def __call__(self, event: Event) -> None:
        for fold in self._folds.values():
            fold(event)

    def row(self) -> dict[str, Any]:
        """A part for each fold, by its name here."""
        return {name: fold.row() for name, fold in self._folds.items()}
