"""How a run stands, in words: the same on the screen of a crawl and in `wolfspider status`."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wolfspider.app.event_json import told
from wolfspider.app.plugins import PARTS, call_to_resume
from wolfspider.app.settings import Settings, worded
from wolfspider.core import failures
from wolfspider.core.events import RESUMABLE, CrawlState, EndReason, Gauge, Phase
from wolfspider.core.limits import AT_ONCE, DRY, ENDLESS
from wolfspider.core.plain_text import plainly
from wolfspider.files.lock import is_owned
from wolfspider.files.program_name import shell_command
from wolfspider.store.fleet_folder import fleet_of, is_fleet
from wolfspider.store.folder import Places, about_run, is_run
from wolfspider.store.page_count import PageCount
from wolfspider.store.requisites import Requisites
from wolfspider.store.run_clock import SHORT, RunClock, clock_of
from wolfspider.store.view import Further, RunView, Summary
from wolfspider.terminal.first_aid import advice_for
from wolfspider.terminal.outlook_words import by_chance, chance_of, outlook_of, prospects
from wolfspider.terminal.progress import of_budget, percent
from wolfspider.terminal.spider_results import Outputs
from wolfspider.terminal.watch_standing import of_watch

DAY = 86_400.0
SLOW = 0.9  # of the pace that is wanted: a crawl below this does not keep it
OLD = 10.0  # seconds after which a gauge says how old it is
WAITS: Mapping[str, str] = {  # what visits wait for; a word that is not here is shown as it is
    Phase.TURN: "for their host",
    Phase.REST: "for hosts that rest",
    Phase.ROBOTS: "for robots.txt",
    Phase.RETRY: "to be tried again",
    Phase.SLOT: "for a free slot",
    Phase.NAME: "for the address of their host",
    Phase.LIMIT: "for a higher page limit",
    Phase.READING: "to be read",
}
HALTED: Mapping[str, str] = {CrawlState.FINISHING: "FINISHING", CrawlState.PAUSED: "PAUSED"}
SPENT: dict[str, str] = {  # the limit that ends a run so
    EndReason.BYTES: "max_mb",
    EndReason.TIME: "max_time",
    EndReason.ENOUGH: "until",
}
UNFOLLOWED = {  # what a run that has no link left did not follow, by its --nofollow
    "obey": " Links marked nofollow are not followed (--nofollow).",
    "pages": " Links of pages that say nofollow are not followed (--nofollow).",
}


_FURTHER = ("the same page again", "another try", "a search, feed or sitemap", "a page that --like names")
NOTHING_FURTHER = Further()


def counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"


def left(gauge: Gauge) -> str:
    """The time that the rest of the budget may take, as coarse as the estimate is; "" where there is none. With fewer
    links than downloads left, the crawl may be over before the budget is spent."""
    if gauge.budget >= ENDLESS:
        return ""
    known = None if gauge.frontier is None else gauge.frontier + gauge.in_flight + sum(gauge.waiting.values())
    at_most = " at most" * (known is not None and known < gauge.budget - gauge.downloads)
    return "" if gauge.left is None else _span(gauge.left) + at_most


def _span(seconds: float) -> str:
    if seconds < 10:
        return "a few seconds left"
    if seconds <= 50:
        return f"about {10 * math.ceil(seconds / 10)} s left"
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return f"about {minutes} min left"
    return f"about {seconds / 3600:.0f} h left" if seconds < 2 * DAY else f"about {seconds / DAY:,.0f} days left"


def visits(gauge: Gauge) -> str:
    """What the visits that are out are doing, and what comes after them."""
    links = [] if gauge.frontier is None else [f"{counted(gauge.frontier, 'link')} to come"]
    links = [*filter(None, (giving_way(gauge), pace(gauge))), *links]
    if rest := resting(gauge):
        return ", ".join([f"{rest}; {counted(sum(gauge.waiting.values()), 'visit')} waiting{_why(gauge)}", *links])
    waits = Counter(gauge.waiting).most_common()
    waiting = ", ".join(f"{_waiting(what, number)}{_why(gauge) * (what == Phase.REST)}" for what, number in waits)
    waiting = waiting.replace(" ", " waiting ", 1)  # said once
    return ", ".join(filter(None, [f"{gauge.in_flight:,} in flight", waiting, *links]))


def _waiting(what: str, number: int) -> str:
    words = WAITS.get(what, what)
    return f"{number:,} {words.replace('their', 'its') if number == 1 else words}"


def _why(gauge: Gauge) -> str:
    """What the trouble is of hosts that must rest; "" if none is in trouble."""
    return f" ({failures.counted(gauge.postponed)})" if gauge.postponed else ""


def resting(gauge: Gauge) -> str:
    """Nothing happens until a host has rested; "" if something does, or it is a matter of moments."""
    if gauge.state != CrawlState.WAITING or gauge.next_at is None or gauge.next_at - gauge.at <= SHORT:
        return ""
    return f"waiting for hosts to rest: next at {clock(gauge.next_at)}"


def giving_way(gauge: Gauge) -> str:
    """That slots are free because links give way to better ones, and to whose."""
    if not gauge.giving_way or gauge.better_until is None:
        return ""
    what = f"{gauge.better_host}, until {clock(gauge.better_until)} at most"
    return f"{counted(gauge.giving_way, 'slot')} waiting for a better host ({what})"


def pace(gauge: Gauge) -> str:
    """What it costs to keep the pace that is wanted, and whether it is kept; "" if nobody is in a hurry."""
    if not 0 < gauge.hurry < AT_ONCE:
        return ""
    wanted = f"{gauge.hurry:g} a minute"
    slow = 60 * gauge.rate_minute < SLOW * gauge.hurry and gauge.downloads > gauge.hurry
    kept = f"slower than the {wanted} that --hurry wants" if slow else f"{wanted} wanted"
    return f"{kept} ({counted(gauge.hasty, 'download')} for lesser links so far)"


def clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def harvest(count: PageCount, downloads: int) -> str:
    """The share of relevant pages among the downloads."""
    return percent(count.relevant / downloads) if downloads else "none"


def failed(reasons: Mapping[str, int]) -> str:
    return failures.counted(reasons) or "none"


def found(
    count: PageCount,
    hosts: int,
    downloads: int,
    reasons: Mapping[str, int],
    forgotten: int = 0,
    judged: bool = True,
    further: Further = NOTHING_FURTHER,
) -> str:
    """What there is, in the end. `judged`: does it matter which pages are relevant? A watch tells what is new."""
    more = ""
    if count.hidden:
        which = f" ({count.hidden_relevant:,} relevant)" if count.hidden_relevant else ""
        asks, them = ("asks", "it") if count.hidden == 1 else ("ask", "them")
        more = f"{counted(count.hidden, 'more page')}{which} {asks} not to be indexed, and no export has {them}; "
    if count.truncated:
        more += f"{counted(count.truncated, 'page')} {'was' if count.truncated == 1 else 'were'} cut; "
    if forgotten:
        more += f"{counted(forgotten, 'page')} {'was' if forgotten == 1 else 'were'} forgotten; "
    if judged:
        share = harvest(count, downloads)
        more = f", {count.relevant:,} of them relevant ({share} of the downloads); {more}"
    else:
        more = f"; {more}"
    rest = _further(further)
    return f"{counted(count.pages, 'page')} from {counted(hosts, 'host')}{more}failures: {failed(reasons)}{rest}."


def _further(further: Further) -> str:
    """What else makes the sum of downloads; "" if nothing does."""
    told = {phrase: number for phrase, number in zip(_FURTHER, further, strict=False) if number}
    free = f" ({further.free:,} cost no download)" if further.free else ""
    return f"{free}; further downloads: {failures.counted(told)}" if told else free


# The end of a run


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended, in the words of the crawl itself and of `wolfspider status`."""

    folder: Path
    reason: str
    downloads: int
    count: PageCount
    reasons: Mapping[str, int] = field(default_factory=dict)  # why visits failed, in words
    nofollow: str = "ignore"
    through: bool = False  # a search that has ended by itself: links may be left
    waits: Mapping[str, int] = field(default_factory=dict)  # why visits wait for a later session, in words
    paused: bool = False
    hasty: int = 0  # downloads for lesser links, to keep the pace that is wanted
    spent: float = 0.0  # the limit in megabytes, seconds or relevant pages that ended it
    resting: int = 0  # links whose patterns rest
    pattern: str = ""  # the worst of those
    troubles: Mapping[str, int] = field(default_factory=dict)  # of hosts that visits wait for, in words

    @classmethod
    def of(cls, view: RunView, reason: str, outputs: Outputs) -> RunEnd:
        summary, gauge = view.summary(), view.gauge()
        through, waits = outputs.newest is not None and outputs.newest.final, gauge.stranded if gauge else {}
        settings = Settings.from_json(view.about.get("settings", {}))
        obeyed = [data["command"] for _, _, data in view.events("Obeyed")]
        paused = [each["kind"] for each in obeyed if each["kind"] in ("Pause", "Resume")][-1:] == ["Pause"]
        about = (summary.downloads, summary.count, summary.reasons, settings.nofollow, through, waits)
        limit = SPENT.get(reason, "")
        moved = [each["value"] for each in obeyed if each["kind"] == "SetLimit" and each["name"] == limit]
        spent = [getattr(settings, limit, 0.0), *moved][-1]
        last: Mapping[str, Any] = next((data for _, _, data in reversed(list(view.events("Ended")))), {})
        rest = last.get("resting", 0), last.get("pattern", "")
        hasty, troubles = gauge.hasty if gauge and pace(gauge) else 0, gauge.postponed if gauge else {}
        return cls(view.folder, reason, *about, paused, hasty, spent, *rest, troubles)

    def why(self) -> str:
        spent = counted(self.downloads, "download")
        if not self.count.pages + self.count.hidden and self.reason in (EndReason.DONE, EndReason.BUDGET):
            troubles = failures.counted(self.reasons) or "nothing was in reach"
            return f"Nothing could be downloaded: {troubles}. Are the starting points right?"
        match self.reason:
            case EndReason.BUDGET if fleet_of(self.folder) is not None:
                return f"What its fleet let it download is spent: {spent}."
            case EndReason.BUDGET:
                return f"The budget is spent: {spent}."
            case EndReason.DONE if self.through:
                return f"The search is through, after {spent}."
            case EndReason.DONE:
                more = f"More starting points, or a wider --include, bring more.{self._resting()}"
                return f"No link is left to follow after {spent}. {more}{UNFOLLOWED.get(self.nofollow, '')}"
            case EndReason.EXCLUDED:
                include = f"{shell_command('steer', self.folder)} include RULE"
                again = f"Include some again ({include}) and resume the run, or leave it at that."
                return f"All links that are left are excluded, after {spent}. {again}"
            case EndReason.WAITING:
                waits = f": {failures.counted(self.waits)}" if self.waits else ""
                blocked = "Every host that is left is blocked or must rest for longer than --max-wait"
                return f"{blocked}, after {spent}{waits}. Try again later, or with more starting points."
            case EndReason.CIRCLING:
                return f"The strategy goes round among pages it has, after {spent}, and finds nothing new. Try another."
            case EndReason.REFUSED:
                why = failures.counted(self.reasons)
                return f"Visit after visit was turned away, and no page came, after {spent}: {why}. Exclude such links."
            case EndReason.STUCK:
                return f"The strategy waits for something that will never come, after {spent}: that is a bug in it."
            case EndReason.BYTES:
                return f"The megabytes are spent (--max-mb), after {spent}."
            case EndReason.TIME:
                return f"The time is up (--max-time), after {spent}."
            case EndReason.CAPPED:
                raised = "Raise --host-pages, --domain-pages or the like to go on."
                return f"The budgets of all hosts that are left are spent, after {spent}. {raised}"
            case EndReason.ENOUGH if self.spent == DRY:
                return f"The yield has ended (--until dry), after {spent}: the next 100 would hardly bring anything."
            case EndReason.ENOUGH:
                return f"Enough is found (--until {worded('until', self.spent)}, by estimate), after {spent}."
            case EndReason.DISK:
                return f"The disk is nearly full (--disk-floor), so the crawl stopped after {spent}. Make room first."
            case EndReason.FINISHED:
                return f"A person finished the run after {spent}: it fetches nothing more."
            case _:
                return f"Ended by you after {spent}; nothing is lost."

    def _resting(self) -> str:
        if not self.resting:
            return ""
        links = counted(self.resting, "link")
        why = f"because links like them brought nothing new, most of all at {self.pattern}"
        return f" {links} rest, {why}; a new run with --traps ignore follows them all."

    def next_steps(self) -> list[str]:
        resume, steps = resume_command(self.folder), []
        if self.troubles and self.reason in RESUMABLE and self.reason != EndReason.WAITING:
            steps.append(f"Hosts that visits wait for are in trouble: {failures.counted(self.troubles)}.")
        if self.hasty:
            steps.append(f"{counted(self.hasty, 'download')} went to lesser links, for the pace that --hurry wants.")
        if (fleet := fleet_of(self.folder)) is not None:
            steps.append(f"It is an island of a fleet, which says how to go on: {shell_command('status', fleet)}")
        elif self.reason == EndReason.BUDGET:
            steps.append(f"Resume it by: {resume_command(self.folder, pages=2 * max(1, self.downloads))}")
        elif self.reason == EndReason.ENOUGH:
            steps.append(f"Resume it by: {resume_command(self.folder, until=0)}")
        elif self.reason in SPENT and self.spent:
            steps.append(f"Resume it by: {resume_command(self.folder, **{SPENT[self.reason]: 2 * self.spent})}")
        elif self.reason in RESUMABLE:
            steps.append(f"Resume it by: {resume}")
        elif self.reason == EndReason.DONE and not self.through and not is_fleet(self.folder):
            steps.append(f"Give it starting points by: {shell_command('steer', self.folder)} seeds URL, then: {resume}")
        if self.paused and self.reason in RESUMABLE:
            steps.append(f"It is paused; end the pause by: {shell_command('steer', self.folder)} resume")
        if self.count.pages:
            steps.append(
                f"The pages: {shell_command('export', self.folder)}{' --relevant' * bool(self.count.relevant)}"
            )
        return steps


