"""A recording read back: columns, one entry for each address, page, look and credit. Its format is described at the
head of web/worlds/recording/recorder.py.

A recording may come from strangers. Nothing in it is run; a row that does not fit is reported as damage, in a sentence;
and no more is held in memory than lies on the disk.
"""

from __future__ import annotations

import json
import math
from array import array
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import FAILURES, Failure
from wolfspider.core.text import clipped
from wolfspider.files.disk import replacing
from wolfspider.files.lock import is_owned
from wolfspider.learn.page_states import IN_FOLDER, KeptStates
from wolfspider.policy.reinforcer import PAID
from wolfspider.web.worlds.recording.tape import Reel

FORMAT = 1
LOOKS, SUMMARY, LOCK = "looks.jsonl.gz", "recording.json", "lock"
MOST_NUMBERS = 10_000  # in a state
_LONGEST_ADDRESS = 10_000


def is_recording(folder: Path) -> bool:
    return (folder / LOOKS).is_file()


@dataclass
class Recording:
    """A recording as it was read: columns, one entry for each address, page, look and credit."""

    web: str = ""
    seeds: list[str] = field(default_factory=list)
    began: float = math.inf
    size: int = 0  # numbers in a state
    urls: list[str] = field(default_factory=list)
    # pages
    addresses: array[int] = field(default_factory=lambda: array("q"))
    digests: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    sizes: array[int] = field(default_factory=lambda: array("q"))
    published: array[float] = field(default_factory=lambda: array("d"))  # nan: unknown
    modified: array[float] = field(default_factory=lambda: array("d"))
    links: array[int] = field(default_factory=lambda: array("q"))  # of all pages, end to end
    ends: array[int] = field(default_factory=lambda: array("q"))  # of each page's links
    states: bytearray = field(default_factory=bytearray)
    # looks
    times: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    asked: array[int] = field(default_factory=lambda: array("q"))
    results: array[int] = field(default_factory=lambda: array("q"))  # a page; below 0: failure -1 - result
    visits: array[int] = field(default_factory=lambda: array("q"))
    agents: list[str] = field(default_factory=list)
    failures: dict[Failure, int] = field(default_factory=dict)
    # credits: when, for which visit, how much, why
    credits: list[tuple[float, int, float, str]] = field(default_factory=list)
    # of the file
    whole: int = 0
    digest: str = ""

    @property
    def start(self) -> float:
        return min(self.began, min(self.times, default=self.began))

    @property
    def end(self) -> float:
        landed = np.add(self.times, self.seconds)
        return float(landed.max()) if landed.size else self.start

    def mean_seconds(self) -> float:
        """Of a download. Where all took the same time, it is exactly that time."""
        if not self.seconds:
            return 0.0
        return min(max(math.fsum(self.seconds) / len(self.seconds), min(self.seconds)), max(self.seconds))

    def kept_states(self) -> KeptStates:
        """Each digest once, and its state."""
        rows = np.frombuffer(bytes(self.states), "<f4").reshape(len(self.digests), self.size)
        first = {digest: number for number, digest in reversed(list(enumerate(self.digests)))}
        numbers = sorted(first.values())
        return KeptStates([self.digests[number] for number in numbers], rows[numbers])

    def summary(self) -> dict[str, Any]:
        rewarded = {visit for _, visit, _, reason in self.credits if reason == PAID}
        return {
            "format": FORMAT,
            "web": self.web,
            "start": self.start if math.isfinite(self.start) else None,
            "end": self.end if math.isfinite(self.end) else None,
            "seeds": self.seeds,
            "downloads": len(self.times),
            "failures": int((np.asarray(self.results) < 0).sum()),
            "addresses": len(self.urls),
            "pages": len(self.digests),
            "links": len(self.links),
            "rewarded": len(rewarded),
            "mean_seconds": self.mean_seconds(),
            "state_numbers": self.size,
        }


def read_recording(folder: Path) -> Recording:
    """BadInput says what is wrong with it."""
    reel = Reel(folder / LOOKS)
    reading = _RowReader(Recording())
    try:
        for rows in reel.rows():
            for row in rows:
                reading.take(row)
        reading.check()
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        what = error if isinstance(error, _Damaged) else "a row is of another kind"
        raise BadInput(f"{reel.path} is damaged or no recording: {what}. Record it anew.") from None
    reading.recording.whole, reading.recording.digest = reel.end, reel.digest
    return reading.recording


class _Damaged(ValueError):
    """What is wrong with a row, in words for the reader of the recording."""


