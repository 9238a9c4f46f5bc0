"""`wolfspider label`: who is asked, by which keys, and what becomes of the answers."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import BREAD, EVIL, SPIDERS, SmallWeb, page
from wolfspider.app.labelling import doubt_told, excerpt, read_answers
from wolfspider.app.past_runs import glimpse
from wolfspider.cli.labelling import _pressed
from wolfspider.core.errors import Problem
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

HASTY = "--delay 0 --adapt 0 --tries 1 --disk-floor 0"
TIME = 40.0
MIXED = BREAD + "A wolf spider sat beside the oven. " + BREAD
pytestmark = pytest.mark.usefixtures("bare_environment")
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]
COUNT = 12
WEB = SmallWeb(
    {
        "http://a.test/": page("Start", SPIDERS, *(f"http://h{number}.test/" for number in range(COUNT))),
        **{f"http://h{number}.test/": page(f"Mixed {number}", MIXED, "/more") for number in range(COUNT - 1)},
        f"http://h{COUNT - 1}.test/": page(EVIL, MIXED, "/more"),
    },
    {},
)


@pytest.fixture
def crawled(run: Run, aside: Aside, tmp_path: Path) -> Path:
    port = aside(serve(WEB)).port
    folder = tmp_path / "run"
    code, _, err = run(f"crawl http://a.test/ --topic 'wolf spider' --via 127.0.0.1:{port} {HASTY} --out", folder)
    assert code == 0, err
    return folder


def labels(folder: Path) -> dict[str, bool]:
    return {row.final_url: row.evidence["label"] for row in RunView(folder).pages() if "label" in row.evidence}


class Terminal:
    """`wolfspider label` at a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.here, end = os.openpty()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WOLFSPIDER_")}
        call = [sys.executable, "-m", "wolfspider", "label", *words]
        self.process = subprocess.Popen(call, stdin=end, stdout=end, stderr=end, env={**environment, "COLUMNS": "200"})
        os.close(end)
        self.shown = ""

    def until(self, text: str) -> None:
        until = time.monotonic() + TIME
        while text not in self.shown:
            assert time.monotonic() < until and self._read(), self.shown

    def _read(self) -> bool:
        if not select.select([self.here], [], [], TIME)[0]:
            self.process.kill()
            pytest.fail(f"nothing more is shown: {self.shown}")
        try:
            read = os.read(self.here, 65536)
        except OSError:
            return False
        self.shown += read.decode("utf-8", "replace")
        return bool(read)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.until("q: quit")
            self.shown = self.shown.replace("q: quit", "")
            os.write(self.here, key.encode())

    def interrupt(self) -> None:
        """As Ctrl-C does, where the terminal is that of the process."""
        self.until("q: quit")
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        while self._read():
            pass
        os.close(self.here)
        return self.process.wait(TIME)


def test_a_person_answers_by_keys_and_the_run_keeps_the_labels(crawled: Path, run: Run) -> None:
    asked = [each.url for each in wolfspider.questions(crawled, 5)]
    seen = Terminal(str(crawled), "--count", "5")
    seen.press("\x1b[A", "n", "s", "y", "q")
    assert seen.end() == 0
    assert labels(crawled) == {asked[0]: True, asked[1]: False, asked[3]: True}
    assert "1 of 5" in seen.shown and "0.50 is the border" in seen.shown and "3 labels: 2 up, 1 down." in seen.shown
    assert "--learned-from" in seen.shown and "--rejudge" in seen.shown
    assert RunView(crawled).ended == "done"
    assert not {each.url for each in wolfspider.questions(crawled, 20)} & labels(crawled).keys()
    code, out, _ = run("check", crawled)
    assert code == 0 and "whole" in out


def test_the_last_answer_can_be_taken_back(crawled: Path) -> None:
    asked = [each.url for each in wolfspider.questions(crawled, 2)]
    seen = Terminal(str(crawled), "--count", "2")
    seen.press("y", "u", "n", "x", "\x1b[D", "-", "s")
    assert seen.end() == 0
    assert labels(crawled) == {asked[0]: False}
    assert "That key means nothing here" in seen.shown


def test_ctrl_c_keeps_what_was_answered_and_no_answer_changes_nothing(crawled: Path) -> None:
    seen = Terminal(str(crawled))
    seen.interrupt()
    assert seen.end() == 0 and "No label was given" in seen.shown and labels(crawled) == {}
    seen = Terminal(str(crawled))
    seen.press("y")
    seen.interrupt()
    assert seen.end() == 0 and len(labels(crawled)) == 1


