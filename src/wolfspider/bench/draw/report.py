"""A bench for people: report.md with tables and figures, from nothing but its rows (and the curves of the bounds)."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wolfspider.bench import Row
from wolfspider.bench.draw.dots import dot_plot
from wolfspider.bench.draw.svg import INK, PALETTE, SOFT, Figure
from wolfspider.bench.groups import grouped
from wolfspider.bench.measure.bounds import curve
from wolfspider.bench.run.result_cache import write_whole
from wolfspider.bench.stats import WORK, Comparison, by_work, compare, recall_at, spread, summaries
from wolfspider.core.errors import BadInput
from wolfspider.files.program_name import shell_command

DRAWN = len(PALETTE)  # curves in one figure; more would share colours
FIGURES = (
    ("harvest_rate", "harvest", 3),
    ("recall", "recall", 3),
    ("downloads", "downloads", 0),
    ("hosts", "hosts", 1),
    ("virtual_seconds", "virtual s", 0),
    ("pages_per_second", "pages/s", 0),
    ("peak_rss_mb", "MB", 0),
)
SHARES = (0.1, 0.25, 0.5, 1.0)  # of the budget
SURE = 0.05


def load(path: Path) -> dict[str, Any]:
    """What a bench wrote: rows, about, bounds."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as the results of a bench: {error}.") from error
    if not isinstance(data, dict) or not isinstance(data.get("rows"), list):
        raise BadInput(f"{path} holds no rows of a bench; `{shell_command('bench', '--json', 'FILE')}` writes them.")
    return data


def write_report(
    rows: Sequence[Row], folder: Path, bounds: Sequence[Row] = (), about: Mapping[str, Any] | None = None
) -> Path:
    """Write report.md and its figures into the folder; returns the path of report.md."""
    if not rows:
        raise BadInput("There are no rows to report on.")
    figures = dict(_figures(rows, bounds))
    for name, svg in figures.items():
        write_whole(folder / name, svg)
    path = folder / "report.md"
    write_whole(path, "\n".join(_report(rows, list(figures), about or {})) + "\n")
    return path


def _report(rows: Sequence[Row], figures: Sequence[str], about: Mapping[str, Any]) -> list[str]:
    return [
        "# Bench\n",
        *_what_was_run(rows, about),
        "\n## Overview\n",
        "`auc_ratio` is the area under the curve of relevant pages against downloads, divided by that of the upper",
        "bound, which no crawler can pass: mean ± standard deviation between topics. The other figures are means.\n",
        markdown_table(rows),
        f"\n![Mean auc_ratio of each strategy on each web]({figures[0]})",
        "\nRecall on the way, after a share of the budget:\n",
        on_the_way(rows),
        *(f"\n## {_plain(web)}\n\n{topics_table(own)}" for web, own in grouped(rows, itemgetter("web")).items()),
        *_luck(rows),
        "\n## Curves\n",
        f"Means over repeats; a band spans lowest and highest. Of more than {DRAWN} strategies the best are drawn.\n",
        *(f"![{_plain(name.removesuffix('.svg'))}]({name})\n" for name in figures[1:]),
        *_failures(rows),
    ]


def _what_was_run(rows: Sequence[Row], about: Mapping[str, Any]) -> list[str]:
    steady = [name for name, own in grouped(rows, itemgetter("strategy")).items() if _is_steady(own)]
    return [
        f"    {command(rows, about)}\n",
        *([f"- wolfspider {about['version']}."] if "version" in about else []),
        *(f"- Web {_plain(web)}: content {digest}." for web, digest in about.get("webs", {}).items()),
        *(
            f"- Leaps go into the web {_plain(web)}: content {digest}."
            for web, digest in about.get("leaps", {}).items()
        ),
        *(
            f"- {_plain(name)}, of the {role}, comes from {_plain(plugin['file'])}: content {plugin['digest']}."
            for role, files in about.get("files", {}).items()
            for name, plugin in files.items()
        ),
        *([f"- Drew no lots, every repeat the same: {', '.join(steady)}."] if steady else []),
    ]


