"""What the dashboard keeps of a run that is dear to work out, and for how long."""

from __future__ import annotations

from pathlib import Path

from wolfspider.dashboard.desk import RunDesk
from wolfspider.files.lock import Lock
from wolfspider.store.folder import Places


def test_what_was_worked_out_while_a_run_went_on_is_not_told_of_it_once_it_is_over(tmp_path: Path) -> None:
    run = tmp_path / "hunt"
    run.mkdir()
    desk, figures = RunDesk(tmp_path), iter(range(9))

    def told() -> int:
        return desk.remembered(run, "figures", lambda: next(figures))

    lock = Lock(Places.of(run).lock)
    assert (told(), told()) == (0, 0)
    lock.release()
    assert (told(), told()) == (1, 1)
    lock = Lock(Places.of(run).lock)
    assert (told(), told()) == (2, 2)
    lock.release()
