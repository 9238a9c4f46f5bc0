"""The cells of the experiments on learning automata, small."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wolfspider.bench.experiment import Form
from wolfspider.bench.papers.akbari_lafc.cells import STUDIES, ComingAndGoing, ground_of, measured, new_crawl, run
from wolfspider.bench.papers.akbari_lafc.scales import CRAWLERS, FOUR, ruling_rate, settings
from wolfspider.bench.papers.akbari_lafc.tally import (
    Clusters,
    DownloadTally,
    Responses,
    Restricted,
    anytime,
    curve,
    largest,
)
from wolfspider.bench.run.starts import ADDRESS
from wolfspider.core.events import Event, Landed
from wolfspider.core.model import Page
from wolfspider.core.topic import Topic
from wolfspider.engine.crawl import Crawl
from wolfspider.learn.automaton import Automaton, Scheme
from wolfspider.policy.browsing import TRAINING

WEB = "synthetic:pages=1000,topics=8,seed=3"


def setting(study: str, **more: Any) -> dict[str, Any]:
    about = {"study": study, "web": WEB, "place": 0, "start": "directory", "keywords": 2, "budget": 100}
    return {**about, "strategy": "lafc", **more}


@pytest.mark.parametrize("quick", [True, False])
def test_settings_are_plain_and_all_different(quick: bool) -> None:
    found = settings(Form(quick))
    texts = [json.dumps(one, sort_keys=True) for one in found]
    assert [json.loads(text) for text in texts] == found
    assert len(set(texts)) == len(texts)
    assert {one["study"] for one in found} == set(STUDIES) - {"corpus"}


@pytest.mark.parametrize("quick", [True, False])
def test_every_crawler_runs_on_ten_grounds_and_in_quick_forms_those_not_ruled_on_on_five(quick: bool) -> None:
    compared = [one for one in settings(Form(quick)) if one["study"] == "compare" and one["train"] == "charged"]
    for crawler in CRAWLERS:
        grounds = {(one["place"], one["start"]) for one in compared if one["crawler"] == crawler}
        assert len(grounds) == (5 if quick and crawler not in FOUR else 10)


def test_corpora_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    assert settings(Form(True, tmp_path)) == settings(Form(True))


def test_relevant_is_what_the_paper_calls_so() -> None:
    judge = Restricted(Topic(("spider", "silk")))
    both = judge.score(Page("http://a.test/", "http://a.test/", words=("spider", "silk", "silk")))
    one = judge.score(Page("http://a.test/", "http://a.test/", words=("spider", "web")))
    assert both.relevant
    assert both.evidence["raw"] == pytest.approx(0.948683)
    assert not one.relevant
    assert one.evidence["raw"] == pytest.approx(0.707107)


def test_the_page_of_search_results_is_not_relevant_though_it_has_the_keywords() -> None:
    judge = Restricted(Topic(("spider", "silk")))
    seen = judge.score(Page(ADDRESS, ADDRESS, words=("spider", "silk")))
    assert not seen.relevant and seen.evidence["raw"] == 0


def automaton(*chances: float) -> Automaton:
    made = Automaton(range(len(chances)))
    made.chances = array("f", chances)
    return made


def test_links_that_were_never_enabled_are_left_out_of_the_largest_chance() -> None:
    """Of seven links two have moved: 0.28 of the 2/7 that they share."""
    seventh = 1 / 7
    assert largest(automaton(0.28, 2 / 7 - 0.28, *[seventh] * 5)) == pytest.approx(0.98)
    assert largest(automaton(0.96, 0.04)) == pytest.approx(0.96)
    assert largest(automaton(*[seventh] * 7)) == pytest.approx(seventh)


def test_what_responses_leave_alone_is_known_to_be_as_it_was() -> None:
    made = Automaton(range(11))
    for _ in range(60):
        made.respond(3, 1.0, Scheme(a=0.09), lambda action: action < 5)
    assert max(made.chances) < 0.5
    assert largest(made) > 0.99


def test_the_ruling_rate_is_the_smallest_that_can_get_above_95_in_100() -> None:
    rates = (0.3, 0.01, 0.03, 0.09)
    assert [ruling_rate(rates, crawls) for crawls in (1, 30, 40, 100, 300)] == [None, 0.3, 0.09, 0.03, 0.01]


def test_a_curve_counts_what_was_found_by_each_tenth() -> None:
    assert curve({7: 1, 8: 10, 9: 11, 10: 100}, 100) == [2, 3, 3, 3, 3, 3, 3, 3, 3, 4]


def test_an_any_time_curve_ends_with_all_that_was_found() -> None:
    tally = DownloadTally({})
    tally.times = array("d", [10.0, 20.0, 40.0])
    tally.found = {5: 1, 6: 3}
    steps = anytime(tally, 0.0, 6.0)
    assert steps[-1] == [pytest.approx(46 / 60), 2]
    assert steps[0] == [pytest.approx(46 / 60 / 20), 0]
    assert steps[10][1] == 1


@pytest.mark.parametrize("crawler", ["LAFC", "best-first", "breadth-first"])
@pytest.mark.parametrize("start", ["directory", "results"])
def test_a_crawler_is_measured(crawler: str, start: str) -> None:
    row = measured(setting("compare", start=start, **CRAWLERS[crawler]))
    json.dumps(row, allow_nan=False)
    assert row["downloads"] == 100 or row["reason"] == "done"
    assert row["curve"][-1] == len(row["found"]) > 0
    assert row["truth_curve"][-1] == len(row["truth_found"]) > 0
    assert row["curve"] == sorted(row["curve"])
    assert len(row["curve"]) == 10
    assert row["anytime"][-1][1] == len(row["found"])
    assert row["anytime"][-1][0] == pytest.approx(row["minutes"])
    assert row["minutes"] == pytest.approx(row["network_minutes"] + row["cpu_minutes"])
    assert row["training"] == 0


def test_the_same_cell_finds_the_same() -> None:
    known = setting("compare", crawls=2)
    first, again = measured(known), measured(known)
    assert first["found"] == again["found"]
    assert first["epochs"] == again["epochs"]
    assert len(first["epochs"]["precision"]) == 2


def test_all_crawlers_of_a_ground_have_the_same_draws() -> None:
    """So that LJM and BPM learn from the same browsing."""
    ground = ground_of(setting("compare"))
    strategies = ("lafc", "ljm", "bpm", "context-graph")
    crawls = [new_crawl(setting("compare", strategy=name), ground, 0, 100, {}) for name in strategies]
    assert len({crawl.strategy.rng.random() for crawl in crawls}) == 1
    assert new_crawl(setting("compare"), ground, 1, 100, {}).strategy.rng.random() != crawls[0].strategy.rng.random()


def test_crawls_that_share_the_budget_are_one_row() -> None:
    row = measured(setting("compare", crawls=4, crawl_budget=25))
    assert row["downloads"] <= 100
    assert "epochs" not in row
    assert row["curve"][-1] == len(row["found"])


def heard(train: str, strategy: str) -> tuple[DownloadTally, DownloadTally, DownloadTally]:
    """What was counted of a crawl, and what its training and the rest of it brought, whatever was charged."""
    known = setting("compare", strategy=strategy, train=train)
    ground = ground_of(known)
    counted, trained, crawled = (DownloadTally(ground.places()) for _ in range(3))

    def apart(event: Event) -> None:
        if isinstance(event, Landed) and event.how == "out":
            part = trained if event.outcome.visit.agent == TRAINING else crawled
            part(replace(event, outcome=replace(event.outcome, downloads=1)))

    def hear(number: int, crawl: Crawl) -> None:
        crawl.listen(counted)
        crawl.listen(apart)

    assert list(run(known, ground, hear))
    return counted, trained, crawled


@pytest.mark.parametrize("strategy", ["context-graph", "ljm"])
def test_charged_training_is_counted_with_what_it_finds(strategy: str) -> None:
    counted, trained, crawled = heard("charged", strategy)
    assert trained.downloads > 0 and trained.found
    assert counted.downloads == trained.downloads + crawled.downloads <= 100
    assert counted.found.keys() == trained.found.keys() | crawled.found.keys()


@pytest.mark.parametrize("strategy", ["context-graph", "ljm"])
def test_free_training_is_not_counted_nor_what_it_finds(strategy: str) -> None:
    counted, trained, crawled = heard("free", strategy)
    assert trained.downloads > 0 and trained.found
    assert counted.downloads == crawled.downloads <= 100
    assert counted.found == crawled.found
    assert not trained.found.keys() <= counted.found.keys()


def test_training_is_told_in_the_row() -> None:
    charged, free = (
        measured(setting("compare", strategy="context-graph", train=train)) for train in ("charged", "free")
    )
    assert 0 < charged["training"] <= charged["downloads"] <= 100
    assert free["training"] > 0


def test_a_sweep_has_a_figure_for_each_value() -> None:
    values = [0.45, 0.95]
    row = measured(
        setting("sweep", keywords=5, varied="control", values=values, crawls=2, crawl_budget=50, settings={"rate": 0.1})
    )
    assert set(row) == {"topic", "precision", "truth", "distinct", "last", "downloads"} | {
        "minutes",
        "network_minutes",
        "cpu_minutes",
    }
    assert all(len(row[name]) == 2 for name in row if name != "topic")
    assert row["downloads"] == [100, 100]


def test_no_rate_matters_in_a_first_crawl() -> None:
    row = measured(setting("sweep", keywords=5, varied="rate", values=[0.05, 0.5], crawls=1))
    assert row["precision"][0] == row["precision"][1]


def test_no_control_threshold_matters_with_one_keyword() -> None:
    row = measured(setting("ties", keywords=1, varied="control", values=[0.45, 0.95], crawls=1))
    assert row["same"]
    assert row["precision"][0] == row["precision"][1]


def test_automata_prefer_some_link_the_more_the_more_often_they_crawl() -> None:
    row = measured(setting("theorem", keywords=5, rate=0.3, crawls=20, crawl_budget=50, settings={"decay": 1.0}))
    assert row["crawl"] == [1, 2, 5, 10, 20]
    assert row["mean_largest"][-1] > row["mean_largest"][0]
    assert all(0 <= value <= 1 for name in ("share", "share_raw", "best", "mean_largest") for value in row[name])
    assert row["share"][-1] > row["share"][0]
    assert len(set(row["cohort"])) == 1


def test_crawls_that_inherit_nothing_do_not_get_sure() -> None:
    known = {"rate": 0.3, "crawls": 10, "crawl_budget": 50, "settings": {"decay": 1.0}, "decay": 1.0}
    row = measured(setting("theorem", keywords=5, **known, broken=True))
    assert row["cohort"][0] > 0
    assert set(row["share"]) == {0.0}


def test_links_come_and_go_from_crawl_to_crawl_and_are_the_same_within_one() -> None:
    ground = ground_of(setting("changing"))
    web = ComingAndGoing(ground.kept, 0.5)
    url = ground.task.seeds[0]
    shown: list[set[str]] = []
    for crawl in (0, 1, 0):
        web.crawl = crawl
        page = web.look(url, ground.world.start).page
        assert page is not None
        shown.append({link.url for link in page.links})
    whole = ground.kept.look(url, ground.world.start).page
    assert whole is not None
    every = {link.url for link in whole.links}
    assert shown[0] == shown[2] != shown[1] and shown[0] < every and shown[1] - shown[0]
    assert 0.3 * len(every) < len(shown[0]) < 0.7 * len(every)


def test_a_changing_web_is_crawled_again_and_again() -> None:
    row = measured(setting("changing", hidden=0.2, crawls=3, crawl_budget=30, settings={"decay": 1.0}))
    assert len(row["precision"]) == len(row["downloads"]) == 3 and max(row["downloads"]) <= 30


def test_what_automata_know_is_told_by_their_responses_however_many_crawls_these_took() -> None:
    row = measured(setting("theorem", rate=0.3, crawls=6, crawl_budget=60, settings={"decay": 1.0}))
    assert row["responses"][:3] == [1, 2, 5] and row["responding"] >= 5
    assert len(row["mean_by_responses"]) == len(row["sure_by_responses"]) == len(row["responses"])
    assert Responses().row({"nowhere"})["responses"] == []


@pytest.mark.parametrize("crawler", ["BPM", "LJM"])
def test_pages_of_a_cluster_are_compared_in_pairs(crawler: str) -> None:
    own = {**CRAWLERS[crawler], "settings": {"training": 40}}
    row = measured(setting("compare", crawler=crawler, train="charged", **own))
    assert row["within"] is None or 0 <= row["within"] <= 1


class Split:
    """A model that knows two clusters, by the word that a page has."""

    class Params:
        neighbours = 1

    params = Params()

    @property
    def guide(self) -> Any:
        return self

    @property
    def space(self) -> Any:
        return self

    @property
    def known(self) -> Any:
        return self

    def fold(self, bags: Any) -> Any:
        return bags

    def labels(self, bags: Any, neighbours: int) -> list[int]:
        return [int("b" in bag) for bag in bags]


def test_only_pairs_within_a_cluster_count() -> None:
    """In cluster a the relevant page is above one other and level with another; b has no relevant page."""
    clusters = Clusters(Split())  # type: ignore[arg-type]
    for bag, score, relevant in (({"a": 1}, 0.5, 1), ({"a": 1}, 0.4, 0), ({"a": 1}, 0.5, 0), ({"b": 1}, 0.9, 0)):
        clusters._bags.append(bag)
        clusters._scores.append(score)
        clusters._relevant.append(relevant)
    assert clusters.within() == 0.75
