"""Pages of a run judged anew, by the judge as it was at the last snapshot: with all that pages and labels taught it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from wolfspider.core.errors import BadInput
from wolfspider.export.selection import Rejudge
from wolfspider.store.view import RunView, StoredPage


@contextmanager
def judged_anew(view: RunView, wanted: bool = True) -> Iterator[Rejudge | None]:
    """Gives a page the verdict of the judge now; None if that is not wanted. A person's label stays, and so does the
    verdict on a page whose content was never archived, or is damaged."""
    if not wanted:
        yield None
        return
    from wolfspider.app.assemble import scope_of  # all that a crawl is made of, which other exports do without
    from wolfspider.app.past_runs import glimpse
    from wolfspider.app.settings import Settings
    from wolfspider.policy.judges.judge import scored

    with glimpse(view) as seen:
        if seen is None:
            raise BadInput(f"{view.folder} has no snapshot yet to judge its pages anew by: try again later.")
        settings = Settings.of_run(view.about)
        scope, main = scope_of(settings), settings.judge_text == "main"
        scope.restore(seen.last.state["crawl"]["scope"])
        judge = seen.judge

        def anew(row: StoredPage) -> StoredPage:
            page = None if "label" in row.evidence else view.parsed(row, main)
            if page is None:
                return row
            verdict = scored(judge, scope.cut(page))
            return replace(row, score=verdict.score, relevant=verdict.relevant, evidence=verdict.evidence)

        yield anew
