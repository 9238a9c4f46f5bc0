"""Strategies and judges from a file of the person's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.app.plugins import content_digest, fault, judge_maker, strategy_kind
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.core.topic import Topic

ONE = """
from wolfspider import Ordered, Unlearning, verdict

class Newest(Ordered):
    name = "newest"
    paper = "nobody's"

    def observe(self, outcome):
        pass

class Long(Unlearning):
    def __init__(self, topic):
        self.topic = topic

    def score(self, page):
        return verdict(min(1.0, len(page.words) / 10), 0.5)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(ONE)
    return path


def test_a_strategy_and_a_judge_come_from_one_file(file: Path) -> None:
    assert strategy_kind(str(file)).name == "newest"
    assert strategy_kind(f"{file}:Newest") is strategy_kind(str(file))
    judge = judge_maker(str(file))(Topic(("a",)))
    assert judge.score(Page("u", "u", words=("a",) * 9)).relevant


def test_those_of_the_house_come_by_name() -> None:
    assert strategy_kind("shark").name == "shark"
    assert judge_maker("keywords")(Topic(("a",))).score(Page("u", "u")).score == 0.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}/none.py", "There is no file"),
        ("{}/mine.py:Newst", "Did you mean 'Newest'"),
        ("{}/broken.py", "broken.py cannot be loaded: ZeroDivisionError: division by zero (line 2)."),
        ("{}/misspelt.py", "misspelt.py cannot be loaded: SyntaxError: invalid syntax (misspelt.py, line 3)."),
        ("{}/leaving.py", "leaving.py cannot be loaded: it calls sys.exit."),
        ("{}/empty.py", "has none."),
        ("{}/two.py", "has 2: A, B"),
        ("sharq", "Did you mean 'shark'"),
    ],
)
def test_what_is_wrong_is_told(file: Path, text: str, says: str) -> None:
    folder = file.parent
    (folder / "broken.py").write_text("\n1 / 0")
    (folder / "misspelt.py").write_text("\n\nclas Fox: pass")
    (folder / "leaving.py").write_text("import sys\nsys.exit(1)")
    (folder / "empty.py").write_text("")
    (folder / "two.py").write_text(ONE.replace("Newest", "A") + ONE.replace("Newest", "B").replace("newest", "b"))
    with pytest.raises(Problem) as caught:
        strategy_kind(text.format(folder))
    assert says in str(caught.value)


def test_a_changed_file_gives_new_classes(file: Path) -> None:
    before = strategy_kind(str(file))
    file.write_text(ONE.replace("nobody's", "anybody"))  # as long as it was, and in the same second
    after = strategy_kind(str(file))
    assert (before.paper, after.paper) == ("nobody's", "anybody")
    assert content_digest(before) != content_digest(after)
    file.write_text(ONE)
    assert strategy_kind(str(file)) is before


def test_a_file_that_registers_its_strategy_leaves_those_of_the_house_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wolfspider.policy.strategy import register\n"
        "from wolfspider.strategies import shark\n"
        "@register\nclass Shark(shark.Shark):\n    pass\n"
    )
    mine = strategy_kind(str(tmp_path / "mine.py"))
    assert mine.name == "shark" and strategy_kind("shark").__module__ == "wolfspider.strategies.shark"


def test_a_judge_may_have_nothing_but_a_score(tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(
        "from wolfspider import Unlearning, verdict\n"
        "class Bare(Unlearning):\n    def score(self, page):\n        return verdict(1.0, 0.5)\n"
        "class Lone:\n    def score(self, page):\n        return verdict(1.0, 0.5)\n"
    )
    assert judge_maker(f"{tmp_path}/bare.py:Bare")(Topic(("a",))).score(Page("u", "u")).relevant
    with pytest.raises(Problem, match=r"lacks __init__.self, topic., learn, state"):
        judge_maker(f"{tmp_path}/bare.py:Lone")


def test_an_error_in_such_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        "from wolfspider import Unlearning\nclass Wrong(Unlearning):\n"
        "    def score(self, page):\n        return {}['oops']\n"
    )
    with pytest.raises(KeyError) as caught:
        judge_maker(f"{tmp_path}/wrong.py")(Topic(("a",))).score(Page("u", "u"))
    assert fault(caught.value) == f"{tmp_path}/wrong.py line 4, in score: KeyError: 'oops'."
    assert fault(ValueError("of the house")) == ""


def test_a_judge_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        judge_maker(str(tmp_path / "none.py"))
