"""How a run stands: the same numbers and the same words on the screen, in the summary, in `status` and in an export."""

from __future__ import annotations

import json
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from small_web import BREAD, SPIDERS, SmallWeb, page
from wolfspider.core.events import Gauge, Landed, Pause, Postponed
from wolfspider.core.limits import AT_ONCE
from wolfspider.core.model import Failure, Link, Outcome, Page, Verdict, Visit
from wolfspider.store.inbox import append_command
from wolfspider.store.page_count import PageCount
from wolfspider.store.view import Further, RunView
from wolfspider.terminal import outlook_words, standing
from wolfspider.terminal.crawl_screen import NAMED, CrawlTally, _rates
from wolfspider.terminal.progress import progress
from wolfspider.web.server.serve import Manner, serve

HASTY = "--delay 0 --adapt 0 --tries 1 --disk-floor 0"
TIME = 40.0
pytestmark = pytest.mark.usefixtures("bare_environment")
Run = Callable[..., tuple[int, str, str]]
Aside = Callable[[Any], Any]

NOINDEX = '<meta name="robots" content="noindex">'
EVERY_CASE = SmallWeb(
    {
        "http://a.test/": page(
            "Start",
            SPIDERS,
            *("/good", "/twin", "/secret", "/quiet", "/old", "/older", "/bread", "/gone", "http://b.test/"),
        ),
        "http://a.test/good": page("Good", SPIDERS),
        "http://a.test/twin": page("Good", SPIDERS),  # the same text at another address
        "http://a.test/secret": page("Secret", SPIDERS, head=NOINDEX),
        "http://a.test/quiet": page("Quiet", BREAD, head=NOINDEX),
        "http://a.test/bread": page("Bread", BREAD),
        "http://a.test/leapt": page("Found by a leap alone", SPIDERS),
        "http://a.test/map.txt": (200, {"content-type": "text/plain"}, b"http://a.test/leapt\n"),
        "http://b.test/": page("A host of its own that is never exported", SPIDERS, head=NOINDEX),
        "http://liked.test/": page("Liked", SPIDERS),
    },
    {"http://a.test/old": "http://a.test/good", "http://a.test/older": "http://a.test/good"},
)
# Follows every link, asks a Source first, and visits every page again.
MINE = """
import math
from wolfspider import Link, Strategy

class Mine(Strategy):
    name, paper = "mine", "none"

    def begin(self, seeds, now):
        self.queue = [["leap:wolf spiders", False], *([link.url, False] for link in seeds)]
        self.known = [url for url, _ in self.queue]

    def seeds(self, links):
        self.queue += [[link.url, False] for link in links]

    def propose(self, room, now):
        taken = [entry for entry in self.queue if room.take(Link(entry[0]), entry[1])]
        self.queue = [entry for entry in self.queue if entry not in taken]
        return [self.visit(Link(url), fresh=fresh) for url, fresh in taken]

    def observe(self, outcome):
        page = outcome.page
        if page is None:
            return
        if not outcome.visit.fresh and outcome.verdict is not None:
            self.queue.append([outcome.visit.link.url, True])
        for link in page.links:
            if link.url not in self.known:
                self.known.append(link.url)
                self.queue.append([link.url, False])

    def wake(self, now):
        return math.inf if self.queue else None
"""


def numbers(run: Run, folder: Path, out: str, err: str) -> set[tuple[int, ...]]:
    """Pages, relevant ones, and those of both kinds that ask not to be indexed, as everybody tells them."""
    gauge = [json.loads(line) for line in out.splitlines() if '"gauge"' in line][-1]
    status = json.loads(run("status --json", folder)[1])
    told = [tuple(source[name] for name in PageCount._fields) for source in (gauge, status, status["gauge"])]
    said = re.search(
        r"(\d+) pages from 1 host, (\d+) of them relevant \(.*?\); (\d+) more pages \((\d+) relevant\) ask not to",
        err,
    )
    assert said and said[0] in run("status", folder)[1]
    told.append((*map(int, said.groups()), 0))
    exported: list[int] = []
    for relevant in ("", "--relevant"):
        _, lines, sentence = run(f"export {relevant}", folder)
        withheld = re.search(r"(\d+) more left out", sentence)
        exported += [lines.count("\n"), int(withheld[1]) if withheld else 0]
    told.append((exported[0], exported[2], exported[1], exported[3], 0))
    return set(told)


