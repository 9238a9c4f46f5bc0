"""The command line: it parses, calls and prints. Everything a command does is somewhere below.

Data goes to stdout, progress and errors to stderr. What a command needs is imported when it runs, so that help comes at
once. The exit codes are those of docs/cli.md.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wolfspider import __version__
from wolfspider.errors import Problem

UNREADABLE, BUG, INTERRUPTED, UNREAD = 3, 70, 130, 141  # exit codes; 1 and 2 come from below
STDOUT = Path("-")

EXAMPLES = """Examples:

  wolfspider demo
  wolfspider strategies shark
  wolfspider bench --quick
  wolfspider bench --web synthetic:pages=20000 --strategy shark --strategy breadth-first --json out.json
  wolfspider web describe synthetic:pages=20000
"""


def _verbatim(text: str) -> str:
    """Paragraphs that typer leaves as they are."""
    return "\n\n".join("\b\n" + part for part in text.strip().split("\n\n"))


app = typer.Typer(
    name="wolfspider",
    help="A focused crawler that learns while it crawls: the most relevant pages for the fewest downloads.",
    epilog=_verbatim(EXAMPLES),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
web_app = typer.Typer(help="Make a synthetic web; measure any web.", rich_markup_mode=None)
app.add_typer(web_app, name="web")

WEB = "a folder or file of WARC, or synthetic:KEY=VALUE,..."
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks; errors only.")]
Time = Annotated[
    str | None, typer.Option("--from", metavar="TIME", help="The web as it was then: ISO 8601 or seconds since 1970.")
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"wolfspider {__version__} (Python {sys.version.split()[0]})")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def every_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    _help_if_alone(context)


@web_app.callback(invoke_without_command=True)
def every_web_command(context: typer.Context) -> None:
    _help_if_alone(context)


def _help_if_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command(epilog=_verbatim("Examples:\n\n  wolfspider demo\n  wolfspider demo --strategy best-first --seed 7"))
def demo(
    pages: Annotated[int, typer.Option(metavar="N", help="Downloads to spend, by each of the two crawls.")] = 800,
    seed: Annotated[int, typer.Option(metavar="S", help="Another seed, another web.")] = 1,
    strategy: Annotated[str | None, typer.Option(metavar="NAME", help="How to hunt. [default: shark]")] = None,
    quiet: Quiet = False,
) -> None:
    """Hunt on the built-in web: no network, nothing to configure."""
    from wolfspider.bench import live, screen
    from wolfspider.bench.demo import Demo, Plan
    from wolfspider.strategies import DEFAULT_STRATEGY

    plan = Plan(pages, seed, strategy or DEFAULT_STRATEGY)
    console = live.console_for(stderr=True, quiet=quiet)
    with live.busy(console, "Computing a web to hunt on ..."):
        found = Demo(plan)
    try:
        with screen.following(console, found) as look:
            lines = found.run(look)
    except KeyboardInterrupt:
        screen.summary(live.console_for(), found, [])
        raise
    screen.summary(live.console_for(), found, lines)


@app.command(
    epilog=_verbatim(
        """Examples:

  wolfspider bench --quick
  wolfspider bench --web synthetic:pages=20000 --strategy shark --strategy opic --repeats 3 --json out.json
  wolfspider bench --web recorded/ --topic chess --judge oracle --report report/
  wolfspider bench --web recorded/ --strategy shark --set shark.gamma=0.8 --json - | jq .rows"""
    )
)
def bench(
    web: Annotated[
        list[str] | None, typer.Option("--web", metavar="WEB", help=f"Where to hunt: {WEB}; repeatable.")
    ] = None,
    topics: Annotated[Path | None, typer.Option(metavar="FILE", help="Topics instead of the web's own.")] = None,
    topic: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this topic; repeatable.")] = None,
    strategy: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Repeatable. [default: all]")] = None,
    pages: Annotated[int, typer.Option(metavar="N", help="Downloads each crawl may spend.")] = 1000,
    repeats: Annotated[int, typer.Option(metavar="K", help="Crawls of each strategy on each topic.")] = 1,
    judge: Annotated[str | None, typer.Option(metavar="NAME", help="Who says what is good; or oracle.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="STRATEGY.NAME=VALUE", help="A parameter; repeatable.")
    ] = None,
    slots: Annotated[int, typer.Option(metavar="N", help="Visits out at a time.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", help="What chance is drawn from.")] = 0,
    jobs: Annotated[int | None, typer.Option(metavar="J", help="Processes. [default: one for each core]")] = None,
    train: Annotated[
        str, typer.Option(metavar="charged|free", help="Are downloads for training part of the budget?")
    ] = "charged",
    start: Time = None,
    latency: Annotated[float | None, typer.Option(metavar="S", help="Seconds that every answer takes.")] = None,
    obey_robots: Annotated[bool, typer.Option("--obey-robots", help="Obey robots.txt and its delays.")] = False,
    leaps: Annotated[
        str | None, typer.Option(metavar="WEB", help="A web to take categories from; not available yet.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the downloads as WARC; not available yet.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A rough answer: few downloads, two topics.")] = False,
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write all rows here; - is stdout.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="DIR", help="Write tables and figures there.")] = None,
    quiet: Quiet = False,
) -> int:
    """Compare strategies on the same work, and with the possible."""
    from wolfspider.bench import live, runner, show
    from wolfspider.bench.report import write_report
    from wolfspider.judge import DEFAULT_JUDGE
    from wolfspider.strategies import all_strategies

    asked = runner.Bench(
        webs=tuple(web or ()),
        strategies=tuple(strategy or all_strategies()),
        pages=pages,
        topics_file=topics,
        topics=tuple(topic or ()),
        repeats=repeats,
        judge=judge or DEFAULT_JUDGE,
        settings=runner.read_settings(settings or ()),
        slots=slots,
        seed=seed,
        jobs=jobs,
        train=train,
        start=_moment(start),
        latency=latency,
        obey_robots=obey_robots,
        leaps=leaps,
        record=None if record is None else str(record),
    )
    errors = live.console_for(stderr=True, quiet=quiet)
    with live.Bar(errors, "bench") as bar:
        results = runner.run(runner.quick(asked) if quick else asked, None if out == STDOUT else out, bar)
    if out == STDOUT:
        _print_json(asdict(results))
    else:
        show.bench(live.console_for(), results.rows)
    if report is not None:
        errors.print(f"Report: {write_report(results.rows, report, results.bounds, results.about)}")
    show.failures(live.console_for(stderr=True), results.rows)
    return runner.exit_code(results.rows)


@app.command()
def strategies(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them, with all its parameters.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """What strategies there are, and their parameters."""
    from wolfspider.bench import live, show
    from wolfspider.strategies import DEFAULT_STRATEGY, all_strategies, strategy_named

    known = all_strategies() if name is None else {name: strategy_named(name)}
    if as_json:
        told = [show.strategy_json(kind) for kind in known.values()]
        _print_json(told if name is None else told[0])
    elif name is None:
        show.strategies(live.console_for(), known, DEFAULT_STRATEGY)
    else:
        show.strategy(live.console_for(), known[name])


@app.command(epilog=_verbatim("Example:\n\n  wolfspider judges --web recorded/ --judge classifier --judge coverage"))
def judges(
    web: Annotated[list[str], typer.Option("--web", metavar="WEB", help=f"{WEB}; repeatable.")],
    judge: Annotated[
        list[str] | None, typer.Option("--judge", metavar="NAME", help="Repeatable. [default: all]")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The order in which pages are judged.")] = 0,
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write all rows here; - is stdout.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write tables as Markdown here.")] = None,
    quiet: Quiet = False,
) -> None:
    """How well each judge tells relevant pages from others."""
    from wolfspider.bench import judges as trial
    from wolfspider.bench import live, show
    from wolfspider.bench.kept import write_whole
    from wolfspider.judge import JUDGES

    console = live.console_for(stderr=True, quiet=quiet)
    with live.Bar(console, "judges") as bar:
        rows = trial.table([live.opened(each, console) for each in web], judge or tuple(JUDGES), seed, bar)
    if out == STDOUT:
        _print_json({"rows": rows})
    else:
        show.judges(live.console_for(), trial.means(rows))
    if out is not None and out != STDOUT:
        write_whole(out, json.dumps({"rows": rows}) + "\n")
    if markdown is not None:
        write_whole(markdown, trial.markdown(rows))


@app.command(
    epilog=_verbatim("Example:\n\n  wolfspider reproduce best-first-against-breadth-first --quick --out paper/")
)
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help="Which one; without it, what there is.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="A folder for tables, figures and a page.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller, for a few minutes.")] = False,
    corpora: Annotated[
        Path | None, typer.Option(metavar="DIR", envvar="WOLFSPIDER_CORPORA", help="Where recorded webs are.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="J", help="Processes. [default: one for each core]")] = None,
    quiet: Quiet = False,
) -> int:
    """Make a paper's tables and figures anew, ours beside theirs."""
    from wolfspider.bench import live, reproduce, show
    from wolfspider.bench.experiment import Form
    from wolfspider.bench.papers import experiment_named, experiments
    from wolfspider.bench.plain import plain_lines

    if paper is None:
        show.experiments(live.console_for(), experiments())
        return 0
    experiment = experiment_named(paper)
    if out is None:
        raise Problem("Where shall the tables and figures go? Name a folder by --out DIR.")
    with live.Bar(live.console_for(stderr=True, quiet=quiet), "cells") as bar:
        done = reproduce.reproduce(experiment, out, Form(quick, corpora), jobs, bar)
    print(plain_lines(reproduce.summary(done)))
    return reproduce.exit_code(done)


