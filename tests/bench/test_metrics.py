from __future__ import annotations

from wolfspider.bench.measure.metrics import Best, Harvest, RelevantPages, key
from wolfspider.core.events import Ended, Landed, Noted
from wolfspider.core.model import Failure, Link, Outcome, Page, Verdict, Visit


def landed(
    download: int,
    url: str,
    score: float | None = 0.0,
    *,
    digest: str = "",
    how: str = "out",
    cost: int = 1,
    failure: Failure | None = None,
    final: str = "",
) -> Landed:
    result = failure or Page(url, final or url, title=f"title of {url}", digest=digest)
    verdict = None if failure or score is None else Verdict(score, score >= 0.5)
    outcome = Outcome(Visit(download, Link(url)), result, verdict, cost, 0.1, 0.0, how != "out")
    return Landed(0.0, outcome, how, download)


def test_http_and_https_are_one_address() -> None:
    assert key("http://a.test/x?y=1") == key("https://a.test/x?y=1") == "a.test/x?y=1"


def test_found_counts_a_page_once_by_its_final_address() -> None:
    found = RelevantPages(["http://a.test/1", "https://a.test/2", "http://b.test/3"])
    found(Noted(0.0, "birth"))
    found(landed(1, "http://a.test/0"))
    found(landed(2, "http://a.test/go", final="http://a.test/2"))
    found(landed(3, "https://a.test/2"))  # again, by another way
    found(landed(3, "http://a.test/1", how="held", cost=0))
    found(landed(3, "http://a.test/1", cost=0))  # free training
    found(landed(4, "http://a.test/1", failure=Failure("status", "404")))
    found(landed(5, "http://b.test/3"))
    found(landed(6, "http://b.test/4"))
    found(Ended(0.0, "budget", 6))
    assert found.curve == [[2, 1], [5, 2], [6, 2]]
    assert (len(found), found.downloads, found.hosts) == (2, 6, {"a.test", "b.test"})


def test_the_last_download_has_one_pair_and_no_download_none() -> None:
    found = RelevantPages(["http://a.test/1"])
    found(Ended(0.0, "done", 0))
    assert found.curve == []
    found(landed(1, "http://a.test/1"))
    found(Ended(0.0, "done", 1))
    assert found.curve == [[1, 1]]


def test_the_harvest_is_what_the_judge_calls_relevant() -> None:
    harvest = Harvest()
    for number, score in enumerate((0.9, 0.1, 0.8, None, 0.7)):
        harvest(landed(number + 1, f"http://a.test/{number}", score))
    harvest(landed(5, "http://a.test/0", 0.9, how="held", cost=0))
    assert (harvest.relevant, harvest.downloads) == (3, 5)


def test_the_best_finds_each_body_once() -> None:
    best = Best(most=2)
    best(landed(1, "http://a.test/1", 0.5, digest="a"))
    best(landed(2, "http://a.test/2", 0.9, digest="b"))
    best(landed(3, "http://a.test/copy", 0.9, digest="b"))
    best(landed(4, "http://a.test/4", 0.7, digest="c"))
    best(landed(5, "http://a.test/5", failure=Failure("dns")))
    assert [(find.url, find.title) for find in best.finds] == [
        ("http://a.test/2", "title of http://a.test/2"),
        ("http://a.test/4", "title of http://a.test/4"),
    ]


def test_of_equal_finds_the_earlier_comes_first() -> None:
    best = Best(most=2)
    for number in (1, 2, 3):
        best(landed(number, f"http://a.test/{number}", 0.9))
    assert [find.url for find in best.finds] == ["http://a.test/1", "http://a.test/2"]
