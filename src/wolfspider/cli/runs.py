"""Commands about runs: crawl, resume, status, steer, label, explain, export, search."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from wolfspider.app.presets import PRESETS
from wolfspider.app.settings import CHANGEABLE, OF_WATCHES
from wolfspider.cli.common import (
    STDOUT,
    Out,
    Quiet,
    Run,
    app,
    at_hand,
    language_code,
    moment,
    own_output,
    print_json,
    say,
    verbatim,
)
from wolfspider.cli.dashboard import Beside, served_beside
from wolfspider.cli.options import with_settings
from wolfspider.core.errors import BadInput, Problem

FORMATS = "jsonl|csv|warc|wacz|parquet|markdown|atom|graphml|tantivy"
_PURPOSES = "; ".join(f"{name}: {preset.says}" for name, preset in PRESETS.items())
_NO_ISLANDS = "--per-machine is for a fleet of islands: begin one by --islands N, or leave it away."
PerMachine = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=1000,
        help="Islands of a fleet that are at work at the same time for each machine, in turns; 0 is all.",
        show_default=False,
    ),
]
AsEvents = Annotated[bool, typer.Option("--json", help="Every event as a line of JSON on stdout.")]


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider crawl https://example.org/ --topic "linux kernel" --pages 500 --contact me@example.org --out run
  wolfspider crawl --search https://searx.example.org --topic "wolf spiders" --contact me@example.org
  wolfspider crawl --seeds addresses.txt --like https://example.org/good --include example.org --contact me@example.org
  wolfspider crawl http://localhost:8000/ --topic "release notes" --allow-private --json | jq .url

Run the same command again, or `wolfspider resume RUN`, to resume after a stop or a crash."""
    )
)
@with_settings(without=OF_WATCHES)
def crawl(
    flags: dict[str, Any],
    out: Out = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings in a TOML file.")] = None,
    preset: Annotated[str, typer.Option(metavar="|".join(PRESETS), help=f"Settings for a purpose. {_PURPOSES}.")] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try a few pages, tell what a crawl would do, and keep nothing.")
    ] = False,
    islands: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="Several whole crawls that share the web and the budget.")
    ] = 0,
    per_machine: PerMachine = None,
    dashboard: Beside = False,
    as_json: AsEvents = False,
    quiet: Quiet = False,
) -> int:
    """Hunt on the live web: the most relevant pages for the fewest downloads."""
    from wolfspider.app.settings import choose
    from wolfspider.cli import crawling
    from wolfspider.store.fleet_folder import is_fleet, island_folder

    chosen = choose(flags, config, preset)
    if per_machine is not None and not islands and not is_fleet(out or crawling.folder_for(chosen.settings)):
        raise Problem(_NO_ISLANDS)
    if dry_run:
        return crawling.dry_run(chosen, as_json, quiet, islands, per_machine)
    folder = out or crawling.folder_for(chosen.settings)
    if islands or is_fleet(folder):
        from wolfspider.cli import fleets

        if not islands:
            raise Problem(f"{folder} is a fleet: give --islands as it was begun, or another folder by --out.")
        with served_beside(dashboard, island_folder(folder, 0), quiet):
            of_fleet = (chosen.settings, folder, islands, as_json, quiet, per_machine)
            return fleets.crawl(*of_fleet, given=tuple(flags), again=True)
    with served_beside(dashboard, folder, quiet):
        return crawling.crawl(chosen.settings, folder, as_json, quiet, given=tuple(flags), again=True)


@app.command(epilog=verbatim("Examples:\n\n  wolfspider resume run\n  wolfspider resume run --pages 2000"))
@with_settings(only=CHANGEABLE)
def resume(
    flags: dict[str, Any], run: Run, per_machine: PerMachine = None, as_json: AsEvents = False, quiet: Quiet = False
) -> int:
    """Resume a run after a stop or a crash, as if nothing had happened."""
    from wolfspider.app.run_folder import settings_of
    from wolfspider.app.settings import choose
    from wolfspider.app.strange_runs import resumed_with
    from wolfspider.cli import crawling
    from wolfspider.store.fleet_folder import is_fleet

    if is_fleet(run):
        from wolfspider.cli import fleets

        return fleets.resume(run, flags, as_json, quiet, per_machine)
    if per_machine is not None:
        raise Problem(_NO_ISLANDS)
    settings = choose(resumed_with(settings_of(run), flags), environment=False).settings
    if settings.watch:
        from wolfspider.cli import watches

        return watches.watched(settings, run, watches.hook_of(), as_json, quiet, tuple(flags))
    return crawling.crawl(settings, run, as_json, quiet, given=tuple(flags))