def command(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    """The command that gives these rows again."""
    first, without = rows[0], about.get("without", "")
    left_out = f" without {without!r}"  # as such webs are named
    options = {
        "delay": "delay",
        "hurry": "hurry",
        "from": "start",
        "latency": "latency",
        "topics": "topics_file",
        "half": "half",
        "traps": "traps",
        "until": "until",
    }
    words = [
        "wolfspider bench",
        *(f"--web {web.removesuffix(left_out)}" for web in _distinct(rows, "web")),
        *(f"--strategy {_given(strategy, about)}" for strategy in _distinct(rows, "strategy")),
        f"--pages {first['pages']}",
        f"--repeats {len({row['repeat'] for row in rows})}",
        f"--judge {_given(first['judge'], about, 'judges')}",
        f"--train {first['train']}",
        f"--seed {about.get('seed', 0)}",
        *(
            f"--set {_given(strategy, about)}.{name}={value}"
            for strategy, settings in about.get("settings", {}).items()
            for name, value in settings.items()
        ),
        *(f"--condition {name}" for name in about.get("conditions", ())),
        *([f"--slots {about['slots']}"] if about.get("slots", 1) != 1 else []),
        *(f"--{option} {about[name]}" for option, name in options.items() if about.get(name) is not None),
        *(["--obey-robots"] if about.get("obey_robots") else []),
        *([f"--without {shlex.quote(without)}"] if without else []),
        *(f"--leaps {web}" for web in about.get("leaps", {})),
    ]
    return " ".join(words)


def _given(name: str, about: Mapping[str, Any], role: str = "strategies") -> str:
    """What the command line calls it: a plug-in is named by its file."""
    plugin = about.get("files", {}).get(role, {}).get(name)
    return shlex.quote(plugin["file"]) if plugin else name


def _is_steady(rows: Sequence[Row]) -> bool:
    """Were there repeats, and all alike?"""
    works = grouped((row for row in rows if row["error"] is None), WORK).values()
    return any(len(repeats) > 1 for repeats in works) and all(
        row["found"] == repeats[0]["found"] for repeats in works for row in repeats
    )


# Tables


def markdown_table(rows: Sequence[Row]) -> str:
    """Strategies from best to worst, with the mean of each figure."""
    means = {name: by_work(rows, methodcaller("get", name)) for name, _, _ in FIGURES}  # files of earlier versions
    head = ["strategy", measure_of(rows), *(label for _, label, _ in FIGURES)]
    body = [
        [rank.name, rank.text, *(_mean(means[name][rank.name].values(), digits) for name, _, digits in FIGURES)]
        for rank in ranked(rows)
    ]
    return text_table(head, body)


def on_the_way(rows: Sequence[Row]) -> str:
    """The recall of each strategy while the budget lasts: a strategy that is good early need not be good late."""
    parts = {share: by_work(rows, recall_at(share)) for share in SHARES}
    body = [[rank.name, *(_mean(parts[share][rank.name].values(), 3) for share in SHARES)] for rank in ranked(rows)]
    return text_table(["strategy", *(f"{share:.0%}" for share in SHARES)], body)


class Rank(NamedTuple):
    name: str
    text: str  # its figure, as tables show it


def ranked(rows: Sequence[Row]) -> list[Rank]:
    """Strategies from best to worst; those that failed everywhere last."""
    value = measure_of(rows)
    found = [Rank(s.strategy, f"{s.mean:.3f} ± {s.deviation:.3f}") for s in summaries(rows, value)]
    known = {rank.name for rank in found}
    return found + [Rank(name, "–") for name in _distinct(rows, "strategy") if name not in known]


def measure_of(rows: Sequence[Row]) -> str:
    """What strategies are compared by: auc_ratio, or auc where no bound is known."""
    return "auc_ratio" if any(row["auc_ratio"] is not None for row in rows) else "auc"


def topics_table(rows: Sequence[Row]) -> str:
    """The auc_ratio of each strategy on each topic of one web, mean ± standard deviation over repeats."""
    topics = _distinct(rows, "topic")
    value = measure_of(rows)
    measured = (row for row in rows if row["error"] is None and row[value] is not None)
    cells = grouped(measured, itemgetter("strategy", "topic"))
    works = by_work(rows, value)
    body = [
        [
            rank.name,
            _mean(works[rank.name].values(), 3),
            *(_spread([row[value] for row in cells.get((rank.name, topic), [])]) for topic in topics),
        ]
        for rank in ranked(rows)
    ]
    every = [(topic, figure) for done in works.values() for (_, topic), figure in done.items()]
    means = [_mean([figure for name, figure in every if name == topic], 3) for topic in topics]
    return text_table([value, "mean", *topics], [*body, ["mean", _mean([figure for _, figure in every], 3), *means]])


def _mean(values: Iterable[float], digits: int) -> str:
    found = list(values)
    return f"{np.mean(found):,.{digits}f}" if found else "–"


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "–"
    return f"{np.mean(values):.3f}" + (f" ± {spread(values):.3f}" if len(values) > 1 else "")


def text_table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table in Markdown: words in the first column, numbers in the others."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return markdown_lines(map(_plain, line) for line in lines)


def markdown_lines(lines: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _plain(text: str) -> str:
    """Names and messages come from outside: no line breaks, nothing that Markdown or HTML would act on."""
    return re.sub(r"([|<>`\[\]\\])", r"\\\1", " ".join(str(text).split()))


# Luck


def _luck(rows: Sequence[Row]) -> list[str]:
    found, title = compare(rows, measure_of(rows)), "\n## Is it luck?\n"
    if not found:
        return [title, "There is nothing to compare: one strategy, or no common topic."]
    ranks = [rank.name for rank in ranked(rows)]
    return [
        title,
        f"Pairs are the same web and topic, repeats averaged ({max(pair.pairs for pair in found)} pairs). The mean",
        "difference, row minus column, and Holm's adjusted p of Wilcoxon's signed-rank test in brackets; bold below",
        f"{SURE}.\n",
        matrix(found, ranks),
        f"\n{ranks[0]} against each of the others:\n",
        _against(found, ranks[0]),
    ]


def matrix(found: Sequence[Comparison], names: Sequence[str]) -> str:
    cells = {}
    for pair in found:
        for sides, sign in (((pair.first, pair.second), 1), ((pair.second, pair.first), -1)):
            text = f"{sign * pair.difference:+.3f} ({pair.adjusted:.3f})"
            cells[sides] = f"**{text}**" if pair.adjusted < SURE else text
    return text_table(["", *names], [[row, *(cells.get((row, column), "") for column in names)] for row in names])


def _against(found: Sequence[Comparison], best: str) -> str:
    head = ["against", "pairs", "difference", "95 % interval", "wins", "losses", "p", "Holm"]
    body = []
    for pair in found:
        if best in (pair.first, pair.second):
            sign = 1 if pair.first == best else -1
            low, high = sorted((sign * pair.low, sign * pair.high))
            wins, losses = (pair.wins, pair.losses)[::sign]
            other = pair.second if sign == 1 else pair.first
            figures = [f"{sign * pair.difference:+.3f}", f"{low:+.3f} to {high:+.3f}", str(wins), str(losses)]
            body.append([other, str(pair.pairs), *figures, f"{pair.p:.4f}", f"{pair.adjusted:.4f}"])
    return text_table(head, body)


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    names = ("web", "topic", "strategy", "repeat", "error")
    if failed := [[str(row[name]) for name in names] for row in rows if row["error"] is not None]:
        yield f"## What failed\n\n{text_table(names, failed)}"


# Figures


def _figures(rows: Sequence[Row], bounds: Sequence[Row]) -> Iterator[tuple[str, str]]:
    yield "overview.svg", overview(rows)
    limits = {(limit["web"], limit["topic"]): limit for limit in bounds}
    colours = dict(zip((rank.name for rank in ranked(rows)), PALETTE, strict=False))
    taken: set[str] = set()
    for work, own in grouped(rows, WORK).items():
        done = [row for row in own if row["error"] is None]
        yield _file_name(work, taken), curves(work, done, limits.get(work, {}), colours)


def overview(rows: Sequence[Row]) -> str:
    value = measure_of(rows)
    works = by_work(rows, value)

    def on_web(strategy: str, wanted: str) -> list[float]:
        return [figure for (web, _), figure in works[strategy].items() if web == wanted]

    lines = [
        (rank.name, {web: float(np.mean(on_web(rank.name, web))) for web, _ in works[rank.name]})
        for rank in ranked(rows)
    ]
    return dot_plot("Strategies on each web", f"mean {value}", lines)


def curves(work: tuple[str, str], rows: Sequence[Row], limit: Row, colours: Mapping[str, str]) -> str:
    """Found against downloads, for each strategy, with what any crawler could find."""
    figure = Figure(f"{work[1]} ({work[0]})", "downloads", "relevant pages")
    for name, label, colour in (("upper", "upper bound", INK), ("greedy", "greedy oracle", SOFT)):
        if limit.get(name) is not None and rows:
            held = curve(limit[name], rows[0]["pages"])
            figure.line(np.arange(1, held.size + 1), held, label, dashed=True, colour=colour)
    for strategy, colour in colours.items():
        held = np.array([curve(row["found"], row["pages"]) for row in rows if row["strategy"] == strategy])
        if held.size:
            downloads = np.arange(1, held.shape[1] + 1)
            figure.line(downloads, held.mean(axis=0), strategy, colour=colour)
            if (held != held[0]).any():
                figure.band(downloads, held.min(axis=0), held.max(axis=0), colour=colour)
    return figure.svg()


def _file_name(work: tuple[str, str], taken: set[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", "-".join(work).lower()).strip("-")[:80] or "topic"
    names = chain([f"{stem}.svg"], (f"{stem}-{number}.svg" for number in count(2)))
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name


def _distinct(rows: Iterable[Row], field: str) -> list[str]:
    return list(dict.fromkeys(row[field] for row in rows))
