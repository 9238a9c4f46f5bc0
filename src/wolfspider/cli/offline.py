"""Commands that need no network: the demo, the bench, strategies and judges, and reproductions of papers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wolfspider.cli.common import STDOUT, WEB, Quiet, Time, app, moment, open_world, own_output, print_json, verbatim
from wolfspider.core.errors import CtrlC, Problem
from wolfspider.core.limits import HURRY, NO_HURRY, Limits
from wolfspider.core.params import parameters

if TYPE_CHECKING:
    from wolfspider.bench.run.runner import BenchResults

Half = Annotated[
    str | None,
    typer.Option(metavar="choose|report", help="Only the topics to choose settings on, or only those to report on."),
]
Webs = Annotated[list[str] | None, typer.Option("--web", metavar="WEB", help=f"Where to hunt: {WEB}; repeatable.")]
Topics = Annotated[Path | None, typer.Option(metavar="FILE", help="Topics instead of the web's own.")]
OnlyTopics = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this topic; repeatable.")]
Strategies = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Or FILE.py[:NAME], your own; repeatable. [default: all]")
]
Pages = Annotated[int, typer.Option(metavar="N", help="Downloads each crawl may spend.")]
Repeats = Annotated[int, typer.Option(metavar="K", help="Crawls of each strategy on each topic.")]
OneJudge = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which judge scores the pages; or oracle, or FILE.py[:NAME], your own."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="STRATEGY.NAME=VALUE",
        help="A parameter; repeatable. Without STRATEGY it is for all; letter=true is the letter of the papers.",
    ),
]
Slots = Annotated[int, typer.Option(metavar="N", help="Visits on the wire at the same time.")]
Delay = Annotated[float | None, typer.Option(metavar="S", help="Seconds between two visits to a host. [default: 0]")]
Conditions = Annotated[
    list[str] | None,
    typer.Option(metavar="serial|live-like", help="Slots and delay: one and none, or 16 and a second; repeatable."),
]
Hurry = Annotated[float, typer.Option(metavar="N", help=HURRY)]
Seed = Annotated[int, typer.Option(metavar="S", help="The seed of all random numbers.")]
Jobs = Annotated[int | None, typer.Option(metavar="J", help="Processes. [default: one for each core]")]
Training = Annotated[str, typer.Option(metavar="charged|free", help="Are downloads for training part of the budget?")]
Until = Annotated[
    str, typer.Option(metavar="dry|SHARE", help="End each crawl when it is enough, as `crawl --until` does.")
]
Latency = Annotated[float | None, typer.Option(metavar="S", help="Seconds that every answer takes.")]
Obey = Annotated[bool, typer.Option("--obey-robots", help="Obey robots.txt and its delays.")]
Traps = Annotated[str, typer.Option(metavar="ignore|avoid", help="Are traps avoided, as `crawl` does?")]
Leaps = Annotated[str | None, typer.Option(metavar="WEB", help="Another web, into which strategies may leap.")]
Record = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Record the crawls there, so that they can be crawled again.")
]
Without = Annotated[
    str, typer.Option(metavar="PATTERN", help="Leave out the lines of pages that match; see docs/judges.md.")
]
Quick = Annotated[bool, typer.Option("--quick", help="A rough answer: few downloads, two topics.")]
Rows = Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write all rows here; - is stdout.")]
Report = Annotated[Path | None, typer.Option(metavar="DIR", help="Write tables and figures there.")]


@app.command(epilog=verbatim("Examples:\n\n  wolfspider demo\n  wolfspider demo --strategy best-first --seed 7"))
def demo(
    pages: Annotated[int, typer.Option(metavar="N", help="Downloads to spend, by each of the two crawls.")] = 800,
    seed: Annotated[int, typer.Option(metavar="S", help="Another seed, another web.")] = 1,
    strategy: Annotated[str | None, typer.Option(metavar="NAME", help="How to hunt. [default: hunter]")] = None,
    quiet: Quiet = False,
) -> None:
    """Hunt on the built-in web: no network, nothing to configure."""
    from wolfspider.bench.run.demo import Demo, Plan
    from wolfspider.strategies import DEFAULT_STRATEGY
    from wolfspider.terminal import demo_screen, progress

    plan = Plan(pages, seed, strategy or DEFAULT_STRATEGY)
    console = progress.console_for(stderr=True, quiet=quiet)
    with progress.busy(console, "Computing a web to hunt on ..."):
        found = Demo(plan)
    try:
        with demo_screen.following(console, found) as look:
            lines = found.run(look)
    except KeyboardInterrupt:
        demo_screen.summary(progress.console_for(), found, [])
        raise
    demo_screen.summary(progress.console_for(), found, lines)


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider bench --quick
  wolfspider bench --web synthetic:pages=20000 --strategy shark --strategy opic --repeats 3 --json out.json
  wolfspider bench --web recorded/ --topic chess --judge oracle --report report/
  wolfspider bench --web recorded/ --strategy shark --set shark.gamma=0.8 --json - | jq .rows
  wolfspider bench --web recorded/ --condition serial --condition live-like --half report --report report/
  wolfspider bench --web recorded/ --strategy shark --strategy my_strategy.py --judge my_judge.py"""
    )
)
def bench(
    web: Webs = None,
    topics: Topics = None,
    topic: OnlyTopics = None,
    half: Half = None,
    strategy: Strategies = None,
    pages: Pages = 1000,
    repeats: Repeats = 1,
    judge: OneJudge = None,
    settings: Parameters = None,
    slots: Slots = 1,
    delay: Delay = None,
    condition: Conditions = None,
    hurry: Hurry = NO_HURRY,
    until: Until = "never",
    seed: Seed = 0,
    jobs: Jobs = None,
    train: Training = "charged",
    start: Time = None,
    latency: Latency = None,
    obey_robots: Obey = False,
    traps: Traps = "ignore",
    without: Without = "",
    leaps: Leaps = None,
    record: Record = None,
    quick: Quick = False,
    out: Rows = None,
    report: Report = None,
    quiet: Quiet = False,
) -> int:
    """Compare strategies on the same work, and with the possible."""
    from wolfspider.bench.run import runner
    from wolfspider.policy.judges import DEFAULT_JUDGE
    from wolfspider.strategies import all_strategies
    from wolfspider.terminal import progress

    asked = runner.Bench(
        webs=tuple(web or ()),
        strategies=tuple(strategy or all_strategies()),
        pages=pages,
        topics_file=topics,
        topics=tuple(topic or ()),
        half=half,
        repeats=repeats,
        judge=judge or DEFAULT_JUDGE,
        settings=runner.read_settings(settings or ()),
        slots=slots,
        delay=delay,
        conditions=tuple(condition or ()),
        hurry=hurry,
        until=parameters(Limits)["until"].read(until),
        seed=seed,
        jobs=jobs,
        train=train,
        start=moment(start),
        latency=latency,
        obey_robots=obey_robots,
        traps=traps,
        without=without,
        leaps=leaps,
        record=None if record is None else str(record),
    )
    with own_output(), progress.Bar(progress.console_for(stderr=True, quiet=quiet), "bench") as bar:
        results = runner.run(runner.quick(asked) if quick else asked, None if out == STDOUT else out, bar)
    _give_benched(results, out, report, quiet)
    return runner.exit_code(results.rows)


