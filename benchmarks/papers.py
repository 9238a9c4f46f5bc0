"""All claims of all papers in one table, docs/papers.md, from the results that are kept in benchmarks/papers.jsonl.

    python benchmarks/papers.py --keep DIR...   keep what `wolfspider reproduce NAME --out DIR` found; write the page
    python benchmarks/papers.py                 write the page from what is kept
    python benchmarks/papers.py --check         is the page that of the kept results? 1 if not

Each paper has a line there: claims.json of its quick and of its full form, whichever are kept, and in its field
"before" what the last full form found before claims were tested as they are now. The full form is shown where both are
kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from wolfspider.bench.papers import experiment_named, experiments

KEPT = Path(__file__).with_suffix(".jsonl")
PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
LONGEST = 230  # letters of a reason
Result = dict[str, Any]

HEAD = """\
# The papers

All claims of all papers that `wolfspider reproduce` tests, each with the newest answer that is kept.
[Reproducing a paper](reproduce.md) says what the answers mean; [reproductions](reproductions.md) says what is run, how
each claim is tested, and what was changed after results had been seen. `python benchmarks/papers.py` writes this page
from `benchmarks/papers.jsonl`; with `--keep DIR` it puts the result of a reproduction there first.

A **quick** form has small webs and few repeats. It may leave undecided what a full form decides, and says nothing about
the sizes that a paper speaks of. *Before* is the answer of the full form before claims were tested as they are now. It
is older than the changes that [reproductions](reproductions.md) names, and older than the answer *undecided*: what
could not be shown then counted as *does not hold*. **Not run again** means that no result of the claim as it is tested
now is kept.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", nargs="+", default=[], metavar="DIR")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    results = kept()
    if given.keep:
        results = merged(results, [json.loads((Path(folder) / "claims.json").read_text()) for folder in given.keep])
        KEPT.write_text("".join(json.dumps(result, ensure_ascii=False) + "\n" for result in results), encoding="utf-8")
    text = page(results)
    if given.check:
        return int(PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


def kept() -> list[Result]:
    return [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]


def merged(old: Sequence[Result], new: Iterable[Result]) -> list[Result]:
    """A line for each paper, the new results in the place of old ones; what was found before stays."""
    lines = {result["paper"]: dict(result) for result in old}
    for result in new:
        lines.setdefault(result["paper"], {"paper": result["paper"], "before": {}})[result["form"]] = result
    return [lines[name] for name in sorted(lines)]


def page(lines: Sequence[Result]) -> str:
    by_name = {line["paper"]: line for line in lines}
    shown = {name: newest(by_name.get(name, {})) for name in experiments()}
    text = [HEAD, "| paper | form | cells | seconds of one core |", "|---|---|---|---|"]
    for name, result in shown.items():
        ran = (
            (result["form"], f"{result['cells']:,}", f"{result['seconds']:,}") if result else ("not run again", "", "")
        )
        text.append(f"| [{name}](reproductions.md#{name}) | {' | '.join(ran)} |")
    text += ["", "| paper | claim | answer | why | before |", "|---|---|---|---|---|"]
    for name, result in shown.items():
        text += table(name, result, by_name.get(name, {}).get("before", {}))
    return "\n".join(text) + "\n"


def newest(line: Result) -> Result:
    """The full form, if it is kept, else the quick one, else nothing."""
    result: Result = line.get("full") or line.get("quick") or {}
    return result


def table(name: str, result: Result, before: Result) -> Iterable[str]:
    """A claim that says something else than the kept one has not been run again."""
    found = {(claim["claim"], claim["says"]): claim for claim in result.get("claims", [])}
    for claim in experiment_named(name).claims:
        kept = found.get((claim.number, claim.says))
        quick = " (quick)" if result.get("form") == "quick" else ""
        answer = f"**{kept['ruling']}**{quick}" if kept else "not run again"
        why = short(kept["deciding"] or kept["sentence"]) if kept else ""
        cells = (name, f"{claim.number}. {claim.says}", answer, why, before.get(str(claim.number), "new"))
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


if __name__ == "__main__":
    sys.exit(main())