def test_screen_summary_status_and_export_count_the_same_pages(aside: Aside, run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    folder = tmp_path / "run"
    words = (
        f"crawl http://a.test/ --topic 'wolf spiders' --like http://liked.test/ --strategy {tmp_path / 'mine.py'} "
        f"--leaps sitemap:http://a.test/map.txt --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY} --contact "
        "me@example.org --json --out"
    )
    code, out, err = run(words, folder)
    assert code == 0
    landed = [json.loads(line) for line in out.splitlines() if '"landed"' in line]
    assert sum(one.get("final_url") == "http://a.test/good" for one in landed) == 6, "three addresses, twice each"
    assert any(one["url"].startswith("leap:") and "failure" not in one for one in landed)
    # start, good, twin and leapt are relevant, bread is not; secret and b.test are hidden and relevant, quiet is not
    assert numbers(run, folder, out, err) == {(5, 4, 3, 2, 0)}
    run("steer", folder, "label", "http://a.test/old", "down")
    run("steer", folder, "label", "http://a.test/bread", "up")
    run("steer", folder, "label", "http://a.test/twin", "down")
    _, out, err = run("resume --json", folder)
    assert numbers(run, folder, out, err) == {(5, 3, 3, 2, 0)}


# While another process runs it

MANY = SmallWeb(
    {
        f"http://h{host}.test/{number or ''}": page(
            f"Spiders {number}",
            SPIDERS,
            *(f"/{other}" for other in range(1, 9)),
            *(f"http://h{other}.test/" for other in range(13)),
        )
        for host in range(13)
        for number in range(9)
    },
    {},
)


def test_what_is_told_of_a_run_that_has_ended_makes_the_sum_of_its_downloads(
    aside: Aside, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    folder, liked = tmp_path / "run", "--like http://liked.test/ --like http://liked.test/nope"
    words = (
        f"crawl http://a.test/ --topic 'wolf spiders' {liked} --strategy {tmp_path / 'mine.py'} "
        f"--leaps sitemap:http://a.test/map.txt --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY} --out"
    )
    said = run(words, folder)[2]
    view = RunView(folder)
    summary = view.summary()
    further = view.further(summary)
    assert further == Further(again=12, answers=1, before=2), "ten addresses twice each are eight pages"
    assert summary.downloads == 8 + 1 + 12 + 1 + 2
    told = (
        "failures: 1 x 404 Not Found; further downloads: 12 x the same page again, 2 x a page that --like names, 1 x a "
        "search, feed or sitemap.\n"
    )
    assert told in said and told in run("status", folder)[1]


def test_tries_answers_and_failures_that_cost_nothing_are_in_the_sum() -> None:
    told = standing.found(PageCount(9, 7), 2, 14, {"404 Not Found": 3}, further=Further(0, 4, 1, 0, 2))
    assert told.endswith(
        "failures: 3 x 404 Not Found (2 cost no download); further downloads: 4 x another try, 1 x a search, feed or "
        "sitemap."
    )


def until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + TIME
    while not (found := holds()):
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)
    return found


def crowded(one: Gauge) -> bool:
    """Are more visits out than there are slots?"""
    return one.in_flight + sum(one.waiting.values()) > 4


def test_status_of_a_run_that_another_process_has(aside: Aside, run: Run, tmp_path: Path) -> None:
    served, folder = aside(serve(MANY, manner=Manner(latency=0.3))), tmp_path / "run"
    words = f"crawl http://h0.test/ --topic spiders --via 127.0.0.1:{served.port} --slots 4 --pages 100 --quiet --out"
    with subprocess.Popen([sys.executable, "-m", "wolfspider", *words.split(), str(folder)]) as crawl:
        try:
            until(lambda: (folder / "run.db").exists() and (folder / "run.json").exists())
            gauge = until(lambda: next(filter(crowded, RunView(folder).gauges()), None))
            told = json.loads(run("status --json", folder)[1])
            _, shown, _ = run("status", folder)
        finally:
            crawl.terminate()
            crawl.wait(TIME)
    assert gauge.budget == 100 and told["running"] and told["ended"] is None and told["gauge"]["event"] == "gauge"
    assert shown.startswith("The run is going on.\n") and " of 100 downloads, " in shown
    assert re.search(r"\d in flight|waiting for hosts to rest", shown) and "resting" in shown
    kept = RunView(folder).gauges()
    assert all(one.in_flight <= 4 for one in kept), "no more requests are under way than there are slots"
    assert gauge.waiting.keys() <= standing.WAITS.keys()
    assert kept[-1].state == "ended" and [one.at for one in kept] == sorted(one.at for one in kept)
    assert json.loads(run("status --json", folder)[1])["running"] is False
    shown = run("status", folder)[1]
    assert re.match(r"Ended by you after \d+ downloads?; nothing is lost\.\n\d+ of 100 downloads\n", shown)
    assert f"Resume it by: wolfspider resume {folder}\n" in shown


def test_downloads_and_what_they_brought_are_told_of_one_moment(
    aside: Aside, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    words = f"--topic 'wolf spiders' --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY} --quiet --out"
    run(f"crawl http://a.test/ {words}", folder)
    downloads = RunView(folder).summary().downloads
    older = gauge(at=time.time(), downloads=downloads - 3, rate_minute=2.0)
    monkeypatch.setattr(RunView, "gauge", lambda view: older)
    monkeypatch.setattr(standing, "is_owned", lambda lock: True)
    assert standing.lines(folder, time.time())[1].startswith(f"{downloads} of 500 downloads, 2.0 a second")


def test_who_has_spent_the_megabytes_is_told_a_command_with_more(aside: Aside, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = f"crawl http://a.test/ --topic 'wolf spiders' --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY}"
    _, _, err = run(f"{words} --pages 100 --slots 1 --max-mb 0.0001 --out", folder)
    assert f"Resume it by: wolfspider resume {folder} --max-mb 0.0002\n" in err
    _, _, err = run(f"resume {folder} --max-mb 0.0003")
    assert f"Resume it by: wolfspider resume {folder} --max-mb 0.0006\n" in err


@pytest.mark.parametrize(
    ("pages", "steered", "says", "then"),
    [
        (1, (), "The budget is spent: 1 download.", "Resume it by: wolfspider resume {} --pages 2"),
        (100, (), "No link is left to follow after ", "starting points by: wolfspider steer {} seeds URL, then: "),
        (1, ("exclude", "*"), "(wolfspider steer {} include RULE)", "Resume it by: wolfspider resume {}"),
        (1, ("finish",), "A person finished the run after 1 download: it fetches nothing more.", "The pages: "),
    ],
)
def test_status_says_of_an_ended_run_what_the_crawl_said_at_its_end(
    aside: Aside, run: Run, tmp_path: Path, pages: int, steered: tuple[str, ...], says: str, then: str
) -> None:
    folder = tmp_path / "my run"
    words = f"crawl http://a.test/ --topic 'wolf spiders' --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY}"
    _, _, err = run(f"{words} --pages {pages} --out", folder)
    if steered:
        run("steer --yes", folder, *steered)
        _, _, err = run("resume --pages 10", folder)
    why, budget, *rest = run("status", folder)[1].splitlines()
    told = [line for line in err.splitlines() if not line.startswith("Obeyed: ")]
    assert [why, *rest] == told and budget == f"{RunView(folder).summary().downloads} of " + (
        "10 downloads" if steered else f"{pages} download{'s' * (pages > 1)}"
    )
    quoted = shlex.quote(str(folder))
    assert says.format(quoted) in why and any(then.format(quoted) in line for line in rest)
    assert "over" not in why and "RUN" not in why


def test_status_and_screen_of_a_run_whose_limit_was_lowered_say_so(aside: Aside, run: Run, tmp_path: Path) -> None:
    folder, told = tmp_path / "run", "4 downloads (the page limit was lowered to 2)"
    words = f"crawl http://a.test/ --topic spiders --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY} --pages 4"
    run(f"{words} --out", folder)
    run("resume --pages 2", folder)
    why, budget, *_ = run("status", folder)[1].splitlines()
    assert why == "The budget is spent: 4 downloads." and budget == told
    last, console = RunView(folder).gauge(), Console(width=200)
    assert last is not None and (last.downloads, last.budget) == (4, 2)
    with console.capture() as screen:
        console.print(progress(last.downloads, last.budget, 20))
    assert told in screen.get()


def test_a_run_without_links_says_which_links_it_does_not_follow() -> None:
    def why(nofollow: str) -> str:
        return standing.RunEnd(Path("run"), "done", 1, PageCount(1, 0), nofollow=nofollow).why()

    assert why("obey").endswith(" Links marked nofollow are not followed (--nofollow).")
    assert why("pages").endswith(" Links of pages that say nofollow are not followed (--nofollow).")
    assert "nofollow" not in why("ignore")


def test_a_run_that_has_ended_says_what_its_hurry_cost() -> None:
    end = standing.RunEnd(Path("run"), "budget", 40, PageCount(40, 0), hasty=17)
    assert end.next_steps()[0] == "17 downloads went to lesser links, for the pace that --hurry wants."
    assert not any(
        "hurry" in step for step in standing.RunEnd(Path("run"), "budget", 40, PageCount(40, 0)).next_steps()
    )


def test_status_of_a_paused_run_says_how_to_end_the_pause(aside: Aside, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(
        f"crawl http://a.test/ --topic spiders --via 127.0.0.1:{aside(serve(EVERY_CASE)).port} {HASTY} --pages 1 --out",
        folder,
    )
    append_command(folder, Pause(), "somebody")  # as one that came while the run ended
    with subprocess.Popen(
        [sys.executable, "-m", "wolfspider", "resume", str(folder), "--pages", "5", "--quiet"]
    ) as crawl:
        try:
            until(lambda: any(RunView(folder).events("Obeyed")))
        finally:
            crawl.terminate()
            crawl.wait(TIME)
    assert f"It is paused; end the pause by: wolfspider steer {folder} resume" in run("status", folder)[1]


def test_status_of_what_is_no_run(run: Run, tmp_path: Path) -> None:
    code, out, err = run("status", tmp_path)
    assert code == 3 and out == "" and "is not a run" in err


TAMPERED = {
    "no table": ("DROP TABLE landings", 3),
    "other columns": ("ALTER TABLE held RENAME COLUMN relevant TO x", 3),
    "too large a number": ("UPDATE landings SET cost = 9223372036854775807", 3),
    "a blob": ("UPDATE landings SET failure = x'1bff', detail = x'ff'", 0),
    "a number": ("UPDATE landings SET failure = CASE seq % 2 WHEN 0 THEN 5 ELSE x'1b' END, detail = 7", 0),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_status_of_a_damaged_run_is_a_sentence_or_a_status(name: str, run: Run, tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).parents[1] / "store" / "fixtures" / "format-1.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    (database,) = tmp_path.rglob("run.db")
    statement, expected = TAMPERED[name]
    with sqlite3.connect(database) as connection:
        connection.execute(statement)
    for words in ("status", "status --json"):
        code, out, err = run(words, database.parent)
        assert code == expected and "Traceback" not in err and "\x1b" not in out
        assert ("is damaged" in err) is bool(expected)
        assert expected or words == "status" or json.loads(out)["failures"]


# The words


def gauge(**more: Any) -> Gauge:
    return Gauge(**{"at": 1e9, "state": "fetching", "budget": 500, **more})


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (gauge(in_flight=4, waiting={"turn": 9}), "4 in flight, 9 waiting for their host"),
        (gauge(in_flight=4, waiting={"turn": 1}, frontier=1), "4 in flight, 1 waiting for its host, 1 link to come"),
        (
            gauge(in_flight=4, waiting={"robots": 2, "slot": 5, "unheard of": 1}),
            "4 in flight, 5 waiting for a free slot, 2 for robots.txt, 1 unheard of",
        ),
        (gauge(frontier=1200), "0 in flight, 1,200 links to come"),
        (gauge(state="waiting", waiting={"rest": 2}, next_at=1e9 + 1), "0 in flight, 2 waiting for hosts that rest"),
        (
            gauge(in_flight=4, waiting={"rest": 3, "turn": 1}, postponed={"connection refused": 2}),
            "4 in flight, 3 waiting for hosts that rest (2 x connection refused), 1 for its host",
        ),
    ],
)
def test_visits_in_flight_and_visits_that_wait_are_told_apart(shown: Gauge, says: str) -> None:
    assert standing.visits(shown) == says


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (gauge(hurry=0.0, hasty=3), ""),
        (gauge(hurry=AT_ONCE, hasty=3), ""),
        (gauge(hurry=60, hasty=1), "60 a minute wanted (1 download for"),
        (gauge(hurry=60, hasty=0, rate_minute=1.0, downloads=90), "60 a minute wanted (0 downloads for"),
        (gauge(hurry=60, hasty=7, rate_minute=0.3, downloads=20), "60 a minute wanted (7 downloads for"),
        (
            gauge(hurry=60, hasty=7, rate_minute=0.3, downloads=90),
            "slower than the 60 a minute that --hurry wants (7 downloads for",
        ),
    ],
)
def test_who_is_in_a_hurry_is_told_what_it_costs_and_whether_the_pace_is_kept(shown: Gauge, says: str) -> None:
    assert standing.pace(shown) == (f"{says} lesser links so far)" if says else "")
    assert standing.pace(shown) in standing.visits(shown)


def test_slots_that_wait_for_a_better_host_are_told_with_its_name() -> None:
    waiting = gauge(in_flight=1, giving_way=15, better_host="good.test", better_until=1e9 + 3)
    says = r"1 in flight, 15 slots waiting for a better host \(good\.test, until \d\d:\d\d:43 at most\)"
    assert re.fullmatch(says, standing.visits(waiting))
    assert standing.giving_way(gauge(giving_way=0, better_host="", better_until=None)) == ""


def test_a_host_that_does_not_answer_is_told_at_once_with_its_trouble(run: Run, tmp_path: Path) -> None:
    folder, trouble = tmp_path / "run", "robots.txt could not be read (connection refused)"
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and never listens
        host = f"127.0.0.1:{nobody.getsockname()[1]}"
        words = "--topic spiders --allow-private --max-time 1.5 --disk-floor 0 --out"
        code, _, err = run(f"crawl http://{host}/ {words}", folder)
    assert code == 4 and err.count(f"{host} is in trouble: {trouble}. It must rest for a while.") == 1
    counted = f"Hosts that visits wait for are in trouble: 1 x {trouble}."
    assert counted in err and counted in run("status", folder)[1]
    assert "not back yet: its host was in trouble at 20" in run("explain", folder, f"http://{host}/")[1]
    [visit] = json.loads(run("explain --json", folder, f"http://{host}/")[1])["visits"]
    assert visit["postponed"]["words"] == trouble and visit["outcome"] is None


def test_of_many_hosts_in_trouble_only_some_are_named() -> None:
    tally, refused = CrawlTally(10), Failure("connect", "connection refused")
    hosts = [f"{number}.test" for number in range(9)]
    told = [tally.trouble(Postponed(1.0, Visit(0, Link(f"http://{host}/")), refused)) for host in [*hosts, *hosts]]
    assert [*map(bool, told)] == [True] * NAMED + [False] * (18 - NAMED)
    assert told[0] == "0.test is in trouble: connection refused. It must rest for a while."
    assert told[NAMED - 1].endswith("Other hosts in trouble are only counted from here on.")


def test_where_nothing_but_waiting_happens_it_says_until_when() -> None:
    says = standing.visits(gauge(state="waiting", waiting={"rest": 2, "retry": 1}, next_at=1e9 + 40, frontier=7))
    assert re.fullmatch(r"waiting for hosts to rest: next at \d\d:\d\d:20; 3 visits waiting, 7 links to come", says)


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (None, ""),
        (0.4, "a few seconds left"),
        (9.9, "a few seconds left"),
        (11, "about 20 s left"),
        (50, "about 50 s left"),
        (51, "about 1 min left"),
        (130, "about 2 min left"),
        (5339, "about 89 min left"),
        (5500, "about 2 h left"),
        (36_000, "about 10 h left"),
        (1e6, "about 12 days left"),
    ],
)
def test_the_time_left_is_told_as_coarsely_as_it_is_known(seconds: float | None, says: str) -> None:
    assert standing.left(gauge(left=seconds)) == says


