"""The table of judges."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.bench.measure.judge_quality import average_precision, figures, markdown, means, table
from wolfspider.core.errors import Problem
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


def test_figures_at_the_border() -> None:
    found = figures([0.5, 0.6, 0.49, 0.1], [True, False, True, False])
    assert (found["precision"], found["recall"], found["f1"]) == (0.5, 0.5, 0.5)
    assert (found["pages"], found["relevant"]) == (4, 2)
    assert figures([0.0, 0.0], [True, False])["f1"] == 0


def test_every_page_of_a_web_is_judged_once_and_the_oracle_is_perfect(world: World) -> None:
    rows = table([world], ["oracle", "keywords"], seed=3)  # seven pages and a robots.txt, which is text too
    assert [(row["judge"], row["topic"], row["pages"], row["relevant"]) for row in rows] == [
        ("oracle", "spiders", 8, 4),
        ("keywords", "spiders", 8, 4),
    ]
    assert all(row["average_precision"] == row["f1"] == 1 for row in rows)


def test_the_same_seed_gives_the_same_rows(world: World) -> None:
    def without_time(seed: int) -> list[dict[str, object]]:
        rows = table([world], ["classifier", "tfidf"], seed)
        return [{name: value for name, value in row.items() if name != "microseconds"} for row in rows]

    assert without_time(1) == without_time(1)


def test_liked_pages_are_given_to_the_judge_and_left_out_of_the_figures(world: World) -> None:
    (row,) = table([world], ["oracle"], liked=3)
    assert (row["liked"], row["pages"], row["relevant"]) == (3, 5, 1)
    (row,) = table([world], ["likeness"], liked=3)  # each page of the topic has a word that the others have, too
    assert row["average_precision"] == 1


def test_an_unknown_judge_is_named(world: World) -> None:
    with pytest.raises(Problem, match="Did you mean 'coverage'"):
        table([world], ["covrage"])


def test_the_tables_rank_judges_by_the_mean_over_webs() -> None:
    def row(web: str, judge: str, precision: float) -> dict[str, object]:
        made = figures([0.9, 0.1], [True, False])
        return {"web": web, "judge": judge, "topic": "t", "microseconds": 7, **made, "average_precision": precision}

    rows = [row("a", "tfidf", 0.5), row("b", "tfidf", 0.7), row("a", "coverage", 0.9), row("b", "coverage", 0.5)]
    assert means(rows)["tfidf"]["all"]["average_precision"] == pytest.approx(0.6)
    lines = markdown(rows).splitlines()
    assert lines[0] == "| judge | AP a | AP b | AP mean | precision | recall | f1 |"
    assert lines[2] == "| `coverage` | 0.900 | 0.500 | 0.700 | 1.000 | 1.000 | 1.000 |"
    assert "| a | t | 1 of 2 | 0.500 | 0.900 |" in lines


@pytest.mark.slow
def test_the_default_judge_is_the_best_on_a_recorded_web(corpora: Path, tmp_path: Path) -> None:
    small = open_web(str(corpora / "news-small"), tmp_path)
    found = means(table([small]))
    assert max(found, key=lambda judge: found[judge]["all"]["average_precision"]) == "classifier"
    assert found["classifier"]["all"]["average_precision"] > 0.4


def test_judges_are_tried_on_one_half_of_the_topics(tiny: str) -> None:
    path = Path(tiny, "topics.json")
    path.write_text(json.dumps(dict.fromkeys("abc", json.loads(path.read_text())["spiders"])))
    web = open_web(tiny)
    choose, report = ([row["topic"] for row in table([web], ["keywords"], half=half)] for half in ("choose", "report"))
    assert (choose, report) == (["a", "c"], ["b"])
    with pytest.raises(Problem, match="--half is choose or report"):
        table([web], ["keywords"], half="both")
