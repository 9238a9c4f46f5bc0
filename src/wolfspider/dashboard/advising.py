"""What a person could do next, for the first screen: a sentence, and what the page offers for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wolfspider.core.events import CrawlState, EndReason, Gauge, Label
from wolfspider.dashboard.shapes import Advice
from wolfspider.policy.judges import EVERYTHING
from wolfspider.report.run_facts import Commanded
from wolfspider.report.run_page import ADVICE
from wolfspider.store.view import Summary
from wolfspider.terminal.standing import SPENT, counted

UNBEGUN = "unbegun"
_MANY_FAILURES = 0.3  # of the downloads
_ENOUGH = 20  # downloads that say something
_FEW_LABELS = 5
_MOST = 4  # sentences


def advice_for(
    state: str,
    reason: str,
    summary: Summary,
    gauge: Gauge | None,
    said: Sequence[str],
    commands: Sequence[Commanded],
    judge: str = "",
) -> list[Advice]:
    """The most useful first. `said`: what `wolfspider status` advises."""
    labels = sum(isinstance(each.command, Label) for each in commands)
    found = [*_of_state(state, reason, summary, gauge), *_of_finds(summary, said), *_of_trouble(summary)]
    if summary.count.relevant and labels < _FEW_LABELS and judge != EVERYTHING:
        found.append(_advice("Tell it of ten pages whether they are good: it learns most from those.", "label"))
    return found[:_MOST]


def _advice(text: str, kind: str = "", **more: object) -> Advice:
    return {"text": text, "action": {"kind": kind, **more} if kind else None}


def _of_state(state: str, reason: str, summary: Summary, gauge: Gauge | None) -> Iterator[Advice]:
    match state:
        case "killed":
            yield _advice("It was killed or interrupted. Resume it: nothing is lost.", "resume")
        case "failed":
            yield _advice(f"It was ended by an error: {summary.trouble} Mend that, then resume it.", "resume")
        case "unbegun" if reason:
            yield _advice(f"It could not be begun: {reason}", "said")
            yield _advice("Mend that and begin it, or start another with what is missing.", "resume")
        case "unbegun":
            yield _advice("It has not begun. Begin it.", "resume")
        case "silent":
            yield _advice("Its process is there and does not report: it is resuming a long run, or it hangs.", "said")
        case CrawlState.PAUSED:
            yield _advice("It is paused. End the pause when you are ready.", "command", verb="resume", words=[])
        case CrawlState.WAITING | CrawlState.IDLE if gauge is not None and gauge.hosts_resting:
            hosts = counted(gauge.hosts_resting, "host")
            yield _advice(f"It waits for {hosts} to rest. Starting points at other hosts would use the time.", "seeds")
        case CrawlState.ENDED:
            yield from _of_end(reason, summary)


def _of_end(reason: str, summary: Summary) -> Iterator[Advice]:
    if reason == EndReason.BUDGET:
        more = 2 * max(1, summary.downloads)
        yield _advice("The budget is spent. Give it more if what it finds is good.", "resume", pages=more)
    elif reason == EndReason.DONE:
        yield _advice("No link is left to follow. Add starting points, then resume it.", "seeds")
    elif reason == EndReason.EXCLUDED:
        yield _advice("All links that are left are excluded. Include some again, then resume it.", "scope")
    elif reason == EndReason.DISK:
        yield _advice("The disk is nearly full. Make room, then resume it.", "resume")
    elif reason in SPENT:
        yield _advice("A limit of it is reached. Move the limit, then resume it.", "limits")
    elif reason not in (EndReason.FINISHED, EndReason.CIRCLING, EndReason.STUCK):
        yield _advice("It can go on from where it stopped.", "resume")
    if summary.count.relevant:
        yield _advice(f"Look at the {counted(summary.count.relevant, 'relevant page')} it has found.", "report")


def _of_finds(summary: Summary, said: Sequence[str]) -> Iterator[Advice]:
    for place, sentence in enumerate(said):
        yield _advice(sentence, "label" if place else "topic")


def _of_trouble(summary: Summary) -> Iterator[Advice]:
    """That many downloads fail, and the commonest kind."""
    failed = sum(summary.failures.values())
    if summary.downloads < _ENOUGH or failed < _MANY_FAILURES * summary.downloads:
        return
    kind = max(summary.failures, key=lambda each: summary.failures[each])
    share = f"{failed:,} visits failed, with {summary.downloads:,} downloads."
    yield _advice(f"{share} {ADVICE.get(kind, '')}".strip(), "failures")