def test_a_crawl_with_few_links_left_may_be_over_sooner() -> None:
    assert standing.left(gauge(left=130, downloads=470, frontier=20, in_flight=4, waiting={"turn": 5})) == (
        "about 2 min left at most"
    )
    assert standing.left(gauge(left=130, downloads=471, frontier=20, in_flight=4, waiting={"turn": 5})) == (
        "about 2 min left"
    )
    assert standing.left(gauge(frontier=0)) == ""


def test_what_a_run_has_is_told_in_words() -> None:
    told = standing.found(PageCount(9, 7, 1, 1), 2, 14, {"404 Not Found": 2})
    assert told == (
        "9 pages from 2 hosts, 7 of them relevant (50 % of the downloads); 1 more page (1 relevant) asks not to be "
        "indexed, and no export has it; failures: 2 x 404 Not Found."
    )
    assert standing.found(PageCount(1, 0, 2), 1, 3, {}) == (
        "1 page from 1 host, 0 of them relevant (0 % of the downloads); 2 more pages ask not to be indexed, and no "
        "export has them; failures: none."
    )


FEW = "a share of fewer than 10 relevant pages says nothing"


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (gauge(), ""),
        (gauge(until=0.9), "the end you asked for (--until 90%) is not reached yet"),
        (
            gauge(until=0.9, enough_in=275),
            "the end you asked for (--until 90%) is reached by estimate; waiting 275 more downloads to be sure",
        ),
        (
            gauge(until=1.0, enough_in=1),
            "the end you asked for (--until dry) is reached by estimate; waiting 1 more download to be sure",
        ),
        (gauge(until=1.0, enough_in=0), ""),
        (
            gauge(until=0.9, enough_lacks=9),
            f"the end you asked for (--until 90%) is not reached yet: {FEW}, so 9 more must be found first",
        ),
    ],
)
def test_what_until_asks_for_is_told_with_the_wait_to_be_sure(shown: Gauge, says: str) -> None:
    assert outlook_words.awaited(shown) == says
    told = outlook_words.prospects(shown, None)
    assert told == ([f"The{says[3:]}."] if says else [])


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (gauge(until=0.9), "was not reached."),
        (gauge(until=0.9, enough_lacks=9), f"was not reached: {FEW}."),
        (gauge(until=0.9, enough_in=0), "was reached, too, by estimate."),
        (
            gauge(until=0.9, enough_in=275),
            "was reached by estimate, but not to be sure: that would have taken 275 more downloads.",
        ),
    ],
)
def test_a_crawl_that_is_over_says_what_became_of_until_and_waits_for_nothing(shown: Gauge, says: str) -> None:
    assert outlook_words.prospects(shown, "budget") == [f"The end you asked for (--until 90%) {says}"]
    assert outlook_words.prospects(shown, "enough") == [], "that is why it ended, and said there"
    assert outlook_words.prospects(gauge(), "budget") == []


