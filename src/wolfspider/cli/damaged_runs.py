"""Commands about damaged runs: check and repair."""

from __future__ import annotations

from typing import Annotated

import typer

from wolfspider.cli.common import Run, app, print_json, say, verbatim


@app.command(epilog=verbatim("Examples:\n\n  wolfspider check run\n  wolfspider check run --json"))
def check(
    run: Run,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> int:
    """Is a run whole? Reads its database, archive, index, snapshots and shelf, and changes nothing."""
    from wolfspider.store.damage import repair_command
    from wolfspider.store.repair.examination import examine, exit_code, report
    from wolfspider.terminal import progress as screen

    found = examine(run)
    if as_json:
        print_json({"run": str(run), "whole": not found, "findings": report(found)})
        return exit_code(found)
    console = screen.console_for()
    for finding in found:
        say(console, finding.sentence)
    say(console, f"Repair it by: {repair_command(run)}" if found else f"{run} is whole.")
    return exit_code(found)


@app.command(epilog=verbatim("Examples:\n\n  wolfspider repair run\n  wolfspider resume run"))
def repair(
    run: Run,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Let the journal begin anew in any case, with all pages read from the archive."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was done, as JSON.")] = False,
) -> int:
    """Mend a damaged run: everything that can be had from it becomes a run that opens and can be resumed."""
    from wolfspider.app.repairing import mend, report
    from wolfspider.terminal import progress as screen
    from wolfspider.terminal.standing import steps_after_repair

    repaired = mend(run, anew=anew)
    if as_json:
        print_json(report(repaired))
        return repaired.code
    for sentence in (*repaired.told(), *(steps_after_repair(run) if repaired.findings else ())):
        say(screen.console_for(), sentence)
    return repaired.code
