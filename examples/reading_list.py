"""A reading list from a run: its best pages as Markdown, each site once, with the words for which it is there.

python examples/reading_list.py run --best 20 > reading.md
"""

from __future__ import annotations

import argparse
from urllib.parse import urlsplit

import wolfspider

MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>()#+-!|"})  # a title is no markup


def main() -> None:
    parser = argparse.ArgumentParser(description="A reading list from a run.")
    parser.add_argument("run")
    parser.add_argument("--best", type=int, default=20, help="how many sites")
    given = parser.parse_args()
    listed: set[str] = set()
    for page in wolfspider.results(given.run, relevant=True, dedup=True, best=10 * given.best):
        site = urlsplit(page["final_url"]).netloc
        if site in listed or len(listed) == given.best:
            continue
        listed.add(site)
        title = " ".join(page["title"].split()).translate(MARKS) or "(no title)"
        words = len(page["text"].split())
        print(f"- [{title}](<{page['final_url']}>), {words:,} words, score {page['score']:.2f}. {page['why']}")


if __name__ == "__main__":
    main()
