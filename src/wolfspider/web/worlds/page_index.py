"""Where each page of a recorded web lies: a few sorted arrays instead of a million objects.

An address is known by its canonical spelling without the scheme, since http and https answer alike; its 64-bit hash is
looked up by bisection, and its text is compared, so that two addresses of one hash stay two. Behind each address lie
its versions in the order of their dates: which file, where in it, with what status, and where it leads if it is a
redirect. Sixty thousand pages take about ten megabytes.

The index is made by one walk over the WARC files, which inflates all of them, and is kept on disk under a name made
from their paths, sizes and times and from the code that makes it: a change of either makes a new index. It is written
aside and moved into place, so two processes that make the same one at once do not disturb each other.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import xxhash
from numpy.typing import NDArray

from wolfspider.files.disk import replacing
from wolfspider.web.page.page_cache import made_by
from wolfspider.web.page.urls import canonical
from wolfspider.web.warc.reader import WarcEntry, scan

MAKERS = (
    "web/worlds/page_index.py",
    "web/warc/reader.py",
    "web/page/urls.py",
)  # what decides the arrays: none outlives a change of these
USED = ("ada-url",)
_NOTHING = [hashlib.new(name, b"").digest() for name in ("md5", "sha1", "sha256", "sha512")]
_EMPTY = frozenset(text.lower() for each in _NOTHING for text in (each.hex(), b32encode(each).decode().rstrip("=")))


class _Row(NamedTuple):
    url: str
    entry: WarcEntry
    file: int
    location: str


class Index:
    """Addresses in the order of their hashes; the versions of address i are the rows starts[i] to starts[i + 1]."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self._hashes, self._starts, self._dates = (arrays[name].data for name in ("hashes", "starts", "dates"))
        self._urls = _Texts(arrays["urls"], arrays["url_ends"])
        self._locations = _Texts(arrays["locations"], arrays["location_ends"])
        self.warnings = tuple(_Texts(arrays["warnings"], arrays["warning_ends"]))

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, key: str) -> int:
        """The number of an address, given without its scheme; -1 if it is not here."""
        wanted = xxhash.xxh3_64_intdigest(key.encode("utf-8", "surrogatepass"))
        number = bisect_left(self._hashes, wanted)
        while number < len(self._hashes) and self._hashes[number] == wanted:
            if schemeless(self._urls[number]) == key:
                return number
            number += 1
        return -1

    def url(self, number: int) -> str:
        return self._urls[number]

    def version(self, number: int, now: float) -> int:
        """The row of the newest version that is there at `now`; -1 before the first."""
        first, end = self._starts[number], self._starts[number + 1]
        row = bisect_right(self._dates, now, first, end) - 1
        return row if row >= first else -1

    def location(self, row: int) -> str:
        """Where a redirect leads; "" for every other answer."""
        return self._locations[row]

    def status(self, row: int) -> int:
        return int(self.arrays["statuses"][row])

    def date(self, row: int) -> float:
        return float(self._dates[row])

    def dates_of(self, number: int) -> list[float]:
        """When each version of an address appeared, oldest first."""
        return list(self._dates[self._starts[number] : self._starts[number + 1]])

    def span(self) -> tuple[float, float]:
        """The dates of the first page and of the last record. Redirects are often dated before all pages."""
        dates, ends = self.arrays["dates"], self.arrays["location_ends"]
        standing = dates[ends[1:] == ends[:-1]]
        return float(standing.min() if standing.size else dates.min()), float(dates.max())

    def place(self, row: int) -> tuple[int, int, int]:
        """Where a version lies: number of the file, offset, length."""
        arrays = self.arrays
        return int(arrays["files"][row]), int(arrays["offsets"][row]), int(arrays["lengths"][row])

    def digest(self) -> str:
        """Of what the web says, not of where it lies: a web that is moved or compressed anew keeps its digest."""
        whole = xxhash.xxh3_128()
        for name in ("urls", "url_ends", "starts", "dates", "statuses", "locations", "location_ends", "seals"):
            whole.update(self.arrays[name].tobytes())
        return whole.hexdigest()

    def save(self, path: Path) -> None:
        with replacing(path) as file:
            np.savez(file, **self.arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Index | None:
        """The index that was saved; None if there is none or it is damaged, so that it has to be made again."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                index = cls({name: stored[name] for name in stored.files})
            columns = ("dates", "files", "offsets", "lengths", "statuses", "seals")
            sound = all(len(index.arrays[name]) == index._starts[len(index)] for name in columns)
            return index if sound else None
        except (OSError, ValueError, KeyError, EOFError, IndexError, BadZipFile):
            return None


def schemeless(url: str) -> str:
    return url.partition("://")[2]


def stored_name(files: Sequence[Path]) -> str:
    """The name of an index, which changes with the path, size or time of a file and with the code that makes it."""
    whole = xxhash.xxh3_128(made_by(MAKERS, USED).encode())
    for path in files:
        facts = path.stat()
        whole.update(f"\n{path}\t{facts.st_size}\t{facts.st_mtime_ns}".encode("utf-8", "surrogatepass"))
    return f"index-{whole.hexdigest()}.npz"


def build(files: Sequence[Path]) -> Index:
    warnings: list[str] = []
    rows: list[_Row] = []
    for number, path in enumerate(files):
        for entry in scan(path, warnings):
            url = canonical(entry.url)
            if url is not None:
                location = canonical(entry.location, url) if entry.location else None
                rows.append(_Row(url, entry, number, location or ""))
    return Index(_arrays(_settled(rows, warnings), warnings))


def _settled(rows: list[_Row], warnings: list[str]) -> list[_Row]:
    """Revisits replaced by what they repeat, under their own dates; in their order, for one may repeat another."""
    kept = [row for row in rows if _whole(row.entry)]
    by_payload = {row.entry.payload: row for row in kept if not (row.entry.revisit or _empty(row.entry.payload))}
    # Of a page and the redirect to it under the other scheme in the same second, the page is the one to repeat.
    by_date = {(schemeless(row.url), row.entry.date): row for row in sorted(kept, key=_circular, reverse=True)}
    lost = 0
    for row in sorted((row for row in rows if not _whole(row.entry)), key=lambda row: row.entry.date):
        origin = _origin(row, by_payload, by_date)
        if origin is None:
            lost += 1
            continue
        # The body of one record as the answer of another.
        again = origin._replace(url=row.url, entry=origin.entry._replace(date=row.entry.date))
        if _own_status(row.entry):
            again = again._replace(entry=again.entry._replace(status=row.entry.status), location=row.location)
        by_date[schemeless(row.url), row.entry.date] = again
        kept.append(again)
    if lost:
        warnings.append(f"{lost:,} revisit records repeat pages that are not here; they are left out.")
    # Both schemes are one address here, so a redirect between them would hide the page it leads to.
    standing = {schemeless(row.url) for row in kept if not _circular(row)}
    return [row for row in kept if not (_circular(row) and schemeless(row.url) in standing)]


def _whole(entry: WarcEntry) -> bool:
    """Is a record complete by itself? A revisit is if its body does not matter or is known to be empty."""
    return not entry.revisit or (_own_status(entry) and (bool(entry.location) or _empty(entry.payload)))


def _own_status(entry: WarcEntry) -> bool:
    """A 304 answered the archive's crawler; another reader would have got the page."""
    return entry.status not in (0, 304)


def _empty(payload: str) -> bool:
    """Is this the digest of no bytes? Answers that have nothing else in common share it."""
    return payload.rpartition(":")[2].strip().rstrip("=").lower() in _EMPTY


def _circular(row: _Row) -> bool:
    """A redirect to its own address, most often from http to https."""
    return bool(row.location) and schemeless(row.location) == schemeless(row.url)


def _origin(row: _Row, by_payload: dict[str, _Row], by_date: dict[tuple[str, float], _Row]) -> _Row | None:
    url, date = row.entry.refers or ("", 0.0)
    named = by_date.get((schemeless(canonical(url) or ""), date))
    return named or (by_payload.get(row.entry.payload) if row.entry.payload else None)


def _arrays(rows: list[_Row], warnings: list[str]) -> dict[str, NDArray[Any]]:
    hashed = sorted(
        (xxhash.xxh3_64_intdigest(key.encode("utf-8", "surrogatepass")), key, row.entry.date, row.file, number, row)
        for number, row in enumerate(rows)
        for key in (schemeless(row.url),)
    )
    ordered = [item[-1] for item in hashed]
    keys = [item[1] for item in hashed]
    firsts = [place for place, key in enumerate(keys) if place == 0 or keys[place - 1] != key]
    urls, url_ends = _packed(ordered[place].url for place in firsts)
    locations, location_ends = _packed(row.location for row in ordered)
    told, told_ends = _packed(warnings)
    return {
        "hashes": np.array([hashed[place][0] for place in firsts], np.uint64),
        "starts": np.array([*firsts, len(ordered)], np.int64),
        "urls": urls,
        "url_ends": url_ends,
        "dates": np.array([row.entry.date for row in ordered], np.float64),
        "files": np.array([row.file for row in ordered], np.int32),
        "offsets": np.array([row.entry.offset for row in ordered], np.int64),
        "lengths": np.array([row.entry.length for row in ordered], np.int64),
        "statuses": np.array([row.entry.status for row in ordered], np.int16),
        "seals": np.array([row.entry.seal for row in ordered], np.uint64),
        "locations": locations,
        "location_ends": location_ends,
        "warnings": told,
        "warning_ends": told_ends,
    }


def _packed(texts: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return np.frombuffer(b"".join(pieces), np.uint8), ends


class _Texts:
    """Many short texts in one array."""

    def __init__(self, blob: NDArray[Any], ends: NDArray[Any]) -> None:
        self._blob, self._ends = blob.tobytes(), ends.data

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self._ends) - 1))

    def __getitem__(self, place: int) -> str:
        return self._blob[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")