def test_a_share_of_what_is_not_known_is_said_to_be_out_of_reach() -> None:
    told = outlook_words.awaited(gauge(until=0.9, lately=2, coming=1.0))
    assert told.startswith("the end you asked for (--until 90%) cannot be reached: how many") and "--until dry" in told
    assert outlook_words.awaited(gauge(until=1.0, lately=2, coming=1.0)).endswith("is not reached yet")
    assert outlook_words.awaited(gauge(until=0.9, lately=2, coming=1.0, unfound=3.0)).endswith("is not reached yet")


def test_what_is_found_is_not_rounded_up_and_one_is_no_plural() -> None:
    assert "downloads); 2 pages were cut; failures" in standing.found(PageCount(9, 7, truncated=2), 2, 14, {})
    assert "; 1 page was cut; failures" in standing.found(PageCount(9, 7, truncated=1), 2, 14, {})
    shown = gauge(lately=1, coming=0.4, coming_low=0.0, coming_high=1.2, relevant=996, unfound=4.6)
    assert outlook_words.coming(shown) == (
        "1 of the last 100 downloads was relevant, of the next 100 probably about 0 (0 to 2)"
    )
    assert outlook_words.unfound(shown) == "relevant pages left within reach: about 5, so 99 % found"


def test_forgotten_pages_are_told_and_what_was_counted_with_them_is_not() -> None:
    told = standing.found(PageCount(9, 7), 2, 14, {}, 25)
    assert told.endswith("(50 % of the downloads); 25 pages were forgotten; failures: none.")
    assert "1 page was forgotten" in standing.found(PageCount(9, 7), 2, 14, {}, 1)
    shown = gauge(lately=1, coming=0.4, relevant=9, unfound=4.6, until=0.9)
    assert len(outlook_words.prospects(shown, "budget", 1e9 - 1)) == 3
    assert outlook_words.prospects(shown, "budget", 1e9 + 1) == []
    outlook = outlook_words.outlook_of(shown, 1e9 + 1)
    assert outlook is not None and outlook.pop("until") == 0.9 and set(outlook.values()) == {None}


