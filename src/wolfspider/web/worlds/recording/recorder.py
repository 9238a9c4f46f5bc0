"""Writes a crawl down so that it can be crawled again: what was looked at, when, and what was there.

`Recorder` listens to a crawl. A recording is a folder:

    looks.jsonl.gz    everything, row by row, in the order it happened; only ever appended to (tape.py)
    recording.json    what it is a recording of, and figures; written when it is closed
    states.npz        the state of each page by its digest, the same way

and only the first is needed: the others are made from it, and are made anew when a recording is continued. Its rows:

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

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import Began, Credited, Ended, Event, Landed, Went
from wolfspider.core.model import Failure, Page, Route, is_web_address
from wolfspider.core.text import clipped
from wolfspider.engine.crawl import Crawl
from wolfspider.files.lock import Lock
from wolfspider.learn.page_states import IN_FOLDER, KeptStates, States, open_states
from wolfspider.policy.strategy import Strategy
from wolfspider.web.worlds.recording.playback import (
    FORMAT,
    LOCK,
    LOOKS,
    SUMMARY,
    is_recording,
    read_recording,
    summarise,
)
from wolfspider.web.worlds.recording.tape import Reel, Tape


class Recorder:
    """A listener of a crawl (`crawl.listen(recorder)`) that writes a recording into a folder.

    A recording that is in the folder already is continued; what a kill left unfinished there is
    cut off. Close it, or use `with`.
    """

    def __init__(self, folder: Path, states: States | None = None, *, web: str = "", seeds: Sequence[str] = ()) -> None:
        self.folder = folder
        self._states: States = states or KeptStates((), np.zeros((0, 0)))
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
        # A file without rows: its recorder was killed before the first piece was written.
        begun = is_recording(self.folder) and any(Reel(self.folder / LOOKS).rows())
        known = read_recording(self.folder) if begun else None
        if known is not None and known.size != self._states.size:
            raise BadInput(
                f"{self.folder} was recorded with states of {known.size} numbers, not of {self._states.size}: "
                "name another folder."
            )
        self._went: dict[int, float] = {}  # visits that are out, and since when
        self._urls = {url: number for number, url in enumerate(known.urls)} if known else {}
        self._pages = (
            {key: number for number, key in enumerate(map(_key, known.addresses, known.digests))} if known else {}
        )
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
        match event:
            case Landed(how=Route.OUT):
                self._landed(event)
            case Went(how=Route.OUT):
                self._went[event.visit.id] = event.at
            case Credited(credit=credit):
                self._tape.write(["c", event.at, credit.visit, credit.value, credit.reason])
            case Began():
                self._tape.write(["began", event.at])
            case Ended():
                self._tape.flush()

    def flush(self) -> None:
        """What happened so far survives this process."""
        self._tape.flush()

    def close(self) -> None:
        """Write the summary and the states. May be called twice."""
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
        if not is_web_address(visit.link.url):
            return  # the answer of a Source is no page
        address = self._address(visit.link.url)
        if isinstance(result, Failure):
            at = max(event.at - outcome.seconds, 0.0) if went is None else went
            why = (result.kind, clipped(result.detail))
            self._tape.write(["f", at, outcome.seconds, address, *why, visit.id, visit.agent])
        else:
            at = max(result.at, 0.0 if went is None else went)  # a copy that still holds is older than its look
            self._tape.write(["d", at, outcome.seconds, address, self._page(result), visit.id, visit.agent])

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
            self._tape.write(["p", address, page.digest, clipped(page.title), page.size, *dates, links, state])
        return number


@contextmanager
def recorded(crawl: Crawl, folder: Path, *, web: str, seeds: Sequence[str]) -> Iterator[None]:
    """Record a crawl that has not begun, from its beginning: what an interrupted one left in the folder is dropped, but
    a recording that is complete is not."""
    if (folder / SUMMARY).exists():
        raise Problem(f"{folder} has a recording already. Name another folder, or remove it.")
    (folder / LOOKS).unlink(missing_ok=True)
    with Recorder(folder, states_for(crawl.strategy), web=web, seeds=seeds) as recorder:
        crawl.listen(recorder)
        yield


def states_for(strategy: Strategy) -> States:
    """The states that a strategy goes by, or the default ones if it goes by none."""
    own = strategy.page_states()
    return open_states("default", "calibrated") if own is None else own


def _key(address: int, digest: str) -> bytes:
    """16 bytes, however long the digest is."""
    return blake2b(f"{address} {digest}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
