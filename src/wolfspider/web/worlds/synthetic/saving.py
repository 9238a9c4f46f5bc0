"""A synthetic web written out as a recorded one: `web.warc.gz` and `topics.json` in a folder.

Pages come breadth-first from the starting points of its tasks, so that a copy of limited size hangs together, then
the rest. With a page come the redirects it uses, with the first page of a host its robots.txt and, on traps, two
years of the calendar: a copy cannot be endless. Pages carry their own date, everything else the earliest. News comes
hour by hour: articles and their revisions at their times, lists as they stood at the full hour, where they changed.

What is not written: pages that are gone (a recorded web answers 404 by itself), failures that pass, and delays.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from wolfspider import __version__
from wolfspider.core.errors import Problem
from wolfspider.core.model import Capture
from wolfspider.core.topic import Task
from wolfspider.files.disk import replacing, whole_file
from wolfspider.web.warc.writer import info, response
from wolfspider.web.worlds.synthetic.answers import PageAnswer
from wolfspider.web.worlds.synthetic.news import News, Sheet
from wolfspider.web.worlds.synthetic.newsroom import HOUR
from wolfspider.web.worlds.synthetic.render import OLDEST
from wolfspider.web.worlds.synthetic.sites import Kind
from wolfspider.web.worlds.synthetic.web import Synthetic

Progress = Callable[[int, int], object]  # records written, records to expect

_MONTHS = 24
_FIRST_YEAR = 2004


class DatedAnswer(NamedTuple):
    url: str
    date: float
    answer: PageAnswer


def write(world: Synthetic, folder: Path, limit: int | None = None, progress: Progress | None = None) -> int:
    """Write at most `limit` records; returns how many. The web's file appears only when it is complete."""
    target = folder / "web.warc.gz"
    if target.exists():
        raise Problem(f"{target} is there already; name another folder, or delete it first.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(target, 0o666) as file:
            written = _write_records(world, file, limit, progress)
            # The tasks; of a copy that was cut short, what of them is in it.
            kept = None if limit is None or len(written) < limit else written
            tasks = {name: _as_json(task, kept) for name, task in world.tasks().items()}
            with replacing(folder / "topics.json") as aside:
                aside.write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    except OSError as error:
        raise Problem(f"The web cannot be written to {folder}: {error.strerror}.") from error
    return len(written)


def _write_records(world: Synthetic, file: BinaryIO, limit: int | None, progress: Progress | None) -> set[str]:
    expected = world.params.pages if limit is None else limit
    written: set[str] = set()
    about = {"software": f"wolfspider/{__version__}", "format": "WARC File Format 1.1", "web": world.name}
    file.write(info(world.start - OLDEST, about))
    for number, record in enumerate(islice(records(world), limit), 1):
        answer = record.answer
        headers = tuple(answer.headers().items())
        file.write(response(Capture(record.url, record.date, answer.status, headers, answer.body)))
        written.add(record.url)
        if progress is not None:
            progress(number, max(number, expected))
    return written


def _as_json(task: Task, kept: set[str] | None) -> dict[str, object]:
    return {
        "keywords": list(task.topic.keywords),
        "description": task.topic.description,
        "seeds": list(task.seeds),
        "relevant": sorted(task.relevant if kept is None else task.relevant & kept),
    }


def records(world: Synthetic) -> Iterator[DatedAnswer]:
    """Everything there is, in the order it is written."""
    if world.news is not None:
        yield from _news_records(world.news)
    hosts: set[int] = set()
    redirects: set[str] = set()
    earliest = world.start - OLDEST
    for page in _breadth_first(world):
        host = world.sites.host(page)
        if host not in hosts:
            hosts.add(host)
            months = range(_MONTHS) if world.sites.host_kind(host) == Kind.TRAP else ()
            calendar = (f"/cal/{_FIRST_YEAR + month // 12}/{month % 12 + 1}" for month in months)
            for path in ("/robots.txt", *calendar):
                url = f"http://{world.addresses.host_name(host)}{path}"
                yield DatedAnswer(url, earliest, world.aside(host, path))
        answer = world.page_answer(page)
        if answer.status == 200:
            yield DatedAnswer(answer.url, answer.modified or earliest, answer)
            yield from _redirects(world, page, host, redirects)


def _breadth_first(world: Synthetic) -> Iterator[int]:
    """All pages: first those that links reach from where the tasks start, nearest first."""
    seen = bytearray(world.params.pages)
    seeds = [page for task in world.tasks().values() for url in task.seeds if (page := world.page_of(url)) is not None]
    queue = deque(dict.fromkeys(seeds))
    for page in queue:
        seen[page] = 1
    while queue:
        page = queue.popleft()
        yield page
        for target, _ in world.page_links(page):
            if not seen[target]:
                seen[target] = 1
                queue.append(target)
    yield from (page for page in range(world.params.pages) if not seen[page])


def _redirects(world: Synthetic, page: int, host: int, known: set[str]) -> Iterator[DatedAnswer]:
    """Every hop of the redirects that a page links to."""
    for target, _ in world.page_links(page):
        way = world.printer.redirect(page, target) if world.sites.host(target) != host else ""
        for step in {"": "", "x": "xy"}.get(way, "abc"[: "abc".find(way) + 1]):
            path = f"/go/{world.addresses.code(target)}{step}"
            url = f"http://{world.addresses.host_name(host)}{path}"
            if url not in known:
                known.add(url)
                yield DatedAnswer(url, world.start - OLDEST, world.aside(host, path))


def _news_records(news: News) -> Iterator[DatedAnswer]:
    versions = deque(  # when each article was published and revised
        sorted(
            (published + age, number)
            for number, published in enumerate(news.archive.times)
            for age in (0.0, *news.room.revisions(number, news.room.end - published))
        )
    )
    last: dict[str, Sheet] = {}
    for hour in range(1, round((news.room.end - news.room.origin) / HOUR) + 1):
        now = news.room.origin + hour * HOUR
        while versions and versions[0][0] <= now:
            moment, number = versions.popleft()
            url = news.url(number)
            yield DatedAnswer(url, moment, news.answer("/" + url.removeprefix(news.site), moment))
        for path in news.list_paths(now):
            sheet = news.sheet(path, now)
            if isinstance(sheet, Sheet) and last.get(path) != sheet:
                last[path] = sheet
                yield DatedAnswer(news.site + path[1:], now, news.answer(path, now))
