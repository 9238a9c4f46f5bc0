"""Which dates of many languages are read, by our own table and with the extra `dates`?

    python benchmarks/date_words.py

Dates are written by babel, from the tables of the Unicode consortium: twelve days, one in each month, in three lengths
(17 Nov 2026; 17 November 2026; Tuesday, 17 November 2026). dateparser has its words from the same tables, so newspapers
are harder than this for it. Each date stands in a meta tag of a page, which is read as a crawl reads it; the language
that the page names is the right one, or none.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec

from babel.dates import format_date

from wolfspider.web.page import date_words, dates

TABLE = "en de fr es it pt nl sv da nb fi pl cs ru uk tr zh ja ko"  # the languages that our own table has
OTHERS = "sk hu ro el bg hr sl sr et lv lt id vi ca eu gl is mk sq be ka hy az kk ar he fa hi bn ta th ms sw af"
DAYS = [datetime(2025, month, 7 * month % 27 + 1, tzinfo=UTC) for month in range(1, 13)]
AT = datetime(2026, 11, 17, tzinfo=UTC).timestamp()
STRANGE = (
    "garbage 12 things 2026",
    "30 utc 2026 +02 - pm :",
    "2026 , 30 am 12 / / z : utc z .",
    "ma " * 14 + "12 2026",
    "12 34 5678 " * 5 + "mai",
    "1a" * 7 + " 1 2026",
    "mai 1 2026 " * 5,
    "may june 5 2026 march mai " * 2,
    "11 2026 " + "a:" * 14,
)
LENGTHS = ("medium", "long", "full")
Reader = Callable[[str, str], float | None]


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if find_spec("dateparser") is None:
        raise SystemExit("The extra `dates`, which this is about, is not installed: pip install 'wolfspider[dates]'.")
    began = time.process_time()
    for text in STRANGE:  # which need all that there is to load
        named(text, "xx")
    loaded = time.process_time() - began
    print("| dates in | | right | wrong | ms a date | at most |\n|---|---|---:|---:|---:|---:|")
    for which, names in (("languages of our table", TABLE), ("other languages", OTHERS)):
        languages = names.split()
        for how, reader in (("our table alone", alone), ("with the extra", named), ("and no language named", unnamed)):
            print(f"| {len(languages)} {which} | {how} | {counted(languages, reader)} |")
    date_words._read.cache_clear()
    worst = max(timed(named, text, "xx")[1] for text in STRANGE)
    print(f"\nThe words are loaded once, in {loaded:.1f} s.")
    print(f"A text that is made to take long took {worst * 1000:.0f} ms at most.")


def alone(text: str, language: str) -> float | None:
    return dates.believable(dates.seconds(text), AT)


def named(text: str, language: str) -> float | None:
    return dates.published({"date": text}, (), (), "", AT, language)


def unnamed(text: str, language: str) -> float | None:
    return dates.published({"date": text}, (), (), "", AT)


def counted(languages: list[str], reader: Reader) -> str:
    date_words._read.cache_clear()
    right = wrong = asked = 0
    times = []
    for language in languages:
        for day in DAYS:
            for length in LENGTHS:
                date, took = timed(reader, format_date(day, length, locale=language), language)
                times.append(took)
                asked += 1
                right += date == day.timestamp()
                wrong += date is not None and date != day.timestamp()
    mean = sum(times) / len(times)
    return f"{right:,} of {asked:,} | {wrong} | {mean * 1000:.2f} | {max(times) * 1000:.0f}"


def timed(reader: Reader, text: str, language: str) -> tuple[float | None, float]:
    began = time.process_time()
    return reader(text, language), time.process_time() - began


if __name__ == "__main__":
    main()
