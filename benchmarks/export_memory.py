"""How much memory an export takes, by the number of pages of the run: it must not grow with it.

    python benchmarks/export_memory.py [--pages 1000 --pages 10000 ...] [--format jsonl ...] [--folder DIR]

Makes runs of so many small pages, all different, by the store itself, without a crawl and without parsing what it
wrote, and exports each in a process of its own; what was exported is deleted at once. A run of a million pages takes
1.4 GB. Told are the peak of that process's memory (RSS) and the computing time for a page. The last line says how much
the peak grew between the smallest and the largest run. Runs are kept in --folder, if one is given, and used again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from wolfspider.app.settings import Settings
from wolfspider.core.events import Landed, Went
from wolfspider.core.model import Capture, Fetch, Link, Outcome, Page, Route, Verdict, Visit
from wolfspider.engine.entries import BeginEntry, LandEntry
from wolfspider.store.sqlite import create

_VOCABULARY = 20_000
_PASSAGE, _PASSAGES = 30, 5  # words of a passage, passages of a page
_DRAWN_FROM = 3_000  # passages
_WORDS = ("w",) * _PASSAGE * _PASSAGES  # a run notes how many a page has
_AT = 1_800_000_000.0
_TURN = 500  # pages of a commit
_EXPORT = (
    "import io, resource, sys; from pathlib import Path; from wolfspider.export.exporting import export;"
    "told = export(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), stdout=io.BytesIO());"
    "used = resource.getrusage(resource.RUSAGE_SELF);"
    "peak = Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0];"  # ru_maxrss is that of the parent
    "print(told.pages, int(peak) // 1024, used.ru_utime + used.ru_stime)"
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--pages", type=int, action="append", help="of a run; repeatable (1,000 10,000 100,000)")
    options.add_argument("--format", action="append", help="repeatable (jsonl)")
    options.add_argument("--folder", type=Path, help="where to keep the runs")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for form in chosen.format or ["jsonl"]:
            peaks = []
            for pages in sorted(chosen.pages or [1_000, 10_000, 100_000]):
                run = (chosen.folder or Path(scratch)) / f"run-{pages}"
                if not (run / "run.json").is_file():
                    make_run(run, pages)
                peaks.append(measured(run, form, pages, Path(scratch) / f"{form}-{pages}"))
            print(f"format={form} grown={peaks[-1] - peaks[0]} MB", flush=True)


def measured(run: Path, form: str, pages: int, out: Path) -> int:
    """The peak of an export in megabytes."""
    words = [sys.executable, "-c", _EXPORT, str(run), form, str(out)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    removed(out)
    assert int(told[0]) == pages, told
    print(f"format={form} pages={pages} peak={told[1]} MB {1000 * float(told[2]) / pages:.2f} CPU ms/page", flush=True)
    return int(told[1])


def removed(out: Path) -> None:
    if out.is_dir():
        shutil.rmtree(out)
    for path in out.parent.glob(f"{out.name}*"):
        path.unlink()


def make_run(folder: Path, pages: int) -> None:
    """A run with so many pages on a hundred hosts, each found on an earlier one."""
    settings = Settings(urls=("http://h0.test/0",), topic="spiders", contact="me@example.org")
    store = create(folder, {"settings": settings.to_json()}, info={"software": "export_memory.py"})
    rng = Random(7)
    words = [f"w{number:x}" for number in range(_VOCABULARY)]
    passages = [" ".join(rng.choices(words, k=_PASSAGE)) for _ in range(_DRAWN_FROM)]
    store.write(BeginEntry((Link("http://h0.test/0"),), _AT, 0))
    for number in range(pages):
        page, fetch = _page(number, rng, passages)
        source = _address(rng.randrange(number)) if number else ""
        visit = Visit(number + 1, Link(page.url, f"to {number}"), "", source)
        verdict = Verdict(rng.random(), rng.random() < 0.5, {"raw": 0.1})
        store.hear(Went(page.at, visit, Route.OUT))
        store.archive(visit.id, fetch)
        store.write(LandEntry(visit.id, page, page.at, 0.1))
        store.hear(Landed(page.at, Outcome(visit, page, verdict, 1, 0.1, page.at), Route.OUT, number + 1))
        store.keep(page.url, page, verdict)
        if number % _TURN == 0:
            store.commit()
    store.commit()
    store.close()


def _address(number: int) -> str:
    return f"http://h{number % 100}.test/{number}"


def _page(number: int, rng: Random, passages: list[str]) -> tuple[Page, Fetch]:
    url, at, title = _address(number), _AT + number, f"Page {number}"
    text = "</p><p>".join(rng.choices(passages, k=_PASSAGES))
    body = f"<html><title>{title}</title><body><p>{text}</p></body></html>".encode()
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    captured = (Capture(url, at, 200, headers, body),)
    fetch = Fetch(url, url, 200, {"content-type": headers[0][1]}, body, None, 0.1, at, (), captures=captured)
    digest, near = f"{rng.getrandbits(128):032x}", rng.getrandbits(64)
    page = Page(url, url, title, _WORDS, (), len(body), digest, near, language="en", at=at)
    return page, fetch


if __name__ == "__main__":
    main()