@web_app.command(epilog=_verbatim("Example:\n\n  wolfspider web make synthetic:pages=20000,seed=3 --out my-web"))
def make(
    web: Annotated[str, typer.Argument(metavar="WEB", help="synthetic:KEY=VALUE,...")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for web.warc.gz and topics.json.")],
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most so many records.")] = None,
    quiet: Quiet = False,
) -> None:
    """Write a synthetic web as WARC, to keep or to give away."""
    from wolfspider.bench import live
    from wolfspider.web.synthetic import Synthetic, write

    console = live.console_for(stderr=True, quiet=quiet)
    with live.Bar(console, "writing") as bar:
        written = write(Synthetic.parse(web), out, limit, bar)
    console.print(f"{written:,} records in {out}.")


@web_app.command(epilog=_verbatim("Example:\n\n  wolfspider web describe synthetic:pages=20000 --plots plots/"))
def describe(
    web: Annotated[str, typer.Argument(metavar="WEB", help=WEB)],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw the degree distributions there.")] = None,
    start: Time = None,
    quiet: Quiet = False,
) -> None:
    """Measure a web: degrees, clustering, distances, topics."""
    from wolfspider.bench import describe as measuring
    from wolfspider.bench import live
    from wolfspider.bench.plain import plain_lines

    at = _moment(start)
    console = live.console_for(stderr=True, quiet=quiet)
    with live.busy(console, "Measuring the web ..."):
        found = measuring.describe(live.opened(web, console), at)
    if as_json:
        _print_json(found.to_json())
    else:
        print(plain_lines(measuring.text(found)), end="")
    if plots is not None:
        for path in measuring.plots(found, plots):
            console.print(f"Drawn: {path}")


def _print_json(data: object) -> None:
    print(json.dumps(data, ensure_ascii=True))


def _moment(text: str | None) -> float | None:
    """ISO 8601 or seconds since 1970; a time without a zone is UTC."""
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        if text.replace(".", "", 1).isdecimal():
            return float(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Problem(f"--from is a time such as 2018-10-29T12:00, or seconds since 1970, not {text!r}.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def main(arguments: Sequence[str] | None = None) -> int:
    """Every way a command can end, as an exit code; a traceback only for who asks for one."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    try:
        code = app(arguments, prog_name="wolfspider", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return _usage(error)
    except Problem as problem:
        return _complain(str(problem), problem.code)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # how typer and rich leave when nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except OSError as error:
        return _complain(f"{error.filename or 'A file'}: {error.strerror or error}.", UNREADABLE)
    except Exception as error:
        sentence = f"{type(error).__name__}: {error}. This is a bug"
        return _complain(f"{sentence}; run with WOLFSPIDER_DEBUG=1 to see the traceback.", BUG)


def _usage(error: typer.TyperException) -> int:
    """What typer says of a wrong command line, and where to look."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "wolfspider"
    sentence = error.format_message()
    stop = "" if sentence.endswith((".", "?")) else "."
    return _complain(f"{sentence}{stop} See {command} --help.", error.exit_code)


def _complain(sentence: str, code: int) -> int:
    from wolfspider.bench.plain import plainly

    if os.environ.get("WOLFSPIDER_DEBUG"):
        import traceback

        traceback.print_exc()
    print(f"wolfspider: {plainly(sentence, 1000)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
