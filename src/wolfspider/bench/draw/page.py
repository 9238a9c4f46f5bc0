"""A reproduction as one HTML file that needs no other: styles and figures are inside it, and nothing runs in it.

Every text is escaped, and the page forbids itself to load or run anything, so that a topic named by a stranger stays
text. It follows the reader's choice of light or dark, and prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wolfspider import __version__
from wolfspider.bench.draw.strip import strip
from wolfspider.bench.experiment import Both, Claim, Reproduction, RuledClaim, Ruling, Table
from wolfspider.core.plain_text import in_markup

LOOK = {  # of each answer: its class, its sign, and what several claims do
    "holds": ("holds", "✓", "hold"),
    "does not hold": ("fails", "✗", "do not hold"),
    "undecided": ("undecided", "≈", "undecided"),
    "not testable": ("open", "?", "not testable"),
}

STYLE = """
:root { color-scheme: light dark; --ground: #fbfbfa; --card: #fff; --ink: #1f2933; --soft: #5a6673; --line: #e2e6ea;
  --good: #0b6b50; --good-ground: #e3f4ee; --bad: #9c3d00; --bad-ground: #fdeee4; --open: #55606c;
  --open-ground: #eceff2; --maybe: #6b5200; --maybe-ground: #fbf3d8; --link: #005a8d }
@media (prefers-color-scheme: dark) { :root { --ground: #14181c; --card: #1c2227; --ink: #e6eaee; --soft: #a3aeb9;
  --line: #323b44; --good: #6fd3b2; --good-ground: #12342b; --bad: #ffb185; --bad-ground: #40210f; --open: #b6c0ca;
  --open-ground: #2a323a; --maybe: #ecd27a; --maybe-ground: #3a3113; --link: #7cc0ee } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
main { max-width: min(110rem, 96vw); margin: 0 auto; padding: 3rem 1.25rem 4rem }
.side { display: grid; gap: 1rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(38rem, 100%), 1fr)) }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.015em; margin: 0 0 .4rem; text-wrap: balance }
h2 { font-size: 1.25rem; margin: 3rem 0 1rem; letter-spacing: -0.01em }
h3 { font-size: 1rem; margin: 0 0 .5rem }
p { margin: 0 0 .75rem; max-width: 44rem }
a { color: var(--link) }
.paper, .soft, caption, figcaption { color: var(--soft) }
.paper { font-size: 1.05rem; margin-bottom: 1.4rem }
.tally { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.6rem 0 0; padding: 0; list-style: none }
.tally li, .badge { border-radius: 99px; font-weight: 600; white-space: nowrap }
.tally li { padding: .3rem .9rem }
.badge { padding: .1rem .7rem; font-size: .85rem }
.holds { color: var(--good); background: var(--good-ground) }
.fails { color: var(--bad); background: var(--bad-ground) }
.undecided { color: var(--maybe); background: var(--maybe-ground) }
.open { color: var(--open); background: var(--open-ground) }
.claim { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem;
  display: grid; grid-template-columns: 2.2rem 1fr; break-inside: avoid }
.claim > .number { font-size: 1.3rem; font-weight: 600; color: var(--soft); line-height: 1.3 }
.claim .head { display: flex; flex-wrap: wrap; gap: .3rem 1rem; justify-content: space-between; align-items: start }
.claim .says { font-weight: 600; flex: 1 1 20rem; margin: 0 }
.claim dl { margin: .7rem 0 0; display: grid; grid-template-columns: max-content 1fr; gap: .25rem .9rem;
  font-size: .92rem }
.claim dt { color: var(--soft) }
.claim dd { margin: 0; min-width: 0 }
.parts { margin: 0; padding: 0; list-style: none }
.parts li { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; justify-content: space-between;
  margin: 0 0 .25rem }