def resume_command(folder: Path, **limits: float) -> str:
    """How this run is resumed, with other limits: by a command, or from Python if it was begun there with classes. An
    island is resumed by its fleet, which has the limits."""
    if (fleet := fleet_of(folder)) is not None:
        return shell_command("resume", fleet)
    stored = about_run(folder).get("settings") if is_run(folder) else None
    stored = stored if isinstance(stored, dict) else {}
    if call := call_to_resume({part: str(stored.get(part, "")) for part in PARTS}, folder):
        return f"{call.removesuffix(')')}{''.join(f', {name}={limits[name]:.12g}' for name in limits)}) from Python"
    options = (f" --{name.replace('_', '-')} {worded(name, value)}" for name, value in limits.items())
    return shell_command("resume", folder) + "".join(options)


# wolfspider status


def status(folder: Path, summary: Summary | None = None) -> dict[str, Any]:
    """How a run stands, as plain data. `summary`: of this run, if it is known."""
    view = RunView(folder)
    summary, gauge = summary or view.summary(), view.gauge()
    with Requisites.of(folder) as kept:
        requisites = None if kept is None else kept.count()._asdict()
    return {
        "run": str(folder),
        "running": is_owned(Places.of(folder).lock),
        "ended": summary.ended,
        "started": summary.started,
        **summary.count._asdict(),
        "hosts": summary.hosts,
        "downloads": summary.downloads,
        "failures": dict(summary.failures),
        "reasons": dict(summary.reasons),
        "trouble": summary.trouble or None,
        "advice": advice_for(view, summary),
        "requisites": requisites,
        "forgotten": summary.forgotten,
        "outlook": outlook_of(gauge, summary.forgotten_at),
        "chance": chance_of(gauge),
        "gauge": None if gauge is None else told(gauge),
    }


