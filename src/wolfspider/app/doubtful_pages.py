"""The pages of a run that a teacher may be asked about, as policy/questions.py wants them."""

from __future__ import annotations

from collections.abc import Iterator

from wolfspider.core.events import Label
from wolfspider.policy.questions import Doubtful
from wolfspider.store.inbox import command_in
from wolfspider.store.page_count import HIDDEN, NEWEST
from wolfspider.store.view import RunView

_CERTAIN = "h.score <= 0 OR h.score >= 1"  # a label is
_CANDIDATES = f"SELECT p.final_url, h.score, p.links FROM {NEWEST} WHERE NOT {HIDDEN} AND NOT ({_CERTAIN})"  # noqa: S608


def candidates(view: RunView) -> Iterator[Doubtful]:
    """Without those that ask not to be indexed, and those that have a label, or will have it soon."""
    commands = (command_in(data) for (data,) in view.rows("SELECT data FROM commands"))
    given = {command.url for command in commands if isinstance(command, Label)}
    with view.moment() as run:
        yield from (Doubtful(*row) for row in run.execute(_CANDIDATES) if row[0] not in given)