.parts li > span { flex: 1 1 22rem }
.parts b { font-weight: 600 }
details > div { margin: .2rem 0 .5rem 1rem }
summary { cursor: pointer }
.strip { flex: none; color: var(--soft); align-self: center }
.wide { overflow-x: auto; margin: 0 0 2rem }
table { border-collapse: collapse; width: 100%; font-size: .93rem; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--ink); font-weight: 600; padding: 0 0 .5rem }
th, td { padding: .4rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: bottom }
th { font-weight: 600; font-size: .85rem; color: var(--soft); border-bottom-color: var(--soft) }
th:first-child, td:first-child { padding-left: 0 }
td.n, th.n { text-align: right }
th.both { text-align: center; border-bottom-color: var(--line) }
td.printed, th.printed { color: var(--soft); font-style: italic }
.note { font-size: .88rem; color: var(--soft); margin: -1.4rem 0 2rem }
figure { margin: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: #fff;
  break-inside: avoid }
figure svg { display: block; width: 100%; height: auto }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
pre { background: var(--open-ground); border-radius: 8px; padding: .7rem 1rem; overflow-x: auto; margin: 0 0 1rem }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .88rem; color: var(--soft) }
@media (max-width: 34rem) { .claim dl { grid-template-columns: 1fr; gap: 0 } .claim dd { margin-bottom: .4rem } }
@media print { body { background: #fff } main { padding: 0; max-width: none } }
"""


def html(reproduction: Reproduction, files: Sequence[str] = ()) -> str:
    """The whole page; `files` are what stands beside it, to be linked."""
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{in_markup(reproduction.experiment.title)}</title>",
        f"<style>{STYLE}</style></head><body><main>",
        *_body(reproduction, files),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def number(value: float | str | None) -> str:
    """A number as a table shows it: three decimals where they say something, a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    return f"{value:,.3f}" if size < 10 else f"{value:,.1f}" if size < 1000 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _body(reproduction: Reproduction, files: Sequence[str]) -> list[str]:
    experiment = reproduction.experiment
    return [
        f'<header><h1>{in_markup(experiment.title)}</h1><p class="paper">{in_markup(experiment.paper)}</p>',
        f'<p><span class="badge open">{_form(reproduction)}</span></p>',
        f"<p>{in_markup(experiment.about)}</p>{_tally(reproduction.findings)}</header>",
        "<h2>What is claimed, and what was found</h2>",
        '<div class="side">',
        *map(_claim, reproduction.findings),
        "</div>",
        *(["<h2>Tables</h2>"] if reproduction.tables else []),
        *map(_table, reproduction.tables),
        *(["<h2>Figures</h2>"] if reproduction.figures else []),
        '<div class="side">',
        *(f"<figure>{figure.svg()}</figure>" for figure in reproduction.figures),
        "</div>",
        *_how(reproduction),
        *_list("The same for other programs", (f'<a href="{in_markup(name)}">{in_markup(name)}</a>' for name in files)),
        f"<footer>wolfspider {in_markup(__version__)}</footer>",
    ]


def _form(reproduction: Reproduction) -> str:
    return f"{'Quick' if reproduction.form.quick else 'Full'} form, {len(reproduction.rows):,} cells"


def _tally(findings: Sequence[RuledClaim]) -> str:
    lines = [
        f'<li class="{kind}">{sign} {count} {several if count > 1 else word}</li>'
        for word, (kind, sign, several) in LOOK.items()
        if (count := sum(each.ruling.word == word for each in findings))
    ]
    return f'<ul class="tally">{"".join(lines)}</ul>'


def _claim(found: RuledClaim) -> str:
    claim, ruling = found.claim, found.ruling
    facts = [
        ("Claimed in", in_markup(claim.source)),
        ("Test", _parts(ruling)),
        ("Why", in_markup(ruling.sentence)),
        ("Beside it", _beside(ruling)),
        ("Known before", in_markup(claim.known)),
        ("Can it fail?", _able_to_fail(claim, found.broken)),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{fact}</dd>" for name, fact in facts if fact)
    look, sign, _ = LOOK[ruling.word]
    badge = f'<span class="badge {look}">{sign} {ruling.word}</span>'
    return (
        f'<section class="claim"><div class="number">{claim.number}</div><div><div class="head">'
        f'<p class="says">{in_markup(claim.says)}</p>{badge}</div><dl>{listed}</dl></div></section>'
    )


def _parts(ruling: Ruling) -> str:
    """A line for each part, with its answer where there are several, and a drawing of its interval."""
    several = bool(ruling.parts)
    lines = [_part(name, part, several) for name, part in ruling.lines() if part.statistic]
    return f'<ul class="parts">{"".join(lines)}</ul>' if lines else ""


def _part(name: str, part: Ruling, several: bool) -> str:
    head = f"{LOOK[part.word][1]} <b>{in_markup(name)}</b>: " if several else ""
    drawing = strip(part.measured) if part.measured else ""
    return f"<li><span>{head}{in_markup(part.statistic)}</span>{drawing}</li>"


def _beside(ruling: Ruling) -> str:
    return "".join(_folded(f"{in_markup(name)}: <strong>{other.word}</strong>", other) for name, other in ruling.others)


def _folded(says: str, ruling: Ruling) -> str:
    """What was found in a line, which unfolds to its parts."""
    lines = _parts(ruling) or in_markup(ruling.sentence)
    return f'<details><summary>{says}</summary><div class="soft">{lines}</div></details>'


def _able_to_fail(claim: Claim, broken: Ruling | None) -> str:
    if claim.broken is None or broken is None:
        return ""
    return _folded(f"{in_markup(claim.broken.says)} Then it <strong>{broken.word}</strong>.", broken)


def _table(table: Table) -> str:
    doubled = table.doubled
    texts = [any(isinstance(line[column], str) for line in table.lines) for column in range(len(table.columns))]
    kinds = ["" if text else "n" for text in texts]
    body = "".join("<tr>" + "".join(map(_cells, line, doubled, kinds)) + "</tr>" for line in table.lines)
    note = f'<p class="note">{in_markup(table.note)}</p>' if table.note else ""
    head = _table_head(table.columns, doubled, kinds)
    return (
        f'<div class="wide"><table><caption>{in_markup(table.title)}</caption><thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>{note}"
    )


def _table_head(columns: Sequence[str], doubled: Sequence[bool], kinds: Sequence[str]) -> str:
    if not any(doubled):
        return "<tr>" + "".join(_th(name, kind) for name, kind in zip(columns, kinds, strict=True)) + "</tr>"
    upper = [
        _th(name, "both", 'colspan="2"') if double else _th(name, kind, 'rowspan="2"')
        for name, double, kind in zip(columns, doubled, kinds, strict=True)
    ]
    pair = _th("ours", "n") + _th("paper", "n printed")
    return f"<tr>{''.join(upper)}</tr><tr>{pair * sum(doubled)}</tr>"


def _th(name: str, kind: str, span: str = "") -> str:
    return f'<th class="{kind}" {span}>{in_markup(name)}</th>'


def _cells(value: Any, double: bool, kind: str) -> str:
    if not double:
        return f'<td class="{kind}">{in_markup(number(value))}</td>'
    both = value if isinstance(value, Both) else Both(value, None)
    return (
        f'<td class="n">{in_markup(number(both.ours))}</td><td class="n printed">{in_markup(number(both.paper))}</td>'
    )


def _how(reproduction: Reproduction) -> list[str]:
    experiment, form = reproduction.experiment, reproduction.form
    recorded = any(not str(row.get("web", "synthetic")).startswith("synthetic") for row in reproduction.rows)
    options = " --quick" * form.quick + " --corpora DIR" * recorded
    cells = f"{len(reproduction.rows):,} cells, {duration(reproduction.seconds)} of computing on one core"
    return [
        "<h2>How it was run</h2>",
        f"<pre><code>wolfspider reproduce {in_markup(experiment.name)}{options} --out DIR</code></pre>",
        f"<p>{'The quick form' if form.quick else 'The full form'}: {cells}.</p>",
        *_list("What was scaled down", map(in_markup, experiment.scaled(form))),
    ]


def _list(title: str, lines: Iterable[str]) -> list[str]:
    listed = "".join(f"<li>{line}</li>" for line in lines)
    return [f"<h3>{title}</h3><ul>{listed}</ul>"] if listed else []