def lines(folder: Path, now: float, summary: Summary | None = None) -> list[str]:
    """`now`: by our clock."""
    view = RunView(folder)
    summary, gauge, running = summary or view.summary(), view.gauge(), is_owned(Places.of(folder).lock)
    end = None if running or summary.ended is None else end_of(view, summary.ended)
    age = age_of(gauge, clock_of(folder), now)
    shown = [_headline(folder, summary, gauge, running, age) if end is None else end.why()]
    if running and gauge is not None and is_fresh(gauge, age):
        budget = f"{of_budget(summary.downloads, gauge.budget)}, {gauge.rate_minute:.1f} a second"
        shown.append(", ".join(filter(None, (budget, HALTED.get(gauge.state, left(gauge))))))
        shown.append(visits(gauge))
        ready = "" if gauge.hosts_ready is None else f"{counted(gauge.hosts_ready, 'host')} ready, "
        shown.append(f"{ready}{counted(gauge.hosts_resting, 'host')} resting")
    elif not running and gauge is not None:
        shown.append(of_budget(summary.downloads, gauge.budget))
    news = of_watch(folder)
    further = NOTHING_FURTHER if news or running else view.further(summary)
    brought = (summary.count, summary.hosts, summary.downloads, summary.reasons, summary.forgotten)
    shown.append(found(*brought, judged=not news, further=further))
    shown += news
    with Requisites.of(folder) as kept:
        shown += [kept.told()] if kept is not None else []
    shown += [] if news else prospects(gauge, summary.ended, summary.forgotten_at)
    shown += [*by_chance(gauge), *advice_for(view, summary)]
    if end is not None:
        shown += end.next_steps()
    return [plainly(line, 1000) for line in shown]


