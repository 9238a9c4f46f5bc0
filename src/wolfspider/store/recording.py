"""A crawl written down so that it can be crawled again: what was looked at, when, and what was there.

`Recorder` listens to a crawl. A recording is a folder:

    looks.jsonl.gz    everything, row by row, in the order it happened; only ever appended to (store/tape.py)
    recording.json    what it is a recording of, and figures; written when it is closed
    states.npz        the state of each page by its digest, the same way

and only the first is needed: the others are made from it, and are made anew when a recording goes on. Its rows:

    ["head", {format, web, seeds, size}]        size: numbers in a state
    ["began", at]
    ["u", address]                              numbered as they come: 0, 1, ...
    ["p", address, digest, title, size, published, modified, [address of each link], state]
    ["d", at, seconds, address, page, visit, agent]          a page was downloaded
    ["f", at, seconds, address, kind, detail, visit, agent]  a download that failed
    ["c", at, visit, value, reason]                          a credit; the reason "new" says that it was rewarded

A page is one content at one address, as in the paper on selection and reinforcement: the same content again is the same
number, another content of the same address another. A page's address is where it was in the end; that of a download is
what was asked for. A state is float32, little-endian, in base64. `at` is when the look was made, and not when its
answer was there.
"""

from __future__ import annotations

import json
import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.errors import BadInput, Problem
from wolfspider.events import Began, Credited, Ended, Event, Landed, Went
from wolfspider.learn.states import IN_FOLDER, Floats, KeptStates, States
from wolfspider.model import FAILURES, Failure, Page
from wolfspider.store.lock import Lock, is_owned
from wolfspider.store.packing import text_of
from wolfspider.store.tape import Reel, Tape
from wolfspider.web.index import beside

FORMAT = 1
LOOKS, SUMMARY, LOCK = "looks.jsonl.gz", "recording.json", "lock"
REWARDED = "new"  # the reason of a credit that pays
MOST_NUMBERS = 10_000  # in a state
_LONGEST_ADDRESS = 10_000


class NoStates:
    """Of pages recorded without states."""

    size = 0

    def of(self, page: Page) -> Floats:
        return np.zeros(0, np.float32)


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
        """Of a download; what every download took is exactly its own mean."""
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
        rewarded = {visit for _, visit, _, reason in self.credits if reason == REWARDED}
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


# Reading


def read_recording(folder: Path) -> Recording:
    """BadInput says what is wrong with it."""
    reel = Reel(folder / LOOKS)
    reading = _Reading(Recording())
    try:
        for rows in reel.rows():
            for row in rows:
                reading.take(row)
        reading.check()
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        raise BadInput(f"{reel.path} is damaged or no recording: {error}. Record it anew.") from None
    reading.recording.whole, reading.recording.digest = reel.end, reel.digest
    return reading.recording


class _Reading:
    """Row by row into columns. Whatever a row has wrong raises one of the errors of plain data."""

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
            raise ValueError("a row is none")
        if self._head:
            self._kinds[row[0]](*row[1:])
        else:
            self._header(*row)

    def _header(self, kind: str, head: dict[str, Any]) -> None:
        if kind != "head" or head["format"] != FORMAT:
            raise ValueError(f"it is not of format {FORMAT}")
        size, web, seeds = head["size"], head["web"], head["seeds"]
        if type(size) is not int or not 0 <= size <= MOST_NUMBERS:
            raise ValueError("its states have no size")
        if not isinstance(web, str) or not all(isinstance(url, str) for url in seeds):
            raise ValueError("its head is of another kind")
        self.recording.size, self.recording.web, self.recording.seeds = size, text_of(web), list(seeds)
        self._head = True

    def _began(self, at: float) -> None:
        self.recording.began = min(self.recording.began, float(at))

    def _address(self, url: str) -> None:
        if not isinstance(url, str) or len(url) > _LONGEST_ADDRESS or url in self._known:
            raise ValueError("an address is none, or is there twice")
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
            raise ValueError("a page is of another kind")
        vector = b64decode(state, validate=True)
        if len(vector) != 4 * kept.size:
            raise ValueError("a state is longer or shorter than the others")
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
            raise ValueError("a download names a page that is not there")
        self._look(at, seconds, address, page, visit, agent)

    def _failure(self, at: float, seconds: float, address: int, kind: str, detail: str, visit: int, agent: str) -> None:
        if kind not in FAILURES or not isinstance(detail, str):
            raise ValueError("a failure is none")
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
            raise ValueError("an agent has no name")
        kept.agents.append(self._names.setdefault(agent, agent))

    def _credit(self, at: float, visit: int, value: float, reason: str) -> None:
        if type(visit) is not int or not isinstance(reason, str):
            raise ValueError("a credit is none")
        self.recording.credits.append((float(at), visit, float(value), reason))

    def check(self) -> None:
        """What is quicker to see of all rows at once."""
        kept, n = self.recording, len(self.recording.urls)
        if not self._head:
            raise ValueError("it is empty")
        for column in (kept.addresses, kept.links, kept.asked):
            numbers = np.asarray(column)
            if numbers.size and not (numbers.min() >= 0 and numbers.max() < n):
                raise ValueError("a row names an address that is not there")
        looks = np.asarray([*map(np.asarray, (kept.times, kept.seconds))])
        if not (np.isfinite(looks).all() and (looks >= 0).all()):
            raise ValueError("a time is none")
        if np.isinf(kept.published).any() or np.isinf(kept.modified).any():
            raise ValueError("a date is none")