@app.command()
def status(
    run: Run,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """How a run stands: how far it is, what its visits do, what it has found."""
    import time

    from wolfspider.store.fleet_folder import is_fleet
    from wolfspider.terminal import fleet_standing, standing
    from wolfspider.terminal import progress as screen

    told = fleet_standing if is_fleet(run) else standing
    if as_json:
        print_json(told.status(run))
    else:
        for line in told.lines(run, time.time()):
            say(screen.console_for(), line)


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider steer run pause
  wolfspider steer run set spread=0.8
  wolfspider steer run limit pages=2000
  wolfspider steer run seeds https://example.org/more
  wolfspider steer run label https://example.org/good up
  wolfspider steer run exclude example.org/archive"""
    )
)
def steer(
    run: Run,
    verb: Annotated[
        str,
        typer.Argument(
            metavar="VERB", help="set, limit, topic, pause, resume, finish, stop, seeds, label, exclude or include."
        ),
    ],
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORD]...", help="What the verb needs.")] = None,
    wait: Annotated[float, typer.Option(metavar="S", help="Seconds to wait for the answer of the crawl.")] = 10.0,
    yes: Annotated[bool, typer.Option("--yes", help="Exclude or finish without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
) -> int:
    """Change a crawl while it runs, from another terminal."""
    from wolfspider.cli import steering

    return steering.steer(run, verb, words or [], wait=wait, yes=yes, as_json=as_json)


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider label run
  wolfspider label run --count 20
  wolfspider label run --json > questions.jsonl
  wolfspider label run --answers answers.txt

  wolfspider label run --teacher http://localhost:11434/v1 --teacher-model llama3.1

An answer in a file is a line: up URL, down URL or skip URL."""
    )
)
@with_settings(only=[name for name in CHANGEABLE if name.startswith("teacher")])
def label(
    flags: dict[str, Any],
    run: Run,
    count: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many pages to ask about.")] = 10,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers from a file instead of keys; - is the standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Ask nothing: each page as a line of JSON.")] = False,
    quiet: Quiet = False,
) -> int:
    """Say of a few pages whether they are on topic: those from which the judge learns most. Also while it runs."""
    from wolfspider.cli import labelling

    if flags.get("teacher"):
        return labelling.ask_teacher(run, count, flags, quiet)
    if flags:
        raise Problem(f"--{next(iter(flags)).replace('_', '-')} is for --teacher URL.")
    return labelling.label(run, count, answers, as_json, quiet)


