"""A repair of a run whose description a stranger may have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.app.repairing import mend
from wolfspider.store.sqlite import create
from wolfspider.store.view import RunView
from wolfspider.testing.rehearsal import Rehearsal

JUDGE = """
from pathlib import Path

from wolfspider import Unlearning, Verdict

Path(__file__).with_name("executed").touch()

class Mine(Unlearning):
    def score(self, page):
        return Verdict(0.9, True)
"""


@pytest.mark.parametrize("gone", [False, True])
def test_a_repair_runs_no_file_that_the_run_names(gone: bool, tmp_path: Path) -> None:
    """Verdicts of a judge of the person's own are kept where they are known, and given by the next resume."""
    path = tmp_path / "mine.py"
    path.write_text(JUDGE)
    settings = {"judge": str(path), "topic": "wolf"}
    store = create(tmp_path / "run", {"settings": settings}, info={"software": "test"})
    Rehearsal(store, pages=20).run(12)
    store.close()
    before = {row.final_url: row.score for row in RunView(tmp_path / "run").pages()}
    if gone:
        (tmp_path / "run" / "run.db").unlink()
    mend(tmp_path / "run", anew=not gone)
    after = {row.final_url: row.score for row in RunView(tmp_path / "run").pages()}
    assert not (tmp_path / "executed").exists()
    assert before and after == (dict.fromkeys(before, 0.0) if gone else before)