def test_ctrl_c_is_heard_where_it_does_not_break_off_the_read_of_a_key() -> None:
    """It is caught by another thread here, which is as if it came between the last look for signals and the read."""
    read, write = os.pipe()

    def interrupt() -> None:
        time.sleep(0.3)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        if not ended.wait(TIME):
            late.append("only with the next key")
            os.write(write, b"y")

    ended = threading.Event()
    late: list[str] = []
    other = threading.Thread(target=interrupt)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            _pressed(read)
    finally:
        ended.set()
        other.join()
        os.close(read)
        os.close(write)
    assert not late


def test_what_a_page_says_does_nothing_to_a_terminal(crawled: Path, run: Run) -> None:
    seen = Terminal(str(crawled), "--count", "20")
    seen.press(*"s" * len(wolfspider.questions(crawled, 20)))
    assert seen.end() == 0
    assert "\x1b]0;" not in seen.shown and "\u202e" not in seen.shown and "\x9b" not in seen.shown
    code, out, _ = run("label", crawled)
    assert code == 0 and "\x1b" not in out and "\u202e" not in out


def test_without_a_terminal_pages_are_listed_with_how_to_answer(crawled: Path, run: Run) -> None:
    code, out, err = run("label --count 2", crawled)
    assert (code, err) == (0, "") and "wolf spider" in out and f"wolfspider label {crawled} --answers FILE" in out
    assert labels(crawled) == {}


def test_a_program_asks_in_json_and_answers_by_a_file_or_a_pipe(
    crawled: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run("label --json --count 3", crawled)
    asked = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(asked) == 3
    assert set(asked[0]) == {"url", "title", "score", "relevant", "links", "words", "excerpt", "why"}
    assert "spider" in asked[0]["words"] and "wolf spider" in asked[0]["excerpt"]
    answers = tmp_path / "answers"
    answers.write_text(f"# mine\nup {asked[0]['url']}\n\nskip {asked[1]['url']}\n")
    code, out, _ = run(f"label --answers {shlex.quote(str(answers))}", crawled)
    assert code == 0 and "1 label: 1 up, 0 down." in out
    with monkeypatch.context() as patched, open(os.devnull, encoding="utf-8") as nothing:
        patched.setattr(sys, "stdin", nothing)
        assert run("label --answers -", crawled)[0] == 0
    assert labels(crawled) == {asked[0]["url"]: True}


def test_an_address_of_which_the_run_has_no_page_is_told(crawled: Path, run: Run, tmp_path: Path) -> None:
    answers, good = tmp_path / "answers", wolfspider.questions(crawled, 1)[0].url
    answers.write_text(f"up {good}\nup http://nowhere.test/\n")
    code, _, err = run(f"label --answers {shlex.quote(str(answers))}", crawled)
    assert code == 0 and "no page http://nowhere.test/. This label counts only if" in err and good not in err
    answers.write_text("\n".join(f"up http://nowhere{number}.test/" for number in range(9)))
    code, _, err = run(f"label --answers {shlex.quote(str(answers))}", crawled)
    assert code == 0 and "and 4 more. These labels count" in err
    remarks: list[str] = []
    wolfspider.label(crawled, {"http://no.test/": True, "h1.test": False}, remarks.append)
    assert "no page http://no.test/." in remarks[0]


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (0.01, "is nearly sure, and"),
        (0.07, "is nearly sure, and"),
        (0.2, "leans to no"),
        (0.36, "is in doubt"),
        (0.64, "is in doubt"),
        (0.82, "leans to yes"),
        (0.96, "is nearly sure, and"),
    ],
)
def test_a_question_says_how_sure_the_judge_is(score: float, told: str) -> None:
    assert doubt_told(score).startswith(told)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("yes http://a.test/", "line 1: an answer is `up URL`"),
        ("dwon http://a.test/", "Did you mean 'down'?"),
        ("up", "no address"),
        ('{"url": 3, "label": "up"}', "an answer is"),
        ('{"url": "http://a.test/", "label": [1]}', "an answer is"),
        ("{" * 5000, "an answer is"),
    ],
)
def test_a_mistake_in_answers_is_a_sentence(line: str, told: str) -> None:
    with pytest.raises(Problem, match=told.replace("(", r"\(").replace("?", r"\?")):
        read_answers(line, "answers")