def test_the_newest_pages_on_the_screen_are_of_different_addresses() -> None:
    def landed(asked: str, score: float) -> Landed:
        found = Page(asked, "http://a.test/", f"by {asked}")
        outcome = Outcome(Visit(1, Link(asked)), found, Verdict(score, score > 0.5), 1, 0.1, 1e9)
        return Landed(1e9, outcome, "out", 1)

    tally = CrawlTally(10)
    for asked, score in (("http://a.test/old", 0.8), ("http://a.test/", 0.9)):
        tally.hear(landed(asked, score))
        assert list(tally.newest) == [(score, f"by {asked}", "http://a.test/")]
    tally.hear(landed("http://a.test/", 0.1))
    assert not tally.newest, "its last verdict counts"


def test_what_was_found_lately_is_one_figure() -> None:
    tally = CrawlTally(300)
    assert "lately" not in _rates(tally), "nothing is known yet, as after a resume"
    shown = gauge(downloads=182, relevant=62, lately=57, coming=40.0)
    tally.hear(shown)
    page = Page("http://a.test/", "http://a.test/")
    again = Outcome(Visit(1, Link("http://a.test/")), page, Verdict(0.9, True), 1, 0.1, 1e9)
    for number in range(100):  # downloads since then
        tally.hear(Landed(1e9, again, "out", 183 + number))
    assert _rates(tally).startswith("62 relevant, harvest rate 34 % (lately 57 %), ")
    assert outlook_words.coming(shown).startswith("57 of the last 100 downloads")


def test_the_screen_knows_of_a_crawl_what_its_events_tell() -> None:
    tally = CrawlTally(10)
    assert tally.fetching() == "fetching nothing yet" and tally.now is None
    tally.hear(gauge(in_flight=2, longest="http://a.test/", longest_since=1e9 - 30, longest_deadline=60.0, relevant=3))
    assert re.fullmatch(r"fetching 2, the longest for 3\d s of 60 s: http://a.test/", tally.fetching())
    assert tally.pages == 500 and tally.count.relevant == 3
