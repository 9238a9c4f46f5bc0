"""`wolfspider conform`: does a strategy or a judge meet the demands that all of them must meet?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wolfspider.cli.common import Quiet, app, print_json, verbatim

if TYPE_CHECKING:
    from wolfspider.testing.trying import DemandResult


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider conform my_strategy.py
  wolfspider conform my_strategy.py:MyStrategy --json
  wolfspider conform shark"""
    )
)
def conform(
    name: Annotated[
        str, typer.Argument(metavar="FILE", help="FILE.py, FILE.py:CLASS, or the name of a strategy or a judge.")
    ],
    patience: Annotated[
        float, typer.Option(metavar="S", min=0.1, max=86_400, help="Seconds that one demand may take.")
    ] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Try a strategy or a judge of your own against the conformance suite; exit code 1 if it breaks a demand.

    All strategies and judges of the file are tried, each with the settings that it declares as its variants.
    """
    from wolfspider.terminal import progress
    from wolfspider.testing import trying

    console = progress.console_for(stderr=True, quiet=quiet)
    results: list[DemandResult] = []
    with progress.Bar(console, "trying") as bar:
        for result in trying.results(name, patience):
            results.append(result)
            bar(len(results), result.total)
    conforms = not any(result.checked.seen for result in results)
    if as_json:
        print_json({"conforms": conforms, "demands": [_to_json(result) for result in results]})
    else:
        print(*_lines(results), sep="\n")
    if not conforms:
        raise typer.Exit(1)


def _to_json(result: DemandResult) -> dict[str, Any]:
    checked = result.checked
    told = {"subject": result.subject, "demand": checked.name, "sentence": checked.demand, "holds": not checked.seen}
    return told | ({"tried": result.tried, "seen": checked.seen, "remedy": checked.remedy} if checked.seen else {})


def _lines(results: list[DemandResult]) -> Iterator[str]:
    """A line for each demand, and the first that is broken explained."""
    from wolfspider.core.plain_text import plainly

    last = seen = ""
    for subject, checked, _, tried in results:
        if subject != last:
            yield f"{plainly(subject, 1000)}:"
            last = subject
        if not checked.seen:
            yield f"  holds   {checked.name}"
        elif not tried:
            yield f"  not tried  {checked.name}"
        else:
            yield f"  broken  {checked.name}: {'the same' if checked.seen == seen else plainly(checked.seen, 1000)}"
            seen = checked.seen
    broken = [checked for _, checked, _, tried in results if checked.seen and tried]
    if not broken:
        yield "All demands hold."
        return
    left = sum(not result.tried for result in results)
    untried = f" {left} {'was' if left == 1 else 'were'} not tried." if left else ""
    yield f"Broken: {len(broken)} of {len(results)} demands.{untried} The first is {broken[0].name}:"
    yield f"  Demand:      {broken[0].demand}"
    yield f"  Seen:        {plainly(broken[0].seen, 1000)}"
    yield f"  What to do:  {broken[0].remedy}"