class _RowReader:
    """Row by row into columns. Anything wrong with a row raises `_Damaged`, or one of the errors of plain data."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._head = False
        self._known: set[str] = set()
        self._names: dict[str, str] = {}  # agents, each text once
        self._kinds: dict[str, Callable[..., None]] = {
            "u": self._address,
            "p": self._page,
            "d": self._download,
            "f": self._failure,
            "c": self._credit,
            "began": self._began,
        }

    def take(self, row: Any) -> None:
        if not isinstance(row, list) or not row:
            raise _Damaged("a row is none")
        if self._head:
            self._kinds[row[0]](*row[1:])
        else:
            self._header(*row)

    def _header(self, kind: str, head: dict[str, Any]) -> None:
        if kind != "head" or head["format"] != FORMAT:
            raise _Damaged(f"it is not of format {FORMAT}")
        size, web, seeds = head["size"], head["web"], head["seeds"]
        if type(size) is not int or not 0 <= size <= MOST_NUMBERS:
            raise _Damaged("its states have no size")
        if not isinstance(web, str) or not all(isinstance(url, str) for url in seeds):
            raise _Damaged("its head is of another kind")
        self.recording.size, self.recording.web, self.recording.seeds = size, clipped(web), list(seeds)
        self._head = True

    def _began(self, at: float) -> None:
        if not 0 <= at < math.inf:
            raise _Damaged("it began at no time")
        self.recording.began = min(self.recording.began, at)

    def _address(self, url: str) -> None:
        if not isinstance(url, str) or len(url) > _LONGEST_ADDRESS or url in self._known:
            raise _Damaged("an address is none, or is there twice")
        self._known.add(url)
        self.recording.urls.append(url)

    def _page(
        self,
        address: int,
        digest: str,
        title: str,
        size: int,
        published: float | None,
        modified: float | None,
        links: list[int],
        state: str,
    ) -> None:
        kept = self.recording
        if not (isinstance(digest, str) and isinstance(title, str) and len(digest) <= 200):
            raise _Damaged("a page is of another kind")
        vector = b64decode(state, validate=True)
        if len(vector) != 4 * kept.size:
            raise _Damaged("a state is longer or shorter than the others")
        kept.addresses.append(address)
        kept.digests.append(digest)
        kept.titles.append(title)
        kept.sizes.append(size)
        kept.published.append(math.nan if published is None else published)
        kept.modified.append(math.nan if modified is None else modified)
        kept.links.extend(links)
        kept.ends.append(len(kept.links))
        kept.states += vector

    def _download(self, at: float, seconds: float, address: int, page: int, visit: int, agent: str) -> None:
        if not 0 <= page < len(self.recording.digests):
            raise _Damaged("a download names a page that is not there")
        self._look(at, seconds, address, page, visit, agent)

    def _failure(self, at: float, seconds: float, address: int, kind: str, detail: str, visit: int, agent: str) -> None:
        if kind not in FAILURES or not isinstance(detail, str):
            raise _Damaged("a failure is none")
        known = self.recording.failures
        self._look(at, seconds, address, -1 - known.setdefault(Failure(kind, detail), len(known)), visit, agent)

    def _look(self, at: float, seconds: float, address: int, result: int, visit: int, agent: str) -> None:
        kept = self.recording
        kept.times.append(at)
        kept.seconds.append(seconds)
        kept.asked.append(address)
        kept.results.append(result)
        kept.visits.append(visit)
        if not isinstance(agent, str):
            raise _Damaged("an agent has no name")
        kept.agents.append(self._names.setdefault(agent, agent))

    def _credit(self, at: float, visit: int, value: float, reason: str) -> None:
        if type(visit) is not int or not isinstance(reason, str):
            raise _Damaged("a credit is none")
        self.recording.credits.append((float(at), visit, float(value), reason))

    def check(self) -> None:
        """Checks that are faster on all rows at once."""
        kept, n = self.recording, len(self.recording.urls)
        if not self._head:
            raise _Damaged("it is empty")
        for column in (kept.addresses, kept.links, kept.asked):
            numbers = np.asarray(column)
            if numbers.size and not (numbers.min() >= 0 and numbers.max() < n):
                raise _Damaged("a row names an address that is not there")
        looks = np.asarray([*map(np.asarray, (kept.times, kept.seconds))])
        if not (np.isfinite(looks).all() and (looks >= 0).all()):
            raise _Damaged("a time is none")
        if np.isinf(kept.published).any() or np.isinf(kept.modified).any():
            raise _Damaged("a date is none")


def summarise(folder: Path, recording: Recording) -> None:
    """Write what is made from its rows: recording.json and the states."""
    kept = recording.kept_states().to_bytes()
    text = json.dumps(recording.summary(), indent=1) + "\n"
    try:
        with replacing(folder / IN_FOLDER) as path:
            path.write_bytes(kept)
        with replacing(folder / SUMMARY) as path:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}.") from error


def completed(folder: Path) -> Recording:
    """A recording, read. What a kill kept from being written is written now, if that is possible and nobody is
    recording."""
    recording = read_recording(folder)
    if not (folder / SUMMARY).exists() and not is_owned(folder / LOCK):
        with suppress(Problem):  # without the right to write, a recording can still be read
            summarise(folder, recording)
    return recording
