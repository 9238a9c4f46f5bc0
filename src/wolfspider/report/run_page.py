"""The report of a run as one HTML file that needs no other, and in which nothing runs.

Every text of a page or a person is escaped, and the file forbids itself to load or run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app.present_settings import PresentSettings
from wolfspider.app.settings import worded
from wolfspider.bench.draw.page import STYLE
from wolfspider.bench.draw.svg import Figure
from wolfspider.core.events import EndReason
from wolfspider.core.failures import MEANINGS, counted
from wolfspider.core.params import parameters
from wolfspider.core.plain_text import in_markup, plainly
from wolfspider.report.fleet_facts import fleet_facts
from wolfspider.report.run_facts import OfHost, RunFacts, facts_of
from wolfspider.store.fleet_folder import is_fleet
from wolfspider.store.view import utc
from wolfspider.strategies import all_strategies
from wolfspider.terminal import fleet_standing, standing

_ROWS = "td { vertical-align: top }\n"
_LONGEST, _SENTENCE = 300, 1000  # characters of a title or an address, and of a line of `status`
_SHOWN = (
    *("topic", "description", "like", "urls", "seeds", "sitemap", "feed", "search", "strategy", "set", "judge"),
    *("pages", "until", "slots", "delay", "hurry", "include", "exclude", "traps", "nofollow"),
)
ADVICE: Mapping[str, str] = {  # what a person can do where visits fail
    "dns": "Look whether the starting points are spelled right, and whether this machine has a name server.",
    "connect": "The host may be down: resume the run later.",
    "tls": "The certificate is the host's affair; the page is not asked for without one.",
    "timeout": "Raise --deadline if the host is known to be slow.",
    "slow": "Raise --deadline if the host is known to be slow.",
    "status": "Many of them at one host are dead links: exclude the part of the site they lie in.",
    "size": "Raise --largest if such documents are wanted.",
    "type": "These are files of other kinds; exclude them if they cost many downloads.",
    "script": "Look for a sitemap, a feed or a print version of the site.",
    "robots": "Ask the site's owner; what robots.txt forbids is not fetched.",
    "blocked": "Name the host among the starting points with --allow-private, or open its network by --allow-network.",
    "waiting": "Resume the run later, or with a longer --max-wait.",
    "redirect": "Exclude the addresses that lead there.",
    "crowded": "Exclude the domain if its many hosts are a trap.",
    "empty": "Nothing: there is nothing to read. Exclude such addresses if they cost many downloads.",
    "encoding": "The fault is the server's; look at the page in a browser.",
    "trap": "Exclude the addresses that lead there.",
    "excluded": "If they are wanted after all, include them: wolfspider steer RUN include RULE.",
    "scheme": "Nothing: such addresses are of no web page.",
    "source": "Look whether the service of --search or --leaps answers.",
    "budget": "Raise the limit again: wolfspider steer RUN limit pages=N.",
}


def report(folder: Path, now: float) -> str:
    """The whole page."""
    if is_fleet(folder):
        facts, lines = fleet_facts(folder), fleet_standing.lines(folder, now)
    else:
        facts, lines = facts_of(folder), standing.lines(folder, now)
    title = f"{_asked(facts.settings)}: report of a crawl"
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{STYLE}{_ROWS}</style></head><body><main>",
        *_body(facts, lines, folder, now),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _body(facts: RunFacts, lines: Sequence[str], folder: Path, now: float) -> Iterator[str]:
    count, downloads = facts.summary.count, facts.summary.downloads
    yield f"<h1>{_text(_asked(facts.settings))}</h1>"
    yield f'<p class="paper">{count.relevant:,} relevant of {count.pages:,} pages, for {downloads:,} downloads.</p>'
    yield from (f"<p>{_text(line, _SENTENCE)}</p>" for line in lines if line not in facts.prospects)
    yield "<h2>What was asked</h2>"
    yield _table(("setting", "at first", "now"), _settings(facts.settings))
    yield _parameters(facts.settings)
    yield "<h2>Found against downloads</h2>"
    yield f"<figure>{_figure(facts)}</figure>"
    yield "<h2>What is left</h2>"
    yield from (f"<p>{_text(line, _SENTENCE)}</p>" for line in facts.prospects or [_nothing_known(facts)])
    yield "<h2>The best pages</h2>"
    if facts.best:
        yield _table(
            ("score", "page", "why"),
            ((f"{page.score:.2f}", _link(page.url, page.title), _text(page.why)) for page in facts.best),
            numbers=(0,),
        )
    elif facts.summary.forgotten:
        yield "<p>No relevant page is held: pages were forgotten.</p>"
    else:
        yield "<p>No page was judged relevant. Are the starting points on topic? Do pages use its words?</p>"
    yield "<h2>Hosts</h2>"
    yield _hosts(facts)
    yield "<h2>What could not be had</h2>"
    yield _reasons(facts)
    yield "<h2>What was not followed</h2>"
    yield _unfollowed(facts)
    yield "<h2>What was changed meanwhile</h2>"
    yield _commands(facts)
    yield f"<footer>{_text(str(folder))}, read {utc(now)} by wolfspider {__version__}.</footer>"


def _asked(settings: PresentSettings) -> str:
    """What is wanted by now."""
    return str(settings.now.get("topic") or settings.now.get("description") or "pages like those that were liked")


def _nothing_known(facts: RunFacts) -> str:
    if facts.summary.ended == EndReason.DONE:
        return "No link is left to follow: within reach nothing is left."
    if facts.summary.forgotten:
        return "Pages were forgotten: what is left is told again when the crawl goes on."
    return "Too little is known yet to say what further downloads would bring."


def _settings(settings: PresentSettings) -> Iterator[tuple[str, str, str]]:
    """What was moved is told with what it is now; the rest, if it says anything."""
    for name in dict.fromkeys((*_SHOWN, *settings.now)):
        first, now = settings.first.get(name), settings.now.get(name)
        if (name in _SHOWN and now not in (None, "", [], (), {})) or first != now:
            yield _text(name), _text(_value(name, first)), "" if first == now else _text(_value(name, now))


def _value(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else worded(name, value)


def _parameters(settings: PresentSettings) -> str:
    """Of the strategy, all of them, each with what it does as far as the strategy is known here."""
    name = str(settings.now.get("strategy") or "")
    if not settings.params:
        return ""
    known = parameters(kind.Params) if (kind := all_strategies().get(name)) else {}
    rows = []
    for each, now in settings.params.items():
        first, says = settings.first_params.get(each, ""), known[each].says if each in known else ""
        rows.append((_text(each), _text(str(first)), "" if str(first) == str(now) else _text(str(now)), _text(says)))
    table = _table(("parameter", "at first", "now", "what it is"), rows)
    return f"<details><summary>Parameters of the strategy {_text(name)}</summary>{table}</details>"


def _figure(facts: RunFacts) -> str:
    downloads, pages, relevant = facts.curve
    figure = Figure("Pages found against downloads", "downloads", "pages")
    figure.line(downloads, relevant, "relevant pages")
    figure.line(downloads, pages, "all pages", dashed=True)
    return figure.svg()


def _hosts(facts: RunFacts) -> str:
    hosts = [*facts.hosts, *([facts.other_hosts] if facts.other_hosts else [])]
    if not hosts:
        return "<p>No host has answered yet.</p>"
    note = (
        '<p class="note">Pages: what an export has of this host, each final address once, without pages that ask not '
        "to be indexed. Relevant: those of them that the judge, or a person, calls so. Share: relevant of all pages. "
        "MB: megabytes of these pages, unpacked. Failed: visits that brought no page; one that was tried again counts "
        "once. Why: the most frequent reasons, each with its visits. Those with most relevant pages come first.</p>"
    )
    heads = ("host", "pages", "relevant", "share", "MB", "failed", "why")
    return _table(heads, map(_host_row, hosts), numbers=(1, 2, 3, 4, 5)) + note


def _host_row(host: OfHost) -> tuple[str, ...]:
    share = f"{100 * host.relevant / host.pages:.0f} %" if host.pages else ""
    size = f"{host.bytes / 1e6:,.1f}"
    failed = host.failures.total()
    why = _text(counted(host.failures))
    return _text(host.name), f"{host.pages:,}", f"{host.relevant:,}", share, size, f"{failed:,}", why


def _reasons(facts: RunFacts) -> str:
    if not facts.reasons:
        return "<p>Every visit brought a page.</p>"
    rows = (
        (
            f"{reason.visits:,}",
            _text(reason.words),
            _text(MEANINGS.get(reason.kind, "")),
            _text(ADVICE.get(reason.kind, "")),
        )
        for reason in facts.reasons
    )
    return _table(("visits", "reason", "what it means", "what to do"), rows, numbers=(0,))


def _unfollowed(facts: RunFacts) -> str:
    """Links out of its scope are not among them: what somebody ruled out stands among what was asked."""
    if not facts.unfollowed:
        return "<p>No rest, no other spelling and no budget of a host held a link back.</p>"
    return _table(("links", "why", "what to do"), ([_text(cell) for cell in line] for line in facts.unfollowed))


def _commands(facts: RunFacts) -> str:
    if not facts.commands:
        return "<p>Nobody changed anything while it ran.</p>"
    rows = (
        (
            _text(utc(each.at) or ""),
            f"{each.downloads:,}",
            "the teacher" if each.by_teacher else "a person",
            _text(each.typed),
            _text(each.before),
            _text(each.problem or "obeyed"),
        )
        for each in facts.commands
    )
    note = (
        '<p class="note">Commands as `wolfspider steer` takes them; options of `wolfspider resume` are among them. '
        "Downloads: those spent by then.</p>"
    )
    return _table(("time", "downloads", "by", "command", "before", "answer"), rows, numbers=(1,)) + note


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Cells are markup already."""
    kinds = [' class="n"' if place in numbers else "" for place in range(len(heads))]
    head = "".join(f"<th{kind}>{name}</th>" for name, kind in zip(heads, kinds, strict=True))
    lines = ("".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _link(url: str, title: str) -> str:
    shown = _text(title) or "(no title)"
    if not url.startswith(("http://", "https://")):
        return shown
    link = f'<a href="{in_markup(url)}" rel="noreferrer noopener nofollow">{shown}</a>'
    return f'{link}<br><span class="soft">{_text(url)}</span>'


def _text(text: str, most: int = _LONGEST) -> str:
    return in_markup(plainly(text, most))
