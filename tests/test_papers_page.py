"""The page of all claims is that of the kept results, and a commit draws one paper for `make reproduction`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wolfspider.bench.papers import experiment_named, experiments

ROOT = Path(__file__).parents[1]


def drawn(commit: str) -> str:
    done = subprocess.run([ROOT / ".ci" / "drawn-paper", commit], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_commit_draws_always_the_same_paper_and_commits_draw_all() -> None:
    names = [drawn(f"{number:08x}" + "0" * 32) for number in range(len(experiments()))]
    assert sorted(names) == sorted(experiments())
    assert drawn("deadbeef") == drawn("deadbeef")


def test_the_page_of_the_papers_is_that_of_the_kept_results() -> None:
    program = ROOT / "benchmarks" / "papers.py"
    checked = subprocess.run([sys.executable, program, "--check"], check=False)
    assert checked.returncode == 0, "python benchmarks/papers.py writes it."


@pytest.mark.parametrize("name", list(experiments()))
def test_every_claim_of_every_paper_is_on_the_page(name: str) -> None:
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    for claim in experiment_named(name).claims:
        says = claim.says.replace("|", "/")
        assert f"| {name} | {claim.number}. {says} | " in page, "python benchmarks/papers.py writes it."
