"""The crawls of best-first against breadth-first: both crawlers on five topics of each of several synthetic webs.

An easy web and the hard one of the same seed have the same pages and topics; the hard one has no links between the
communities of a topic. So everything is paired: crawlers by web and topic, and easy webs with hard ones.
"""

from __future__ import annotations

from itertools import product

from wolfspider.bench.experiment import Form, Setting

BEST, BREADTH = "best-first", "breadth-first"
KINDS = EASY, HARD = "easy", "hard"
TOPICS = 5  # of each web
FULL, QUICK = ("pages=20000", 6, 1000), ("pages=3000,topics=16", 3, 200)  # web, seeds, downloads


def settings(form: Form) -> list[Setting]:
    web, seeds, pages = form.scale(FULL, QUICK)
    return [
        {
            "web": f"synthetic:{web},seed={seed},hard={int(kind == HARD)}",
            "kind": kind,
            "web_seed": seed,
            "place": place,
            "topic": place,
            "strategy": strategy,
            "pages": pages,
        }
        for seed, kind, place, strategy in product(range(1, seeds + 1), KINDS, range(TOPICS), (BEST, BREADTH))
    ]


def scaled(form: Form) -> list[str]:
    computed = "The webs are computed: 12 of 20,000 pages each. The papers had a university's pages and the web itself."
    quick = (
        "3 easy webs and 3 hard ones of 3,000 pages instead of 6 and 6 of 20,000.",
        "200 downloads for each crawl instead of 1,000.",
    )
    return [computed, *form.scale((), quick)]