def test_answers_may_be_json_too() -> None:
    text = (
        '{"url": "http://a.test/", "label": "up"}\n{"url": "http://b.test/", "label": false}\n{"url": "http://c.test/"}'
    )
    assert read_answers(text, "answers") == {"http://a.test/": True, "http://b.test/": False}


def test_a_crawl_that_runs_learns_at_once(aside: Aside, tmp_path: Path) -> None:
    """The crawl ends only by its budget, far away: what it has learned, it has learned while it ran."""
    port, folder = aside(serve(WEB)).port, tmp_path / "run"
    words = f"crawl http://a.test/ --topic 'wolf spider' --via 127.0.0.1:{port} --delay 0 --adapt 0 --out {folder}"
    call = [sys.executable, "-m", "wolfspider", *shlex.split(words), "--set", "patience=1"]
    with subprocess.Popen([*call, "--max-wait", "600"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as crawl:
        try:
            until = time.monotonic() + TIME
            asked: list[wolfspider.PageQuestion] = []
            while len(asked) < 3:
                assert time.monotonic() < until
                time.sleep(0.05)
                with suppress(Problem):  # it has not begun yet
                    asked = wolfspider.questions(folder, 3)
            wolfspider.label(folder, {each.url: False for each in asked})
            while not labels(folder).keys() >= {each.url for each in asked}:
                assert time.monotonic() < until
                time.sleep(0.05)
        finally:
            crawl.kill()
    assert set(labels(folder).values()) == {False}


def test_labels_of_a_finished_run_are_handed_on_and_rejudge_its_pages(crawled: Path, run: Run, aside: Aside) -> None:
    def exported(*words: str) -> dict[str, Any]:
        _, out, _ = run(shlex.join(("export", str(crawled), *words)))
        return {told["final_url"]: told for told in map(json.loads, out.splitlines())}

    before = exported("--rejudge")
    asked = [each.url for each in wolfspider.questions(crawled, 6)]
    done = wolfspider.label(crawled, dict.fromkeys(asked, False))
    assert (done.up, done.down, done.running, done.taken) == (0, 6, False, True)
    with glimpse(RunView(crawled)) as seen:
        assert seen is not None and len(seen.judge.state()["calibration"]["labels"]) == 6
    after = exported("--rejudge")
    assert after.keys() == before.keys()
    other = next(url for url in after if url not in asked and after[url]["title"].startswith("Mixed"))
    assert after[other]["evidence"]["probability"] < before[other]["evidence"]["probability"]
    assert all(after[url]["label"] is False for url in asked)
    best = list(exported("--rejudge", "--best", "3").values())
    assert [told["score"] for told in best] == sorted((told["score"] for told in after.values()), reverse=True)[:3]
    assert exported("--rejudge", "--relevant").keys() == {url for url in after if after[url]["relevant"]}
    assert [told["final_url"] for told in wolfspider.results(crawled, rejudge=True)] == list(after)
    heir = crawled.with_name("heir")
    port = aside(serve(WEB)).port
    words = f"crawl http://a.test/ --topic 'wolf spider' --via 127.0.0.1:{port} {HASTY} --pages 1 --learned-from"
    code, _, err = run(words, crawled, "--out", heir)
    assert code == 0, err


def test_a_run_without_doubts_says_so(aside: Aside, run: Run, tmp_path: Path) -> None:
    port = aside(serve(WEB)).port
    words = f"crawl http://a.test/ --topic qqq --judge keywords --via 127.0.0.1:{port} {HASTY} --pages 3 --out"
    run(words, tmp_path / "run")
    code, out, _ = run("label", tmp_path / "run")
    assert code == 0 and "nothing to ask" in out
    code, _, err = run("label", tmp_path / "none")
    assert code != 0 and "none" in err


def test_an_excerpt_is_the_passage_with_most_words_of_the_topic() -> None:
    text = "bread " * 400 + "spider " + "bread " * 400 + "the Wolf spiders' burrow " + "bread " * 400
    shown, met = excerpt(text, {"wolf", "burrow", "spider"})
    assert "Wolf spiders' burrow" in shown and shown.startswith("…") and len(shown) <= 400
    assert met == ["burrow", "spider", "wolf"]
    assert excerpt("", {"wolf"}) == ("", [])
    assert excerpt("nothing here", {"wolf"}) == ("nothing here", [])