def steps_after_repair(folder: Path) -> list[str]:
    view = RunView(folder)
    summary = view.summary()
    if summary.ended is not None:
        return end_of(view, summary.ended).next_steps()
    return [_resume_repaired(folder, summary.downloads)]


def _resume_repaired(folder: Path, downloads: int) -> str:
    """With more pages, if the downloads before the repair have spent the budget."""
    budget = Settings.of_run(about_run(folder)).pages
    return f"Resume it by: {resume_command(folder, **({} if downloads < budget else {'pages': 2 * downloads}))}"


def end_of(view: RunView, reason: str) -> RunEnd:
    outputs = Outputs()
    outputs.recall(view)
    return RunEnd.of(view, reason, outputs)


def age_of(gauge: Gauge | None, clock: RunClock, now: float | None = None) -> float:
    """Seconds of ours since it was written, also where those of the run are others."""
    return 0.0 if gauge is None else clock.ours(clock.now(now) - gauge.at)


def is_fresh(gauge: Gauge, age: float) -> bool:
    """Does it tell of this moment, and not of an earlier session?"""
    return gauge.state != CrawlState.ENDED and age < OLD


def _headline(folder: Path, summary: Summary, gauge: Gauge | None, running: bool, age: float) -> str:
    """Of a run that goes on, or never came to an end. `age`: of the gauge."""
    resume = resume_command(folder)
    if running:
        if gauge is None or gauge.state == CrawlState.ENDED:
            return "The run is getting ready, or closing."
        if is_fresh(gauge, age):
            return "The run is going on."
        silent = f"has not reported for {age:,.0f} s"
        return f"A process has the run open and {silent}: it is resuming the run, or it hangs."
    if summary.started is None and "salvaged" in summary.counts:
        return f"The run was repaired, and has not been resumed since. {_resume_repaired(folder, summary.downloads)}"
    if summary.started is None:
        return f"The run has not begun. Begin it by: {resume}"
    if summary.trouble:
        return f"The run was ended by an error: {summary.trouble} Resume it by: {resume}"
    return f"The run was killed or interrupted before it could end. Resume it by: {resume}"
