"""Commands about what a run holds: check and repair it, and forget pages of it."""

from __future__ import annotations

from typing import Annotated

import typer

from wolfspider.cli.common import Quiet, Run, app, print_json, say, verbatim


@app.command(epilog=verbatim("Examples:\n\n  wolfspider check run\n  wolfspider check run --json"))
def check(
    run: Run,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> int:
    """Is a run whole? Reads its database, archive, index, snapshots and shelf, and changes nothing."""
    from wolfspider.islands.fleet_check import examine_fleet
    from wolfspider.store.damage import repair_command
    from wolfspider.store.fleet_folder import is_fleet, island_folders
    from wolfspider.store.repair.examination import examine, exit_code, report
    from wolfspider.terminal import progress as screen

    fleet = examine_fleet(run) if is_fleet(run) else []
    found = {part: examine(part) for part in (island_folders(run) if is_fleet(run) else [run])}
    if as_json:
        told = [{"run": str(part), "whole": not here, "findings": report(here)} for part, here in found.items()]
        whole = not fleet and not any(found.values())
        of_fleet = {"run": str(run), "whole": whole, "findings": report(fleet), "islands": told}
        print_json(of_fleet if is_fleet(run) else told[0])
    else:
        console = screen.console_for()
        for finding in fleet:
            say(console, finding.sentence)
        for part, here in found.items():
            for finding in here:
                say(console, finding.sentence)
            say(console, f"Repair it by: {repair_command(part)}" if here else f"{part} is whole.")
    return max(map(exit_code, (fleet, *found.values())))


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


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider forget run https://example.org/private
  wolfspider forget run example.org
  wolfspider forget run --older-than 90
  wolfspider forget run"""
    )
)
def forget(
    run: Run,
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[URL|HOST]...", help="Addresses, or hosts with all their pages.")
    ] = None,
    older: Annotated[
        float | None, typer.Option("--older-than", metavar="DAYS", min=0, help="What was downloaded longer ago.")
    ] = None,
    down_to: Annotated[
        float | None, typer.Option("--down-to", metavar="MB", min=0, help="The oldest pages, until so much is left.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Take pages out of a run for good: out of its database, its archive and later exports. Alone: what it forgot."""
    from dataclasses import asdict
    from functools import partial

    from wolfspider.app import forgetting
    from wolfspider.islands.forgetting import noted_in, on_all_islands
    from wolfspider.store.folder import refuse_fleet
    from wolfspider.store.view import utc
    from wolfspider.terminal import progress as screen
    from wolfspider.terminal.standing import counted
    from wolfspider.watch import forgetting as watched

    tell = partial(say, screen.console_for(stderr=True, quiet=quiet))
    if down_to is not None:
        refuse_fleet(run)
    done = [on_all_islands(run, partial(watched.forget, what=one, remark=tell)) for one in what or ()]
    if older is not None:
        done.append(on_all_islands(run, partial(forgetting.forget_older, days=older, remark=tell)))
    if down_to is not None:
        done.append(forgetting.forget_beyond(run, down_to, tell))
    if as_json:
        print_json([asdict(one) for one in done] if done else noted_in(run))
        return
    for one in done:
        say(screen.console_for(), one.told())
    if not (what or done):
        entries = noted_in(run)
        if not entries:
            say(screen.console_for(), f"{run} has forgotten nothing so far.")
        for entry in entries:
            say(screen.console_for(), f"{utc(entry['at'])}  {entry['what']}: {counted(entry['pages'], 'page')}")
