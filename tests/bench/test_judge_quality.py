"""The table of judges."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.conftest import record

from wolfspider.bench.draw.judge_report import markdown, reliability
from wolfspider.bench.groups import grouped
from wolfspider.bench.measure.judge_quality import (
    ORDERS,
    Wanted,
    average_precision,
    calibration,
    calibration_error,
    figures,
    means,
    table,
)
from wolfspider.bench.measure.main_text_only import main_text_only
from wolfspider.bench.run.topics import tasks_of
from wolfspider.core.errors import Problem
from wolfspider.core.model import Page
from wolfspider.core.text import words
from wolfspider.core.topic import Task, Topic
from wolfspider.policy.judges import DEFAULT_JUDGE
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.without_lines import WithoutLines
from wolfspider.web.worlds.world import World, open_web


@pytest.fixture
def world(tiny: str) -> World:
    return open_web(tiny)


def precision_of(scores: list[float], labels: list[bool]) -> float:
    return average_precision(np.array(scores), np.array(labels, np.bool_))


def test_average_precision_by_hand() -> None:
    assert precision_of([0.9, 0.8, 0.7, 0.1], [True, False, True, False]) == pytest.approx((1 + 2 / 3) / 2)
    assert precision_of([0.1, 0.9], [True, False]) == 0.5
    assert precision_of([0.5], [False]) == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_average_precision_is_a_share_and_one_for_a_perfect_order(pairs: list[tuple[float, bool]]) -> None:
    scores, labels = [score for score, _ in pairs], [label for _, label in pairs]
    assert 0 <= precision_of(scores, labels) <= 1
    assert precision_of([float(label) for label in labels], labels) == (1 if any(labels) else 0)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=30), st.randoms())
def test_average_precision_does_not_depend_on_the_order_of_reading(
    pairs: list[tuple[float, bool]], chance: random.Random
) -> None:
    other = chance.sample(pairs, len(pairs))
    assert precision_of(*map(list, zip(*pairs, strict=True))) == pytest.approx(
        precision_of(*map(list, zip(*other, strict=True)))
    )


def said(*scores: float, labels: str) -> list[tuple[float, float, bool]]:
    """Scores that are probabilities, too; a + is a relevant page."""
    return [(score, score, label == "+") for score, label in zip(scores, labels, strict=True)]


def test_figures_at_the_border() -> None:
    found = figures(said(0.5, 0.6, 0.49, 0.1, labels="+-+-"))
    assert (found["precision"], found["recall"], found["f1"]) == (0.5, 0.5, 0.5)
    assert (found["pages"], found["relevant"]) == (4, 2)
    assert figures(said(0.0, 0.0, labels="+-"))["f1"] == 0
    assert figures([])["average_precision"] == 0


def test_a_probability_is_right_if_that_share_of_pages_is_relevant() -> None:
    right = figures(said(*[0.75] * 4, *[0.05] * 20, labels="+++-" + "+" + "-" * 19))
    assert calibration([right])[7].tolist() == [4, 3, 3.0]
    assert calibration_error(calibration([right])) == pytest.approx(0, abs=1e-6)
    assert right["brier"] == pytest.approx((3 * 0.25**2 + 0.75**2 + 0.95**2 + 19 * 0.05**2) / 24, abs=1e-5)
    sure = figures(said(*[1.0] * 4, labels="+---"))
    assert calibration_error(calibration([sure])) == 0.75
    assert calibration_error(calibration([right, sure])) == pytest.approx(3 / 28, abs=1e-6)


def test_every_page_of_a_web_is_judged_once_and_the_oracle_is_perfect(world: World) -> None:
    rows = table([world], Wanted(["oracle", "keywords"], seed=3))  # seven pages and a robots.txt, which is text too
    assert [(row["judge"], row["topic"], row["pages"], row["relevant"]) for row in rows] == [
        ("oracle", "spiders", 8, 4),
        ("keywords", "spiders", 8, 4),
    ]
    assert all(row["average_precision"] == row["f1"] == 1 for row in rows)


def test_in_crawl_order_the_pages_are_those_that_a_crawl_finds(world: World) -> None:
    few, many = (table([world], Wanted(["oracle"], ["crawl"], pages=pages)) for pages in (2, 100))
    assert (few[0]["order"], few[0]["pages"]) == ("crawl", 2)
    assert few[0]["pages"] < many[0]["pages"] < 8  # robots.txt is linked from nowhere
    assert many[0]["average_precision"] == 1


def test_an_unknown_order_is_named(world: World) -> None:
    with pytest.raises(Problem, match="--order is shuffled or crawl, not 'sorted'"):
        table([world], Wanted(orders=["sorted"]))


def test_the_same_seed_gives_the_same_rows(world: World) -> None:
    def without_time(seed: int) -> list[dict[str, object]]:
        rows = table([world], Wanted(["classifier", "tfidf"], ORDERS, seed=seed))
        return [{name: value for name, value in row.items() if name != "microseconds"} for row in rows]

    assert without_time(1) == without_time(1)


def test_liked_pages_are_given_to_the_judge_and_left_out_of_the_figures(world: World) -> None:
    (row,) = table([world], Wanted(["oracle"], liked=3))
    assert (row["liked"], row["pages"], row["relevant"]) == (3, 5, 1)
    (row,) = table([world], Wanted(["likeness"], liked=3))  # each page of the topic has a word that all have
    assert row["average_precision"] == 1


def test_liked_pages_that_no_judge_is_told_of_are_left_out_all_the_same(world: World) -> None:
    told, untold = (table([world], Wanted(["likeness"], liked=3, untold=untold))[0] for untold in (False, True))
    assert told["pages"] == untold["pages"] == 5
    plain = table([world], Wanted(["likeness"]))[0]
    assert untold["bins"] != told["bins"] and plain["pages"] == 8


def test_the_first_pages_called_relevant_are_labelled_after_they_were_judged(world: World) -> None:
    (row,) = table([world], Wanted(["oracle"], labels=3))
    assert (row["labels"], row["pages"], row["relevant"]) == (3, 8, 4)
    plain, taught = (table([world], Wanted(["classifier"], labels=labels))[0] for labels in (0, 3))
    assert plain["bins"] != taught["bins"]


def test_an_unknown_judge_is_named(world: World) -> None:
    with pytest.raises(Problem, match="Did you mean 'coverage'"):
        table([world], Wanted(["covrage"]))


def row(web: str, judge: str, precision: float) -> dict[str, object]:
    made = figures(said(0.9, 0.1, labels="+-"))
    told = {"web": web, "order": "shuffled", "judge": judge, "topic": "t", "microseconds": 7}
    return {**told, **made, "average_precision": precision}


def test_the_tables_rank_judges_by_the_mean_over_webs() -> None:
    rows = [row("a", "tfidf", 0.5), row("b", "tfidf", 0.7), row("a", "coverage", 0.9), row("b", "coverage", 0.5)]
    assert means(rows)["tfidf"]["all"]["average_precision"] == pytest.approx(0.6)
    lines = markdown(rows).splitlines()
    assert lines[0] == "Order: shuffled"
    assert lines[2] == "| judge | AP a | AP b | AP mean | precision | recall | f1 | Brier | ECE |"
    assert lines[4] == "| `coverage` | 0.900 | 0.500 | 0.700 | 1.000 | 1.000 | 1.000 | 0.010 | 0.100 |"
    assert "| a | t | 1 of 2 | 0.500 | 0.900 |" in lines


def test_a_topic_of_which_no_page_was_met_says_nothing_about_judges() -> None:
    empty = {**row("a", "tfidf", 0.0), "relevant": 0}
    assert means([row("a", "tfidf", 0.5), empty])["tfidf"]["a"]["average_precision"] == 0.5


def test_the_plot_has_a_line_for_each_judge() -> None:
    svg = reliability([row("a", "tfidf", 0.5), row("a", "coverage", 0.5)], "Trust")
    assert all(name in svg for name in ("Trust", "tfidf", "coverage", "as it should be"))


def test_a_judge_may_be_shown_the_main_text_alone(tmp_path: Path, own_cache: None) -> None:
    pytest.importorskip("resiliparse", reason="resiliparse is not installed")
    said = "Wolf spiders hunt on the ground and carry their young. " * 5
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("cookies", "imprint", "login"))
    body = f"<title>Hunters</title><body><nav><ul>{menu}</ul></nav><main><p>{said}</p></main></body>"
    (tmp_path / "web.warc").write_bytes(record("http://a.test/", "200 OK\r\nContent-Type: text/html", body))
    web = open_web(str(tmp_path / "web.warc"))
    whole = parse(web.look("http://a.test/", web.start))
    assert isinstance(whole, Page)
    main = main_text_only(web)(whole)
    assert "cookies" in whole.words and main.words == ("hunters", *words(said)) and main.links == whole.links
    task = Task(Topic(("wolf spiders",)), ("http://a.test/",), frozenset(["http://a.test/"]))
    wanted = Wanted(("coverage",), ORDERS, lambda world: {"spiders": task}, main_text=True)
    assert {row["web"] for row in table([web], wanted)} == {f"{web.name}, main text"}


def test_lines_that_match_are_left_out_with_their_words_and_links(tmp_path: Path, own_cache: None) -> None:
    text = '<p>Subject: <a href="/index">spiders</a></p>\n<p>They <a href="https://a.test/jump">jump</a></p>\n'
    heads = ("http://a.test/", "http://a.test/jump", "http://a.test/index")
    answers = (record(url, "200 OK\r\nContent-Type: text/html", f"<title>Page</title>\n{text}") for url in heads)
    (tmp_path / "web.warc").write_bytes(b"".join(answers))
    web = open_web(str(tmp_path / "web.warc"))

    def read(world: World) -> tuple[str, list[str]]:
        page = parse(world.look("http://a.test/", world.start))
        assert isinstance(page, Page)
        return " ".join(page.words), [link.url for link in page.links]

    assert read(web) == ("page subject spiders they jump", ["http://a.test/index", "http://a.test/jump"])
    assert read(WithoutLines(web, "Subj[a-e]ct")) == ("page they jump", ["http://a.test/jump"])
    assert read(WithoutLines(web, "no such line")) == read(web)
    with pytest.raises(Problem, match="no regular expression"):
        WithoutLines(web, "(")


@pytest.mark.slow
def test_the_default_judge_is_the_best_on_a_recorded_web(corpora: Path, tmp_path: Path) -> None:
    small = open_web(str(corpora / "news-small"), tmp_path)
    for own in grouped(table([small], Wanted(orders=ORDERS)), lambda row: str(row["order"])).values():
        found = {judge: webs["all"]["average_precision"] for judge, webs in means(own).items()}
        assert max(found, key=found.__getitem__) == DEFAULT_JUDGE
        assert found[DEFAULT_JUDGE] > 0.4


def test_judges_are_tried_on_one_half_of_the_topics(tiny: str) -> None:
    path = Path(tiny, "topics.json")
    path.write_text(json.dumps(dict.fromkeys("abc", json.loads(path.read_text())["spiders"])))
    web = open_web(tiny)

    def judged(half: str) -> list[str]:
        wanted = Wanted(["keywords"], tasks=lambda world: tasks_of(world, None, (), world.start, half=half))
        return [row["topic"] for row in table([web], wanted)]

    assert (judged("choose"), judged("report")) == (["a", "c"], ["b"])
    with pytest.raises(Problem, match="--half is choose or report"):
        judged("both")