def _give_benched(results: BenchResults, out: Path | None, report: Path | None, quiet: bool) -> None:
    """Print what was measured, and write it wherever it is wanted."""
    from wolfspider.bench.draw.condition_tables import write_reports
    from wolfspider.terminal import printing, progress

    if out == STDOUT:
        print_json(asdict(results))
    else:
        printing.bench(progress.console_for(), results.rows)
    if report is not None:
        written = write_reports(results.rows, report, results.bounds, results.about)
        progress.console_for(stderr=True, quiet=quiet).print(f"Report: {written}")
    printing.failures(progress.console_for(stderr=True), results.rows)


@app.command()
def strategies(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One of them, or FILE.py[:NAME], with all its parameters.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """What strategies there are, and their parameters."""
    from wolfspider.app.plugins import strategy_kind
    from wolfspider.strategies import DEFAULT_STRATEGY, all_strategies
    from wolfspider.terminal import printing, progress

    known = all_strategies()
    known = known if name is None else {name: strategy_kind(name)}
    if as_json:
        told = [printing.strategy_json(kind) for kind in known.values()]
        print_json(told if name is None else told[0])
    elif name is None:
        printing.strategies(progress.console_for(), known, DEFAULT_STRATEGY)
    else:
        printing.strategy(progress.console_for(), known[name])


@app.command(
    epilog=verbatim(
        """Examples:

  wolfspider judges --web recorded/ --judge context --judge coverage
  wolfspider judges --web recorded/ --order crawl --topic chess --plots plots/
  wolfspider judges --web wiki/ --without "Related subjects" --half report"""
    )
)
def judges(
    web: Annotated[list[str], typer.Option("--web", metavar="WEB", help=f"{WEB}; repeatable.")],
    topics: Topics = None,
    topic: OnlyTopics = None,
    half: Half = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Or FILE.py[:NAME], your own; repeatable. [default: all]"),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="shuffled|crawl", help="All pages at random, or those of a crawl; repeatable. [default: both]"
        ),
    ] = None,
    pages: Annotated[int, typer.Option(metavar="N", min=1, help="Downloads of each crawl.")] = 1000,
    without: Without = "",
    liked: Annotated[
        int, typer.Option(metavar="K", min=0, help="Relevant pages of each topic that the judges are shown as liked.")
    ] = 0,
    untold: Annotated[
        bool, typer.Option("--untold", help="Leave these pages out, but do not show them to the judges: to compare.")
    ] = False,
    labels: Annotated[
        int, typer.Option(metavar="K", min=0, help="Labels that a person gives, to the first pages called relevant.")
    ] = 0,
    main_text: Annotated[
        bool, typer.Option("--main-text", help="Show the judges titles and main texts alone, without menus.")
    ] = False,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The order in which pages are judged, and which are liked.")
    ] = 0,
    out: Rows = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write tables as Markdown here.")] = None,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw there how far the probabilities can be trusted.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """How well each judge tells relevant pages from others."""
    from wolfspider.bench.measure import judge_quality
    from wolfspider.bench.run.topics import tasks_of
    from wolfspider.policy.judges import LISTED
    from wolfspider.terminal import progress
    from wolfspider.web.worlds.without_lines import WithoutLines

    console = progress.console_for(stderr=True, quiet=quiet)
    wanted = judge_quality.Wanted(
        judges=judge or LISTED,
        orders=order or judge_quality.ORDERS,
        tasks=lambda world: tasks_of(world, topics, topic or (), world.start, half=half),
        liked=liked,
        untold=untold,
        labels=labels,
        pages=pages,
        seed=seed,
        main_text=main_text,
    )
    webs = [open_world(each, console) for each in web]
    if without:
        webs = [WithoutLines(world, without) for world in webs]
    with own_output(), progress.Bar(console, "judges") as bar:
        rows = judge_quality.table(webs, wanted, bar)
    _give_judged(rows, out, markdown, plots)


def _give_judged(rows: list[dict[str, Any]], out: Path | None, markdown: Path | None, plots: Path | None) -> None:
    """Print what was measured, and write it wherever it is wanted."""
    from wolfspider.bench.draw import judge_report
    from wolfspider.bench.groups import grouped
    from wolfspider.bench.measure import judge_quality
    from wolfspider.bench.run.result_cache import write_whole
    from wolfspider.terminal import printing, progress

    if out == STDOUT:
        print_json({"rows": rows})
    else:
        orders = {name: judge_quality.means(own) for name, own in grouped(rows, lambda row: str(row["order"])).items()}
        printing.judges(progress.console_for(), orders)
    if out is not None and out != STDOUT:
        write_whole(out, json.dumps({"rows": rows}) + "\n")
    if markdown is not None:
        write_whole(markdown, judge_report.markdown(rows))
    if plots is not None:
        judge_report.write_plots(rows, plots)


@app.command(
    epilog=verbatim("Example:\n\n  wolfspider reproduce best-first-against-breadth-first --quick --out paper/")
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
    """Reproduce a paper's tables and figures, ours beside theirs."""
    from wolfspider.bench.experiment import Form
    from wolfspider.bench.papers import experiment_named, experiments
    from wolfspider.bench.run import reproduce
    from wolfspider.core.plain_text import plain_lines
    from wolfspider.terminal import printing, progress

    if paper is None:
        printing.experiments(progress.console_for(), experiments())
        return 0
    experiment = experiment_named(paper)
    if out is None:
        raise Problem("Where shall the tables and figures go? Name a folder by --out DIR.")
    try:
        with progress.Bar(progress.console_for(stderr=True, quiet=quiet), "cells") as bar:
            done = reproduce.reproduce(experiment, out, Form(quick, corpora), jobs, bar)
    except KeyboardInterrupt as error:
        raise CtrlC(f"Interrupted. Finished cells are kept in {out}: the same command goes on.") from error
    print(plain_lines(reproduce.summary(done)))
    return reproduce.exit_code(done)