# Writing


class Recorder:
    """A listener of a crawl (`crawl.listen(recorder)`) that writes a recording into a folder.

    In a folder that has one it goes on; what a kill left unfinished there is cut off. Close it, or use `with`.
    """

    def __init__(self, folder: Path, states: States | None = None, *, web: str = "", seeds: Sequence[str] = ()) -> None:
        self.folder = folder
        self._states: States = states or NoStates()
        self._closed = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(folder / LOCK)
        except OSError as error:
            raise Problem(f"Nothing can be recorded in {folder}: {error.strerror}.") from error
        try:
            self._open(web, seeds)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, web: str, seeds: Sequence[str]) -> None:
        known = read_recording(self.folder) if is_recording(self.folder) and not _is_empty(self.folder) else None
        if known is not None and known.size != self._states.size:
            raise BadInput(
                f"{self.folder} was recorded with states of {known.size} numbers, not of {self._states.size}: "
                "name another folder."
            )
        self._went: dict[int, float] = {}  # visits that are out, and since when
        self._urls = {url: number for number, url in enumerate(known.urls)} if known else {}
        self._pages = {key: number for number, key in enumerate(_keys(known))} if known else {}
        for name in (SUMMARY, IN_FOLDER):
            (self.folder / name).unlink(missing_ok=True)
        self._tape = Tape(self.folder / LOOKS, known.whole if known else 0)
        if known is None:
            head = {"format": FORMAT, "web": web, "seeds": list(seeds), "size": self._states.size}
            self._tape.write(["head", head])
            self._tape.flush()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Landed):
            if event.how == "out":
                self._landed(event)
        elif isinstance(event, Went):
            if event.how == "out":
                self._went[event.visit.id] = event.at
        elif isinstance(event, Credited):
            credit = event.credit
            self._tape.write(["c", event.at, credit.visit, credit.value, credit.reason])
        elif isinstance(event, Began):
            self._tape.write(["began", event.at])
        elif isinstance(event, Ended):
            self._tape.flush()

    def flush(self) -> None:
        """What happened so far survives this process."""
        self._tape.flush()

    def close(self) -> None:
        """Write down what it all comes to. May be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            self._tape.close()
            summarise(self.folder, read_recording(self.folder))
        finally:
            self._lock.release()

    def _landed(self, event: Landed) -> None:
        outcome = event.outcome
        visit, result = outcome.visit, outcome.result
        went = self._went.pop(visit.id, None)
        url = visit.link.url
        if not url.startswith(("http://", "https://")):
            return  # the answer of a Source is no page
        address = self._address(url)
        if isinstance(result, Failure):
            at = max(event.at - outcome.seconds, 0.0) if went is None else went
            told = (result.kind, text_of(result.detail), visit.id, visit.agent)
            self._tape.write(["f", at, outcome.seconds, address, *told])
        else:
            at = max(result.at, 0.0 if went is None else went)  # a copy that still holds is older than its look
            page = self._page(result)
            self._tape.write(["d", at, outcome.seconds, address, page, visit.id, visit.agent])

    def _address(self, url: str) -> int:
        number = self._urls.get(url)
        if number is None:
            number = self._urls[url] = len(self._urls)
            self._tape.write(["u", url])
        return number

    def _page(self, page: Page) -> int:
        address = self._address(page.final_url)
        key = _key(address, page.digest)
        number = self._pages.get(key)
        if number is None:
            number = self._pages[key] = len(self._pages)
            links = [self._address(link.url) for link in page.links]
            state = b64encode(np.asarray(self._states.of(page), "<f4").tobytes()).decode()
            dates = (page.published, page.modified)
            self._tape.write(["p", address, page.digest, text_of(page.title), page.size, *dates, links, state])
        return number


def _key(address: int, digest: str) -> bytes:
    """16 bytes, whatever the digest takes."""
    return blake2b(f"{address} {digest}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _keys(recording: Recording) -> Iterator[bytes]:
    return map(_key, recording.addresses, recording.digests)


def _is_empty(folder: Path) -> bool:
    """Killed before the first piece was written."""
    return not any(Reel(folder / LOOKS).rows())


def summarise(folder: Path, recording: Recording) -> None:
    """Write what is made from its rows: recording.json and the states."""
    kept = recording.kept_states().to_bytes()
    text = json.dumps(recording.summary(), indent=1) + "\n"
    try:
        beside(folder / IN_FOLDER, lambda path: path.write_bytes(kept))
        beside(folder / SUMMARY, lambda path: path.write_text(text, encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}.") from error


def completed(folder: Path) -> Recording:
    """A recording, read; what a kill kept from being written is written now, if nobody is recording and it can be."""
    recording = read_recording(folder)
    if not (folder / SUMMARY).exists() and not is_owned(folder / LOCK):
        with suppress(Problem):  # it is only read: whoever has no right to write may look all the same
            summarise(folder, recording)
    return recording