@app.command()
def explain(
    run: Run,
    url: Annotated[str, typer.Argument(metavar="URL", help="An address the run may have met.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Why an address was visited, or was not: where it was found, its score, rules, attempts, and what came of it."""
    from wolfspider.terminal import explanation

    with own_output():
        found = explanation.explain(run, url)
    if as_json:
        print_json(found)
    else:
        print(*explanation.lines(found), sep="\n")
    return 0


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider export run --format jsonl --relevant > pages.jsonl
  wolfspider export run --out pages.csv
  wolfspider export run --relevant --out relevant.warc.gz
  wolfspider export run --lang en --dedup --best 1000 > best.jsonl"""
    )
)
def export(
    run: Run,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar=FORMATS,
            help="As what; or FILE.py[:CLASS], a sink of your own. [default: by the ending of --out, or jsonl]",
        ),
    ] = None,
    relevant: Annotated[bool, typer.Option("--relevant", help="Only pages that are relevant.")] = False,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only pages downloaded since: ISO 8601 or seconds since 1970.")
    ] = None,
    lang: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only pages in this language, such as en; repeatable.")
    ] = None,
    best: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the N pages with the highest scores, best first.")
    ] = None,
    dedup: Annotated[bool, typer.Option("--dedup", help="Of nearly equal pages only the first.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to. [default: stdout]")] = None,
    main_text: Annotated[
        bool, typer.Option("--main-text", help="The text of pages without menus and the like; needs the extra `text`.")
    ] = False,
    rejudge: Annotated[
        bool, typer.Option("--rejudge", help="Verdicts as the judge would give them now; your labels stay.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="CSV without the mark that keeps spreadsheets from calculating.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """Pages of a run for other tools, also while it runs."""
    from wolfspider.export.exporting import export as write
    from wolfspider.export.selection import Filters
    from wolfspider.export.sinks import usual_format
    from wolfspider.terminal import progress as screen

    filters = Filters(relevant, moment(since, "--since"), tuple(map(language_code, lang or ())), best, dedup)
    exported = write(
        run,
        usual_format(out) if form is None else form,
        out,
        filters,
        stdout=sys.stdout.buffer,
        raw=raw,
        main_text=main_text,
        rejudge=rejudge,
        on_screen=sys.stdout.isatty(),
    )
    say(screen.console_for(stderr=True, quiet=quiet and not exported.code), exported.told())
    return exported.code


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider search run burrow "wolf spiders" --relevant
  wolfspider search run -- burrow -pets
  wolfspider export run --format tantivy --relevant --out index
  wolfspider search index '+"wolf spiders" -pets'"""
    )
)
def search(
    where: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A run, or a folder that `export --format tantivy` made.", callback=at_hand),
    ],
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD...", help='Words; "several words" are a phrase; after --, -word is one that no page may have.'
        ),
    ],
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="At most so many pages.")] = 10,
    relevant: Annotated[bool, typer.Option("--relevant", help="Only pages judged relevant; of a run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each page.")] = False,
    quiet: Quiet = False,
) -> None:
    """Search the pages of a run, also while it runs, or of an export; the best first."""
    from wolfspider.core.plain_text import plainly
    from wolfspider.store.fleet_folder import is_fleet
    from wolfspider.store.folder import is_run
    from wolfspider.terminal import progress as screen

    console = screen.console_for(stderr=True, quiet=quiet)
    if is_run(where) or is_fleet(where):
        from wolfspider.export.run_search import search_run

        with screen.busy(console, "Taking in the pages that came since the last search"):
            found = search_run(where, words, limit, relevant)
    elif relevant:
        raise Problem(f"{where} is no run: --relevant is for runs. Search there for relevant:true.")
    else:
        from wolfspider.export.search_sink import search as search_index

        found = search_index(where, " ".join(words), limit)
    if not found:
        say(console, "No page has this.")
    best = max((hit.rank for hit in found), default=0.0) or 1.0
    for hit in found:
        if as_json:
            print_json(hit._asdict())
        else:
            judged = f"score {hit.score:.2f}, {'relevant' if hit.relevant else 'not relevant'}"
            print(f"{plainly(hit.title, 100) or '(no title)'}  (fits {hit.rank / best:.2f}; {judged})")
            print(f"    {plainly(hit.final_url, 2000)}")
            print(f"    {plainly(hit.snippet, 300)}")


@app.command(epilog=verbatim("Examples:\n\n  wolfspider report run\n  wolfspider report run --out crawl.html"))
def report(
    run: Run,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to. [default: RUN/report.html]")] = None,
    quiet: Quiet = False,
) -> None:
    """A run as one page for a browser: what was found, where, and what to do. Also while it runs."""
    from wolfspider.files.disk import whole_file
    from wolfspider.report.run_page import report as written
    from wolfspider.store.folder import REPORT, refuse_inside
    from wolfspider.terminal import progress as screen

    path = run / REPORT if out is None else out
    if path != STDOUT:
        refuse_inside(run, path)
    page = written(run, time.time()).encode("utf-8", "replace")
    if path == STDOUT:
        sys.stdout.buffer.write(page)
        return
    try:
        with whole_file(path) as file:
            file.write(page)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}. Choose another place by --out FILE.") from error
    say(screen.console_for(stderr=True, quiet=quiet), f"written: {path}")
