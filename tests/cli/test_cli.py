"""The command line: every mistake is one sentence and a documented code, and what the documentation says is true."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer.main

from wolfspider import __version__
from wolfspider.cli import app, main
from wolfspider.web.worlds.synthetic import Synthetic, write

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
CODES = {int(code) for code in re.findall(r"^\| (\d+) \|", DOCS, re.MULTILINE)}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WOLFSPIDER_DEBUG", raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def called(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return called


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "web"
    write(Synthetic.parse("synthetic:pages=1000,seeds=relevant"), folder)
    return folder


@pytest.fixture
def web(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "web"))


def subprocess_of(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "wolfspider", *arguments]
    return subprocess.run(call, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def complaint(result: tuple[int, str, str], code: int) -> str:
    """What was said, having checked that it is one sentence with this code."""
    got, out, err = result
    assert got == code and code in CODES, err
    assert out == "" and "Traceback" not in err
    lines = [line for line in err.splitlines() if line.startswith("wolfspider: ")]
    assert len(lines) == 1, err
    assert lines[0].endswith((".", "?"))
    return lines[0]


def topics(folder: Path, **changes: object) -> Path:
    entry = {"keywords": ["chess"], "description": "", "seeds": ["http://nowhere.example/"], "relevant": []}
    path = folder / "mine.json"
    path.write_text(json.dumps({"chess": entry | changes}))
    return path


# What a person may get wrong


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("demo --pages 0", "--pages must be at least 1, not 0."),
        ("demo --pages many", "--pages must be a whole number, not 'many'."),
        ("demo --pages 1.5", "--pages must be a whole number, not '1.5'."),
        ("crawl --memory 1.5GB", "--memory must be a whole number of megabytes, not '1.5GB'."),
        ("resume run --keep-mb '5 MB'", "--keep-mb must be a number of megabytes, not '5 MB'."),
        ("crawl http://a.test/ --hands 1 --parsers 2", "parsers is an earlier name of hands"),
        ("resume run --strategy shark", "--strategy is fixed when a run is begun. Begin another by `wolfspider crawl"),
        ("resume run --learned-from other", "--learned-from is fixed when a run is begun."),
        ("resume run --topic x", "; or change it here by `wolfspider steer RUN topic WORDS`."),
        ("resume run --stratgy shark", "No such option: --stratgy"),
        ("status run --strategy shark", "No such option: --strategy"),
        ("bench --quick --delay fast", "--delay must be a number, not 'fast'."),
        ("crawl http://h.test/ --topic chess --hurry fast", "--hurry must be a number, not 'fast'."),
        ("demo --pags 10", "--pages"),
        ("demo --strategy sharc", "Did you mean 'shark'?"),
        ("dmo", "Did you mean 'demo'?"),
        ("bench --pages 0 --web synthetic:pages=1000", "--pages must be at least 1, not 0."),
        ("bench --web synthetic:pages=1000 --strategy sharc", "Did you mean 'shark'?"),
        ("bench --web synthetic:pagse=1000", "Did you mean 'pages'?"),
        ("bench --web synthetic:pages=lots", "pages must be a whole number"),
        ("bench --web synthetic:pages", "has no value"),
        ("bench", "--web WEB"),
        ("bench --quick --judge orakle", "Did you mean 'oracle'?"),
        ("bench --quick --set shark.gamma", "STRATEGY.NAME=VALUE"),
        ("bench --quick --set shark.gama=1", "Did you mean 'gamma'?"),
        ("bench --quick --set leter=true", "Did you mean 'letter'?"),
        ("bench --quick --set opic.leter=true", "Did you mean 'letter'?"),
        ("bench --quick --half reprot", "--half is choose or report, not 'reprot'. Did you mean 'report'?"),
        ("bench --quick --half best", "--half is choose or report, not 'best'."),
        ("bench --quick --train fre", "Did you mean 'free'?"),
        ("bench --quick --condition live", "Did you mean 'live-like'?"),
        ("judges --web synthetic:pages=1000 --order craw", "Did you mean 'crawl'?"),
        ("bench --quick --set shark.gamma=7", "gamma must be at most 1"),
        ("bench --quick --train dear", "charged or free"),
        ("bench --quick --from yesterday", "--from is a time"),
        ("bench --quick --jobs 0", "--jobs must be at least 1"),
        ("strategies sharc", "Did you mean 'shark'?"),
        ("judges --web synthetic:pages=1000 --judge covrage", "Did you mean 'coverage'?"),
        ("judges", "'--web'"),
        ("judges --web synthetic:pages=1000 --liked -1", "--liked must be at least 0, not '-1'."),
        ("reproduce nobody --out x", "There is no paper 'nobody'"),
        ("reproduce best-first-against-breadth-first", "--out DIR"),
        ("web make", "'WEB'"),
        ("web make recorded/ --out x", "synthetic:KEY=VALUE"),
        ("web describe synthetic:pages=1", "pages must be at least"),
        ("crawl http://a.test/ --topic x --islands 1001", "--islands must be at most 1000, not '1001'."),
    ],
)
def test_a_wrong_command_line_is_one_sentence(run: Run, arguments: str, says: str) -> None:
    assert says in complaint(run(*shlex.split(arguments)), 2)


@pytest.mark.parametrize("command", ["bench --pages 5 --web", "web describe", "judges --web"])
def test_a_web_that_is_not_there(run: Run, tmp_path: Path, command: str) -> None:
    assert "There is no web at" in complaint(run(*command.split(), tmp_path / "nowhere"), 3)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"I am no WARC\n" * 100, mtime=0),
        b"\x1f\x8b\x08\x00 neither am I a gzip",
        gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nshort", mtime=0),
        b"",
    ],
)
def test_a_gzip_that_lies(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "web.warc.gz").write_bytes(content)
    assert "No pages can be read" in complaint(run("bench", "--web", tmp_path, "--pages", 5), 3)


def test_a_warc_cut_in_the_middle_is_used_as_far_as_it_goes(run: Run, web: Path) -> None:
    whole = (web / "web.warc.gz").read_bytes()
    (web / "web.warc.gz").write_bytes(whole[: len(whole) // 2])
    for command in (
        "bench --jobs 1 --strategy breadth-first --pages 5 --web",
        "web describe",
        "judges --judge keywords --order shuffled --web",
    ):
        code, out, err = run(*command.split(), web)
        assert code == 0 and out
        assert len(re.findall(r"^web: web\.warc\.gz: cut or damaged", err, re.MULTILINE)) == 1


def test_topics_with_a_typo(run: Run, web: Path) -> None:
    path = topics(web)
    path.write_text(path.read_text().replace("keywords", "keywrods"))
    said = complaint(run("bench", "--web", web, "--topics", path, "--pages", 5), 3)
    assert "'keywords' is missing. Did you mean 'keywrods'?" in said


@pytest.mark.parametrize("text", ['{"chess": ', "[]", '{"chess": 5}', "\x00", "[" * 100_000])
def test_topics_that_are_none(run: Run, web: Path, text: str) -> None:
    path = web / "mine.json"
    path.write_text(text)
    assert "mine.json" in complaint(run("bench", "--web", web, "--topics", path, "--pages", 5), 3)


def test_a_seed_that_is_not_in_the_web(run: Run, web: Path) -> None:
    said = complaint(run("bench", "--web", web, "--topics", topics(web), "--pages", 5), 3)
    assert "none of its seeds is in the web" in said and "http://nowhere.example/" in said


def test_a_topic_that_is_not_there(run: Run, web: Path) -> None:
    assert "There is no topic 'chess'" in complaint(run("bench", "--web", web, "--topic", "chess", "--pages", 5), 2)


def test_a_web_is_never_written_over_another(run: Run, web: Path) -> None:
    before = (web / "web.warc.gz").read_bytes()
    assert "there already" in complaint(run("web", "make", "synthetic:pages=1000", "--out", web), 2)
    assert (web / "web.warc.gz").read_bytes() == before


def test_a_place_that_cannot_be_written(run: Run, web: Path) -> None:
    code, _, err = run("web", "describe", web, "--plots", web / "topics.json" / "plots")
    assert code == 3 and "topics.json" in err and "Traceback" not in err


def test_escapes_in_what_a_person_gave_never_reach_the_terminal(run: Run) -> None:
    said = complaint(run("strategies", "\x1b]0;renamed\x07\x1b[31msharkk\n\u202eb"), 2)
    assert all(char.isprintable() for char in said)


# What comes of each command


def test_bench_prints_a_table_and_writes_its_rows(run: Run, web: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    ask = ("bench", "--web", web, "--pages", 10, "--jobs", 1, "--strategy", "shark", "--strategy", "breadth-first")
    code, table, _ = run(*ask, "--json", out, "--report", tmp_path / "report")
    assert code == 0
    rows = json.loads(out.read_text())["rows"]
    assert {row["strategy"] for row in rows} == {"shark", "breadth-first"}
    assert all(re.search(rf"\b{row['strategy']}\b", table) and row["topic"] in table for row in rows)
    mean = sum(row["auc_ratio"] for row in rows if row["strategy"] == "shark") / (len(rows) / 2)
    assert f"{mean:.3f}" in next(line for line in table.splitlines() if line.startswith("shark"))
    assert (tmp_path / "report" / "report.md").is_file()


def test_bench_writes_json_and_nothing_else_to_stdout(run: Run, web: Path) -> None:
    ask = ("bench", "--web", web, "--pages", 5, "--jobs", 1, "--strategy", "random", "--from", "2030-01-01")
    code, out, err = run(*ask, "--json", "-", "--quiet")
    results = json.loads(out)
    assert code == 0 and err == ""
    assert results["rows"] and results["about"]["start"] == 1893456000.0


def test_bench_takes_strategies_and_judges_of_files(run: Run, web: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wolfspider import Unlearning, verdict\n"
        "from wolfspider.strategies.breadth_first import BreadthFirst\n"
        "class Fox(BreadthFirst):\n    name = 'fox'\n"
        "class Every(Unlearning):\n    def score(self, page):\n        return verdict(1.0, 0.5)\n"
    )
    mine = tmp_path / "mine.py"
    asked = (
        "bench",
        "--web",
        web,
        "--pages",
        5,
        "--jobs",
        1,
        "--strategy",
        mine,
        "--strategy",
        "random",
        "--judge",
        mine,
    )
    rows = json.loads(run(*asked, "--json", "-")[1])["rows"]
    assert {(row["strategy"], row["judge"], row["error"]) for row in rows} == {
        ("fox", "Every", None),
        ("random", "Every", None),
    }
    assert "Every" in run("judges", "--web", web, "--order", "shuffled", "--judge", mine, "--judge", "keywords")[1]
    mine.write_text("\n1 / 0\n")
    assert "mine.py cannot be loaded: ZeroDivisionError: division by zero (line 2)." in complaint(run(*asked), 3)


def test_bench_leaves_with_1_if_a_strategy_failed(run: Run, web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wolfspider.strategies.random import Random

    def fails(*_: object) -> None:
        raise RuntimeError("\x1b[31mno more\nlinks")

    monkeypatch.setattr(Random, "observe", fails)
    ask = ("bench", "--web", web, "--pages", 5, "--jobs", 1, "--strategy", "random", "--strategy", "shark")
    code, out, err = run(*ask)
    assert code == 1
    assert "random failed on" in err and "no more links" in err and "\x1b" not in err
    assert re.search(r"^random +- ", out, re.MULTILINE) and re.search(r"^shark +0|^shark +1", out, re.MULTILINE)


def test_strategies_tell_every_parameter(run: Run) -> None:
    code, out, _ = run("strategies", "--json")
    known = json.loads(out)
    assert code == 0
    for strategy in known:
        code, text, _ = run("strategies", strategy["name"])
        assert code == 0 and strategy["paper"] in text
        for param in strategy["parameters"]:
            assert param["says"] in text and param["name"] in text
    listed = run("strategies")[1]
    assert all(strategy["name"] in listed for strategy in known)


def test_strategies_say_what_they_are_for_and_for_which_webs_they_are_not(run: Run) -> None:
    known, (_, text, _) = json.loads(run("strategies", "--json")[1]), run("strategies")
    assert all("." in strategy["use"] and " Not " in strategy["use"] for strategy in known)
    assert all(strategy["use"] in text for strategy in known)
    assert "For news that changes. Not for webs that stay as they are" in text


def test_strategies_tell_how_a_parameter_is_set_in_a_crawl_and_in_a_bench(run: Run) -> None:
    for name, form in (("hunter", "showing=0.5"), ("shark", "delta=0.5"), ("newshound", "per_hour=")):
        text = " ".join(run("strategies", name)[1].split())
        assert f"--set {form}" in text and f"--set {name}.{form}" in text and "steer RUN set NAME=VALUE" in text
        assert ("all are as in the paper, where" in text) == (name == "shark"), "the hunter has no paper"
        assert ("all are as the strategy had them at first (it has no paper), where" in text) == (name == "hunter")
    assert run("crawl", "http://h0.test/", "--topic", "x", "--set", "hunter.showing=1", "--via", "127.0.0.1:9")[0] == 2


def test_a_strategy_of_a_persons_own_tells_its_parameters_too(run: Run) -> None:
    file = Path(__file__).parents[2] / "examples" / "own_judge_and_strategy.py"
    for name in (file, f"{file}:FreshHosts"):
        code, out, _ = run("strategies", name)
        assert code == 0 and "fresh-hosts" in out and "boredom" in out and "How much less a link is worth" in out
    assert json.loads(run("strategies", file, "--json")[1])["parameters"][0]["name"] == "boredom"
    assert "Did you mean 'FreshHosts'" in complaint(run("strategies", f"{file}:FreshHost"), 2)


def test_a_web_is_made_and_described(run: Run, tmp_path: Path) -> None:
    assert run("web", "make", "synthetic:pages=1000", "--out", tmp_path / "mine", "--limit", 200)[0] == 0
    code, out, _ = run("web", "describe", tmp_path / "mine", "--json", "--plots", tmp_path / "plots")
    assert code == 0 and 0 < json.loads(out)["nodes"] <= 200
    assert len(list((tmp_path / "plots").glob("*.svg"))) == 4


def test_judges_of_a_computed_web(run: Run, tmp_path: Path) -> None:
    out, tables = tmp_path / "out.json", tmp_path / "tables.md"
    ask = ("judges", "--web", "synthetic:pages=1000", "--judge", "coverage", "--judge", "keywords")
    code, table, _ = run(*ask, "--json", out, "--markdown", tables, "--plots", tmp_path, "--pages", 50)
    rows = json.loads(out.read_text())["rows"]
    assert {path.name for path in tmp_path.glob("*.svg")} == {"reliability-shuffled.svg", "reliability-crawl.svg"}
    assert code == 0 and "coverage" in table and "`coverage`" in tables.read_text()
    assert any(row["average_precision"] > 0 for row in rows)


def test_judges_are_shown_liked_pages_which_then_do_not_count(run: Run) -> None:
    ask = ("judges", "--web", "synthetic:pages=1000", "--judge", "keywords", "--order", "shuffled", "--json", "-")
    without, shown = (json.loads(run(*ask, "--liked", liked)[1])["rows"] for liked in (0, 3))
    assert {row["liked"] for row in without} == {0} and {row["liked"] for row in shown} == {3}
    for name in ("pages", "relevant"):
        assert [row[name] for row in shown] == [row[name] - 3 for row in without]


def test_reproduce_alone_lists_the_papers(run: Run) -> None:
    code, out, _ = run("reproduce")
    assert code == 0 and "best-first-against-breadth-first" in out


def test_the_version(run: Run) -> None:
    code, out, _ = run("--version")
    assert code == 0 and out.startswith(f"wolfspider {__version__} ")


@pytest.mark.parametrize("arguments", [(), ("web",), ("--help",), ("bench", "-h")])
def test_help_is_given_and_helps(run: Run, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, err) == (0, "") and "Usage: wolfspider" in out


# How it ends


@pytest.mark.parametrize("command", ["bench", "crawl", "export", "web serve"])
def test_help_imports_nothing_heavy(command: str) -> None:
    heavy = {"numpy", "scipy", "rich", "selectolax", "aiohttp", "asyncio", "sqlite3", "tomllib", "wolfspider.bench"}
    program = (
        f"import sys\nfrom wolfspider.cli import main\ncode = main([*{command.split()}, '--help'])\n"
        f"print(code, sorted({heavy} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("\x1b[2Jof a kind nobody thought of")

    monkeypatch.setattr("wolfspider.strategies.all_strategies", fails)


@pytest.mark.usefixtures("broken")
def test_a_bug_is_a_sentence_too(run: Run) -> None:
    said = complaint(run("strategies"), 70)
    assert "bug" in said and "WOLFSPIDER_DEBUG=1" in said and "\x1b" not in said


@pytest.mark.usefixtures("broken")
def test_a_bug_shows_its_traceback_to_who_asks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOLFSPIDER_DEBUG", "1")
    code, _, err = run("strategies")
    assert code == 70 and "Traceback" in err and "ZeroDivisionError" in err


@pytest.mark.skipif(os.name != "posix", reason="Pipes that break are told apart on POSIX alone.")
def test_who_stops_reading_stops_it_quietly() -> None:
    call = [sys.executable, "-m", "wolfspider", "web", "describe", "synthetic:pages=1000", "--json"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


COMPLETES = """
eval "$(wolfspider --show-completion)" || exit 1
function=$(complete -p wolfspider | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
completed() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $function wolfspider; echo "${COMPREPLY[@]}"; }
completed wolfspider expo
completed wolfspider export run --form
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed.")
def test_a_real_bash_completes_commands_and_options(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "wolfspider"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wolfspider "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    told = subprocess.run(
        ["bash", "-c", COMPLETES],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (told.returncode, told.stdout.split("\n")) == (0, ["export", "--format", ""]), told.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_told_how_to_complete(shell: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_WOLFSPIDER_COMPLETE", f"source_{shell}")
    code, out, _ = run()
    assert code == 0 and f"complete_{shell}" in out


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is a signal on POSIX.")
def test_ctrl_c_prints_what_was_found() -> None:
    call = [sys.executable, "-u", "-m", "wolfspider", "demo", "--pages", "4000"]
    terminal, end = os.openpty()
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        os.close(end)
        shown = b""
        while not re.search(rb"\d{3} of 4,000 downloads", shown):
            shown += os.read(terminal, 1 << 16)
        process.send_signal(signal.SIGINT)
        # Python drops an interrupt that comes while it cleans an object up; a person would press the keys again.
        again = threading.Timer(30.0, process.send_signal, [signal.SIGINT])
        again.start()
        shown += b"".join(read_to_the_end(terminal))
        again.cancel()
        assert process.stdout
        out = process.stdout.read()
    assert process.returncode == 130
    assert "Best finds" in out and "The same" not in out and b"Traceback" not in shown


def read_to_the_end(terminal: int) -> Iterator[bytes]:
    """A terminal whose other end is closed says so by an error, or by nothing more to read."""
    with os.fdopen(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while part := file.read(1 << 16):
            yield part


def test_a_terminal_without_the_letters_gets_others() -> None:
    done = subprocess_of("strategies", "shark", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0 and "Hersovici" in done.stdout


# The documentation


def commands(command: object = None, path: str = "wolfspider") -> Iterator[tuple[str, object]]:
    command = command or typer.main.get_command(app)
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}")


COMMANDS = dict(commands())
GROUPS = ("wolfspider web", "wolfspider states", "wolfspider categories", "wolfspider cluster")


def section(path: str) -> str:
    found = re.search(rf"^## {path}\n(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert found, f"docs/cli.md has no section '## {path}'."
    return found[1]


@pytest.mark.parametrize("path", [path for path, command in COMMANDS.items() if path not in GROUPS])
def test_every_command_and_option_is_documented_and_nothing_else(path: str) -> None:
    shown = [param for param in COMMANDS[path].params if not getattr(param, "hidden", False)]  # type: ignore[attr-defined]
    there = {option for param in shown for option in param.opts if option.startswith("--")}
    told = set(re.findall(r"^\| .*", section(path), re.MULTILINE))
    options = {option for line in told for option in re.findall(r"`(--[a-z-]+)", line.split(" | ")[0])}
    assert options - {"--help"} == there - {"--help"}


def test_every_code_that_is_used_is_documented() -> None:
    from wolfspider import cli
    from wolfspider.cli import crawling
    from wolfspider.core.errors import BadInput, Busy, Problem
    from wolfspider.files.disk import DiskFull
    from wolfspider.store import damage

    raised = {Problem.code, BadInput.code, Busy.code, DiskFull.code}
    ends = {*crawling.CODES.values(), crawling.NOTHING}
    ends |= {damage.NOTHING_LOST, damage.PAGES_LOST, damage.DATABASE, damage.DESCRIPTION}
    assert raised | ends | {1, cli.UNREADABLE, cli.BUG, cli.INTERRUPTED, cli.UNREAD} == CODES


def test_every_verb_of_steer_is_documented_and_in_its_help(run: Run) -> None:
    from wolfspider.app.steering import VERBS

    told = set(re.findall(r"^\| `([a-z]+)", section("wolfspider steer"), re.MULTILINE))
    assert told == set(VERBS)
    assert all(re.search(rf"\b{verb}\b", run("steer", "--help")[1]) for verb in VERBS)


def examples() -> list[str]:
    epilogs = "\n".join(str(getattr(command, "epilog", "") or "") for command in COMMANDS.values())
    blocks = "\n".join(re.findall(r"```\n(.*?)```", DOCS, re.DOTALL))
    lines = (line.strip() for line in (epilogs + "\n" + blocks).splitlines())
    return sorted({line for line in lines if line.startswith("wolfspider ")})


@pytest.mark.parametrize("example", examples())
def test_every_example_can_be_typed(example: str) -> None:
    words = shlex.split(re.split(r" [|>] ", example)[0])
    path = words.pop(0)
    while words and f"{path} {words[0]}" in COMMANDS:
        path = f"{path} {words.pop(0)}"
    context = COMMANDS[path].make_context(path, words)  # type: ignore[attr-defined]  # raises where an option is wrong
    assert context.info_name == path and not context.args


def test_doctor_tells_of_the_machine_and_leaves_nothing(run: Run, tmp_path: Path) -> None:
    code, out, err = run("doctor", str(tmp_path), "--host", "localhost", "--json")
    told = json.loads(out)
    assert (
        err == ""
        and told["fit"] is (code == 0)
        and {look["state"] for look in told["looks"]} <= {"fine", "poor", "bad"}
    )
    code, out, _ = run("doctor", str(tmp_path), "--host", "no-such-name.invalid")
    assert code == 1 and "! name server" in out and "by their names would fail here" in out
    assert list(tmp_path.iterdir()) == []
