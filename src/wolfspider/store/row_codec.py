"""Values as the rows of a run hold them: journal entries and pages in msgpack, what people read in bounded JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any, cast, get_type_hints

import msgpack

from wolfspider.core import codec
from wolfspider.core.events import AddSeeds, Command
from wolfspider.core.model import Failure, Fetch, Link, Page
from wolfspider.core.text import joined_words
from wolfspider.engine.entries import KINDS, BeginEntry, CommandEntry, Entry, PostponeEntry
from wolfspider.web.page.urls import canonical
from wolfspider.web.page.usage_signals import SIGNALS

LARGEST_NUMBER = 2**53  # of a command
LONGEST_JSON = 8_000
LONGEST_HEADERS = 16_000
_PAGE = tuple(field.name for field in dataclasses.fields(Page) if not field.name.endswith("_"))
_as_json = json.JSONEncoder(allow_nan=False, default=codec.plain).encode
_FETCH = ("url", "final_url", "status", "seconds", "at", "hops", "cut")
_READ_FROM = (  # headers that decide how a page is read, and what may be done with it: kept before all others
    *("content-type", "content-language", "content-encoding", "x-robots-tag", "last-modified", "etag", "link"),
    *("content-disposition", "content-location", "refresh", "date"),
    *SIGNALS,
)


def packed(value: Any) -> bytes:
    data: bytes
    try:
        data = msgpack.packb(value)
    except UnicodeEncodeError:  # half of a surrogate pair; to look out for one takes longer
        data = msgpack.packb(value, unicode_errors="surrogatepass")
    return data


def unpacked(data: bytes) -> Any:
    return msgpack.unpackb(data, unicode_errors="surrogatepass", use_list=False, strict_map_key=False)


def packed_page(page: Page) -> bytes:
    """The words as one text, unless one of them has a blank: that is five times as quick as one by one."""
    text = joined_words(page)
    return packed([text if text is not None and name == "words" else getattr(page, name) for name in _PAGE])


def unpacked_page(data: bytes) -> Page:
    values = dict(zip(_PAGE, unpacked(data), strict=False))  # earlier versions had no main text
    values["links"] = tuple(Link(*link) for link in values["links"])
    if isinstance(text := values["words"], str):
        values["words"] = tuple(text.split(" "))
    return Page(**values)


def packed_fetch(fetch: Fetch) -> bytes:
    """Everything but body and captures, which lie in the archive; its length is kept."""
    page = packed_page(fetch.page) if fetch.page is not None else None
    failure = list(fetch.failure) if fetch.failure is not None else None
    fields = [getattr(fetch, name) for name in _FETCH]
    return packed([fields, kept_headers(fetch.headers), failure, page, fetch.length])


def unpacked_fetch(data: bytes) -> tuple[Fetch, int]:
    """The answer without its body, and how long that was."""
    known, headers, failure, page, length = unpacked(data)
    fetch = Fetch(
        **dict(zip(_FETCH, known, strict=True)),
        headers=headers,
        failure=Failure(*failure) if failure is not None else None,
        page=unpacked_page(page) if page is not None else None,
    )
    return fetch, length


def packed_entry(entry: Entry) -> bytes:
    """An entry of the journal; the result of a landing must have been replaced by what stands for it."""
    if isinstance(entry, CommandEntry):
        return packed([codec.store(entry.command)[0], entry.now])
    return packed(entry)


def unpacked_entry(kind: str, data: bytes) -> Entry:
    """The same again: the result of a landing is what stands for it."""
    entry: Any = KINDS[kind](*unpacked(data))
    if isinstance(entry, BeginEntry):
        return entry._replace(seeds=tuple(Link(*link) for link in entry.seeds))
    if isinstance(entry, CommandEntry):
        return entry._replace(command=command_of(str(entry.command)))
    if isinstance(entry, PostponeEntry):
        return entry._replace(failure=Failure(*entry.failure))
    return cast(Entry, entry)


def command_of(text: str) -> Command:
    """A command, checked: it comes from another process, and is replayed after every crash."""
    command = codec.load(text, {})
    if not isinstance(command, Command):
        raise ValueError("no command")
    for name, kind in get_type_hints(type(command)).items():
        if not _fits(getattr(command, name), kind):
            raise ValueError(f"{name} is of another kind")
    if isinstance(command, AddSeeds):
        addresses = tuple(url for url in map(canonical, command.urls) if url is not None)
        if len(addresses) < len(command.urls):
            raise ValueError("no address")
        return AddSeeds(addresses, command.found)
    return command


def _fits(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_NUMBER
    if kind in (str, bool):
        return isinstance(value, kind)
    if kind is Any:  # of a parameter
        return isinstance(value, str | bool) or _fits(value, float)
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that decide how a page is read and used, then as many of the others as there is room for."""
    kept = {name: headers[name] for name in _READ_FROM if name in headers}
    room = LONGEST_HEADERS - sum(map(len, kept.values()))
    for name, value in headers.items():
        if name not in kept and (room := room - len(name) - len(value)) > 0:
            kept[name] = value
    return kept


def json_of(value: Any, most: int = LONGEST_JSON) -> str:
    """JSON for people and their tools; of a value that is too long, its length."""
    try:
        text = _as_json(value)
    except (ValueError, TypeError):
        text = json.dumps(_finite(codec.plain(value)), default=str)
    return text if len(text) <= most else json.dumps({"too_long": len(text)})


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(kept) for name, kept in value.items()}
    return [_finite(kept) for kept in value] if isinstance(value, list) else value


def signed(number: int) -> int:
    """An unsigned number of 64 bits as SQLite keeps it, with a sign."""
    return number - (1 << 64) if number >= 1 << 63 else number


def unsigned(number: int) -> int:
    return number + (1 << 64) if number < 0 else number
