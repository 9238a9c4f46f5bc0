"""The interface of the dashboard without a browser: what it answers is what runs hold, and is as it is described."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from dashboard_client import Client, dashboard, served, wait_for
from hunting_ground import SEED, TOPIC, HuntingGround
from wolfspider.app.steering import VERBS
from wolfspider.dashboard.endpoints import ENDPOINTS
from wolfspider.dashboard.openapi import NOT_JSON, description

pytest.importorskip("starlette", reason="the extra `dashboard` is not installed")

SETTINGS = "delay = 0\ndisk_floor = 0\nsnapshots = 1\nbackoff = 0.1\n"
PAGES = 80
REFUSED = {"/api/runs/{name}/news", "/api/runs/{name}/spider"}  # of a run that is neither a watch nor a spider's


class Place(NamedTuple):
    """A dashboard of a folder, and how crawls of the hunting ground are made there."""

    client: Client
    folder: Path
    words: list[str]
    template: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("dashboard")
    config, folder, template = base / "all.toml", base / "runs", base / "template"
    config.write_text(SETTINGS, encoding="utf-8")
    folder.mkdir()
    with served(HuntingGround()) as ground:
        words = ["--config", str(config), "--via", ground]
        more = ["--quiet", "--topic", TOPIC, "--pages", str(PAGES), "--out", str(template), SEED]
        subprocess.run([sys.executable, "-m", "wolfspider", "crawl", *words, *more], check=True, timeout=300)
        with dashboard(folder, *words) as client:
            yield Place(client, folder, words, template)
            for line in client.get("/api/runs")["runs"]:
                if line["running"]:
                    with suppress(AssertionError):  # it ended meanwhile
                        client.say(line["name"], "stop")


@pytest.fixture
def client(place: Place) -> Client:
    return place.client


@pytest.fixture
def name(place: Place, request: pytest.FixtureRequest) -> str:
    """A run of its own for each test, which has ended."""
    made = request.node.name[:100]
    shutil.copytree(place.template, place.folder / made)
    return str(made)


@pytest.fixture
def path(name: str) -> str:
    return f"/api/runs/{name}"


def resumed(client: Client, path: str) -> None:
    """It goes on, slowly enough to be steered."""
    client.post(f"{path}/commands", {"verb": "limit", "words": ["delay=0.3"]})
    client.post(f"{path}/resume", {"pages": 5000})
    wait_for(lambda: client.get(path)["state"] == "fetching")
    wait_for(lambda: {each["name"]: each["value"] for each in client.get(path)["limits"]}["pages"] == 5000)


def exported(run: Any, folder: Path, *words: str) -> list[dict[str, Any]]:
    code, out, err = run("export --quiet", folder, *words)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def checked(method: str, path: str, answer: Any, status: int = 200) -> Any:
    """An answer, if it is as the description says."""
    said = description()
    operation = said["paths"][path][method.lower()]
    content = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**content, "components": said["components"]}).validate(answer)
    return answer


def test_numbers_are_those_of_the_export(client: Client, place: Place, name: str, path: str, run: Any) -> None:
    pages = exported(run, place.folder / name)
    relevant = [page for page in pages if page["relevant"]]
    assert len(pages) > len(relevant) > 0
    (line,) = [each for each in client.get("/api/runs")["runs"] if each["name"] == name]
    assert (line["pages"], line["relevant"], line["downloads"]) == (len(pages), len(relevant), PAGES)
    assert (line["state"], line["reason"], line["running"]) == ("ended", "budget", False)
    state = client.get(path)
    assert (state["status"]["pages"], state["status"]["relevant"]) == (len(pages), len(relevant))
    series = client.get(f"{path}/series")
    assert (series["downloads"][-1], series["pages"][-1], series["relevant"][-1]) == (PAGES, len(pages), len(relevant))
    assert series["cumulative"][-1] == pytest.approx(len(relevant) / PAGES, abs=1e-4)
    for kind, those in (("accepted", relevant), ("rejected", [page for page in pages if not page["relevant"]])):
        listed = every_page(client, path, kind)
        assert {page["url"] for page in listed} == {page["final_url"] for page in those}
        assert len(listed) == len(those)
    hosts = client.get(f"{path}/hosts?limit=1000")["hosts"]
    assert sum(host["fetched"] for host in hosts) == len(pages)
    assert client.get(f"{path}/hosts?limit=1")["with_pages"] == state["status"]["hosts"]
    assert sum(host["relevant"] for host in hosts) == len(relevant)
    for host in hosts:
        for kind, count in (("fetched", host["fetched"]), ("failed", sum(host["refused"].values()))):
            assert len(client.get(f"{path}/pages?kind={kind}&host={host['host']}&limit=1000")["pages"]) == count
    failures = client.get(f"{path}/failures")["failures"]
    failed = every_page(client, path, "failed")
    assert sum(failure["count"] for failure in failures) == len(failed) > 0
    assert all(failure["what_to_do"] for failure in failures)
    for failure in failures:  # every number opens the list behind it
        reason = failure["reason"].replace(" ", "%20")
        behind = client.get(f"{path}/pages?kind=failed&limit=1000&reason={reason}")["pages"]
        assert len(behind) == failure["count"]
        assert {each["reasons"][0].partition(" (")[0] for each in behind} == {failure["reason"].partition(" (")[0]}


def every_page(client: Client, path: str, kind: str) -> list[Any]:
    """By small steps."""
    found: list[Any] = []
    before = ""
    while True:
        answer = client.get(f"{path}/pages?kind={kind}&limit=7{before and f'&before={before}'}")
        found += answer["pages"]
        if not answer["more"]:
            return found
        before = answer["next"]


def test_every_answer_is_as_it_is_described(client: Client, place: Place, name: str, path: str) -> None:
    good = client.get(f"{path}/pages?kind=accepted")["pages"][0]["url"]
    asked = {
        f"{path}/explain": f"?url={good}",
        f"{path}/page": f"?url={good}",
        f"{path}/spider/links": f"?url={good}",
        f"{path}/map/page": "?page=0",
        f"{path}/territory": "?agent=",
        "/api/compare": f"?runs={name},{name}",
    }
    told = description()["paths"]
    tried = set()
    for endpoint in ENDPOINTS:
        there = endpoint.path.replace("{name}", name)
        if endpoint.method == "GET" and endpoint.path not in REFUSED:
            checked("GET", endpoint.path, client.get(there + asked.get(there, "")))
            tried.add(endpoint.path)
    assert {endpoint.path for endpoint in ENDPOINTS} | set(NOT_JSON) == set(told)
    assert not (place.folder / name / "search.db").exists()  # who only asks leaves nothing behind
    words = {"q": 'spiders "wolf spiders" -bread', "relevant": True}
    assert checked("POST", "/api/runs/{name}/search", client.post(f"{path}/search", words))["found"]
    plan = checked(
        "POST", "/api/runs/check", client.post("/api/runs/check", {"topic": TOPIC, "seeds": [SEED], "scope": "hosts"})
    )
    assert (
        plan["include"] == ["garden-notes.test"] and plan["starts"] == [SEED] and "wolfspider crawl" in plan["command"]
    )
    hosts = [each["host"] for each in client.get(f"{path}/hosts")["hosts"]]
    previews = {host: client.post(f"{path}/preview", {"verb": "exclude", "words": [host]}) for host in hosts}
    host, would = max(previews.items(), key=lambda each: each[1]["removes"])  # one with links that wait
    checked("POST", "/api/runs/{name}/preview", would)
    assert would["removes"] == sum(would["hosts"].values()) >= len(would["examples"]) > 0
    assert all(host in url for url in would["examples"])
    text = client.get(f"{path}/page?url={good}")
    assert "spiders" in text["text"] and "<" not in text["text"]
    report = client.ask("GET", f"{path}/report")
    assert report.status == 200 and "sandbox" in report.headers["content-security-policy"]
    assert f'wolfspider_downloads{{run="{name}"}} {PAGES}'.encode() in client.ask("GET", "/metrics").body
    answer = client.ask("GET", f"{path}/news")
    assert answer.status == 404 and "watch" in answer.json["problem"]


@pytest.mark.slow
def test_a_crawl_is_started_tried_watched_steered_and_resumed(client: Client) -> None:
    body = {"topic": TOPIC, "seeds": [SEED], "test": True, "set": {"spread": 0.5}}
    name = checked("POST", "/api/runs", client.post("/api/runs", body, 201), 201)["name"]
    assert name == "wolf-spiders-lycosidae-burrow-hunting-egg-sac-test"
    path = f"/api/runs/{name}"
    wait_for(lambda: _state(client, name) == "ended")
    state = client.get(path)
    assert state["status"]["downloads"] == 50 and state["test"]
    (spread,) = [each for each in state["params"] if each["name"] == "spread"]
    assert (spread["value"], spread["set_by"]) == (0.5, "when it was begun")
    # the real one, from where the test ended, slowly enough to be steered
    said = client.say(name, "limit", "delay=0.5")
    assert said["obeyed"] is None and "resumed" in said["answer"]
    assert client.get(f"{path}/commands")["commands"][-1]["obeyed"] is None
    checked("POST", "/api/runs/{name}/resume", client.post(f"{path}/resume", {"pages": 600}))
    wait_for(lambda: _state(client, name) == "fetching")
    moved = client.say(name, "set", "spread=1.5")
    checked("POST", "/api/runs/{name}/commands", moved)
    assert moved["obeyed"] and moved["old"] == 0.5 and moved["undo"] == {"verb": "set", "words": ["spread=0.5"]}
    (spread,) = [each for each in client.get(path)["params"] if each["name"] == "spread"]
    assert spread["value"] == 1.5 and " on " in spread["set_by"] and spread["set_at"]
    back = checked("POST", "/api/runs/{name}/undo", client.post(f"{path}/undo", {"number": moved["number"]}))
    assert back["obeyed"] and back["text"] == "set spread=0.5"
    refused = client.ask("POST", f"{path}/undo", json.dumps({"number": moved["number"]}).encode())
    assert refused.status == 409 and "since" in refused.json["problem"]
    marks = client.get(f"{path}/series")["marks"]
    assert [mark["text"] for mark in marks][-2:] == ["set spread=1.5", "set spread=0.5"]
    assert client.say(name, "pause")["obeyed"]
    wait_for(lambda: _state(client, name) == "paused")
    assert client.get(path)["advice"][0]["action"] == {"kind": "command", "verb": "resume", "words": []}
    refused = client.ask("POST", f"{path}/commands", json.dumps({"verb": "finish", "words": []}).encode())
    assert refused.status == 409 and "confirm" in refused.json["problem"]
    assert client.say(name, "finish", confirm=True)["obeyed"]
    wait_for(lambda: _state(client, name) == "ended")
    assert client.get(path)["reason"] == "finished"


def _state(client: Client, name: str) -> str:
    return next((str(line["state"]) for line in client.get("/api/runs")["runs"] if line["name"] == name), "")


@pytest.mark.slow
def test_every_verb_of_steer_is_taken_and_each_undo_leaves_the_crawl_as_it_was(
    client: Client, name: str, path: str
) -> None:
    """Also what nothing takes back says so."""
    resumed(client, path)
    page = client.get(f"{path}/pages?kind=rejected")["pages"][0]["url"]
    before = _set_as(client, path)
    said = {
        "set": ["spread=0.7"],
        "limit": ["slots=3"],
        "topic": ["sourdough, rye"],
        "pause": [],
        "exclude": ["oven-letters.test"],
        "seeds": ["http://comet-log.test/3"],
        "label": [page, "up"],
    }
    back: dict[str, Any] = {}
    for verb, words in said.items():
        answer = client.say(name, verb, *words, confirm=True)
        assert answer["obeyed"], answer
        back[verb] = answer
    assert {verb for verb, answer in back.items() if answer["undo"] is None} == {"seeds", "label"}
    assert client.say(name, "label", page, "down")["undo"] == {"verb": "label", "words": [page, "up"]}
    assert client.say(name, "label", "oven-letters.test", "down")["obeyed"]
    labels = {each["host"]: each["label"] for each in client.get(f"{path}/hosts?limit=1000")["hosts"]}
    assert labels.pop("oven-letters.test") is False and {*labels.values()} == {None}
    (rule,) = client.get(path)["scope"]
    assert (rule["allowed"], rule["rule"], rule["number"]) == (False, "oven-letters.test", back["exclude"]["number"])
    for verb in reversed(said):
        answer = client.ask("POST", f"{path}/undo", json.dumps({"number": back[verb]["number"]}).encode())
        assert (answer.status == 200) == (back[verb]["undo"] is not None), answer
    assert _set_as(client, path) == before
    included = client.say(name, "include", "oven-letters.test")
    assert included["obeyed"] and included["undo"] is None  # an exception that nothing takes back
    assert set(VERBS) - set(said) == {"resume", "include", "finish", "stop"}
    assert client.say(name, "resume")["obeyed"]
    assert client.say(name, "stop")["obeyed"]
    wait_for(lambda: client.get(path)["state"] == "ended")


@pytest.mark.slow
def test_an_undo_that_would_end_the_crawl_is_confirmed_first(client: Client, name: str, path: str) -> None:
    client.say(name, "limit", "pages=4000")
    client.say(name, "limit", "delay=0.3")
    client.post(f"{path}/resume", {})
    wait_for(lambda: client.get(path)["state"] == "fetching")
    (mark,) = [each for each in client.get(f"{path}/series")["marks"] if each["text"] == "limit pages=4000"]
    assert mark["undo"] == {"verb": "limit", "words": [f"pages={PAGES}"]}
    body = {"number": mark["number"]}
    asked = client.ask("POST", f"{path}/undo", json.dumps(body).encode())
    assert asked.status == 409 and "the crawl would end" in asked.json["problem"] and "confirm" in asked.json["problem"]
    assert client.get(path)["running"]
    assert client.post(f"{path}/undo", {**body, "confirm": True})["obeyed"]
    wait_for(lambda: client.get(path)["state"] == "ended")


def _set_as(client: Client, path: str) -> Any:
    state = client.get(path)
    values = {each["name"]: each["value"] for each in state["params"] + state["limits"]}
    return values, state["topic"], state["scope"]


@pytest.mark.slow
def test_a_run_at_rest_takes_labels_in(client: Client, name: str, path: str) -> None:
    asked = client.get(f"{path}/questions?count=3")["questions"]
    assert len(asked) == 3
    before = client.get(path)["status"]["relevant"]
    page = next(page for page in client.get(f"{path}/pages?kind=rejected")["pages"])
    answer = client.say(name, "label", page["url"], "up")
    assert answer["obeyed"] and not answer["running"]
    assert client.get(path)["status"]["relevant"] == before + 1
    (labelled,) = [each for each in client.get(f"{path}/pages?kind=accepted")["pages"] if each["url"] == page["url"]]
    assert labelled["label"] is True and labelled["reasons"] == ["A person says that it is relevant."]


@pytest.mark.slow
def test_labels_for_a_run_at_rest_are_taken_in_together_and_hold_up_no_reader(
    client: Client, name: str, path: str
) -> None:
    urls = [page["url"] for page in client.get(f"{path}/pages?kind=rejected&limit=9")["pages"]]
    with ThreadPoolExecutor(len(urls)) as pool:
        answers = [pool.submit(client.say, name, "label", url, "up") for url in urls]
        time.sleep(0.5)
        assert client.get("/api/runs")["runs"]
        assert sum(answer.done() for answer in answers) < len(urls) - 1  # it was answered while they waited
        assert all(answer.result()["obeyed"] for answer in answers)


@pytest.mark.slow
def test_starts_at_once_never_take_one_name(client: Client) -> None:
    body = {"topic": "at once", "seeds": [SEED], "pages": 5}
    with ThreadPoolExecutor(3) as pool:
        names = [answer["name"] for answer in pool.map(lambda _: client.post("/api/runs", body, 201), range(3))]
    assert sorted(names) == ["at-once", "at-once-2", "at-once-3"]
    wait_for(lambda: not any(each["running"] for each in client.get("/api/runs")["runs"] if each["name"] in names))


@pytest.mark.slow
def test_the_death_of_the_dashboard_does_not_touch_a_crawl(place: Place, name: str, path: str) -> None:
    with dashboard(place.folder, *place.words) as first:
        resumed(first, path)
        spent = first.get(path)["gauge"]["downloads"]
        first.process.send_signal(signal.SIGKILL)
    with dashboard(place.folder / name) as second:
        assert second.view == f"/run/{name}"
        wait_for(lambda: second.get(path)["gauge"]["downloads"] > spent + 5)
        assert second.get(path)["running"]
        assert second.get(f"{path}/series")["downloads"][0] == 0  # all history is there
        assert second.say(name, "stop")["obeyed"]


@pytest.mark.slow
def test_what_happens_is_told_as_it_happens(client: Client, name: str, path: str) -> None:
    client.say(name, "limit", "delay=0.3")
    with socket.create_connection(("127.0.0.1", client.port), timeout=60) as sock:
        who = f"Host: {client.host}\r\nAuthorization: Bearer {client.token}"
        head = f"GET /api/events?run={name} HTTP/1.1\r\n{who}\r\n\r\n"
        sock.sendall(head.encode())
        stream = sock.makefile("rb")
        seen: dict[str, Any] = {}
        client.post(f"{path}/resume", {"pages": 5000})
        until = time.monotonic() + 60
        said = False
        obeyed: list[str] = []
        while not {"hello", "gauge", "page", "running", "ended"} <= seen.keys() and time.monotonic() < until:
            line = stream.readline().decode()
            if line.startswith("event: "):
                kind = line[7:].strip()
                seen[kind] = json.loads(stream.readline().decode().partition(": ")[2])
                obeyed += [seen[kind]["text"]] if kind == "obeyed" else []
            if "page" in seen and not said:
                said = True
                client.say(name, "set", "spread=0.9")
                client.say(name, "stop")
        assert seen["hello"]["run"] == name
        assert seen["page"]["url"].startswith("http://")
        assert obeyed[-2:] == ["set spread=0.9", "stop"]
        assert seen["ended"]["running"] is False


def test_what_cannot_be_started_is_a_sentence(client: Client, place: Place, name: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "What is wanted?"),
        ({"topic": TOPIC}, "Where shall the crawl start?"),
        ({"topic": TOPIC, "seeds": ["not an address"]}, "address"),
        ({"topic": TOPIC, "seeds": [SEED], "strategy": "hunted"}, "There is no strategy 'hunted'"),
        ({"topic": TOPIC, "seeds": [SEED], "strategy": "/tmp/own.py"}, "terminal"),
        ({"topic": TOPIC, "seeds": [SEED], "judge": "own.py:Mine"}, "terminal"),
        ({"topic": TOPIC, "seeds": [SEED], "liked": ["/etc/passwd"]}, "terminal"),
        ({"topic": TOPIC, "seeds": [SEED], "set": {"spread": 99}}, "at most"),
        ({"topic": TOPIC, "seeds": [SEED], "limits": {"record": "/tmp/x"}}, "no limit"),
        ({"topic": TOPIC, "seeds": [SEED], "preset": "fast"}, "preset"),
        ({"topic": TOPIC, "seeds": [SEED], "name": "../up"}, "name"),
        ({"topic": TOPIC, "seeds": [SEED], "name": name}, "already"),
        ({"topic": TOPIC, "seeds": [SEED], "learned_from": "../runs/spiders"}, "no run"),
        ({"topic": TOPIC, "seeds": [SEED], "pages": 0}, "pages"),
        ({"topic": "a\u0007b", "seeds": [SEED]}, "topic"),
    ]
    before = sorted(path.name for path in place.folder.iterdir())
    for body, words in wrong:
        for path in ("/api/runs/check", "/api/runs"):
            answer = client.ask("POST", path, json.dumps(body).encode())
            assert answer.status in (404, 422) and words in answer.json["problem"], (body, answer)
            assert "--" not in answer.json["problem"] or words == "terminal"  # a page has no options
    assert sorted(path.name for path in place.folder.iterdir()) == before


def test_a_run_that_could_not_be_begun_says_why(client: Client) -> None:
    client.post("/api/runs", {"name": "gone", "liked": [f"{SEED}there/is/none"], "pages": 20}, 201)
    wait_for(lambda: not client.get("/api/runs/gone")["running"])
    told = client.get("/api/runs/gone")
    assert told["state"] == "unbegun" and "None of the pages you like could be had" in told["reason"]
    assert [each["action"]["kind"] for each in told["advice"]] == ["said", "resume"]
    assert told["reason"] in told["advice"][0]["text"]
    (line,) = [each for each in client.get("/api/runs")["runs"] if each["name"] == "gone"]
    assert line["reason"] == told["reason"]
    assert client.get("/api/runs/gone/queue")["note"].startswith("No link was written down yet")


def test_without_the_extra_it_says_what_to_install(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, out, err = run("dashboard", tmp_path)
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert 'pip install "wolfspider[dashboard]"' in err and "make extras" in err


@pytest.mark.slow
def test_a_dashboard_beside_a_crawl_ends_with_it_and_never_ends_it(place: Place, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wolfspider", "crawl", "--dashboard", *place.words, "--topic", TOPIC]
    more = ["--pages", "150", "--out", str(tmp_path / "hunt"), SEED]
    with subprocess.Popen([*words, *more], stderr=subprocess.PIPE, text=True) as crawl:
        assert crawl.stderr is not None
        said = crawl.stderr.readline()
        beside = Client("".join(said.partition("http://")[1:]).split()[0], crawl)
        assert beside.view == "/run/hunt"
        (child,) = wait_for(lambda: children_of(crawl.pid))
        wait_for(lambda: client_state(beside) in ("preparing", "fetching", "ended"))
        os.kill(child, signal.SIGKILL)
        rest = crawl.stderr.read()
    assert crawl.returncode == 0, rest
    assert "wolfspider dashboard" in rest
    with subprocess.Popen([*words, *more[:2], "--out", str(tmp_path / "other"), SEED], stderr=subprocess.PIPE) as crawl:
        (child,) = wait_for(lambda: children_of(crawl.pid))
        crawl.kill()
    wait_for(lambda: not Path(f"/proc/{child}").exists())


@pytest.mark.slow
def test_a_dashboard_beside_a_watch_shows_its_news_and_ends_with_it(place: Place, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wolfspider", "watch", "--dashboard", *place.words, "--out", str(tmp_path / "hunt")]
    with subprocess.Popen([*words, SEED], stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stderr is not None
        said = watch.stderr.readline()
        beside = Client("".join(said.partition("http://")[1:]).split()[0], watch)
        (child,) = wait_for(lambda: children_of(watch.pid))
        wait_for(lambda: client_state(beside) in ("fetching", "waiting", "idle"))
        assert beside.get("/api/runs/hunt")["watch"]
        told = wait_for(lambda: told_or_nothing(beside, "/api/runs/hunt/news"))
        assert checked("GET", "/api/runs/{name}/news", told)["today"] == sum(told["by_site"].values())
        watch.send_signal(signal.SIGINT)
        watch.stderr.read()
    wait_for(lambda: not Path(f"/proc/{child}").exists())


def told_or_nothing(client: Client, path: str) -> dict[str, Any]:
    """What is told there, if anything is yet."""
    answer = client.ask("GET", path)
    told: dict[str, Any] = answer.json if answer.status == 200 else {}
    return told


def client_state(client: Client) -> str:
    return str(told_or_nothing(client, "/api/runs/hunt").get("state", ""))


def children_of(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    if not listed.exists():
        pytest.skip("this system does not say whose children processes are")
    named = [int(pid) for pid in listed.read_text(encoding="utf-8").split()]
    return [pid for pid in named if b"dashboard.beside" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.fixture
def evil(place: Place, path: str, name: str, tmp_path: Path) -> Path:
    """A file that the run names as its strategy leaves this behind when it is run."""
    left = tmp_path / "it-was-run"
    program = tmp_path / "evil.py"
    program.write_text(f"open({str(left)!r}, 'w')\n", encoding="utf-8")
    about = json.loads((place.folder / name / "run.json").read_text(encoding="utf-8"))
    about["about"]["settings"]["strategy"] = str(program)
    (place.folder / name / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return left


def test_a_program_that_a_strangers_run_names_is_never_run(client: Client, path: str, name: str, evil: Path) -> None:
    told = client.get(path)
    assert told["strategy"].endswith("evil.py") and told["params"] == [] and told["status"]["pages"] > 0
    page = client.get(f"{path}/pages?kind=all")["pages"][0]["url"]
    for asked in ("questions", f"explain?url={page}", "series", "hosts", "map"):
        assert client.ask("GET", f"{path}/{asked}").status in (200, 422)
    for where, content in (
        ("commands", {"verb": "set", "words": ["spread=1"]}),
        ("commands", {"verb": "label", "words": [page, "up"]}),
        ("preview", {"verb": "exclude", "words": ["arachnology.test"]}),
        ("resume", {"pages": 200}),
    ):
        answer = client.ask("POST", f"{path}/{where}", json.dumps(content).encode())
        assert answer.status in (200, 422), (where, answer)
    client.post("/api/runs", {"topic": TOPIC, "seeds": [SEED], "learned_from": name}, 422)
    assert not evil.exists() and not client.get(path)["running"]


def test_a_cluster_that_a_strangers_run_names_is_not_joined(client: Client, path: str, name: str, place: Place) -> None:
    about = json.loads((place.folder / name / "run.json").read_text(encoding="utf-8"))
    about["about"]["settings"]["cluster"] = "203.0.113.7:6379"
    (place.folder / name / "run.json").write_text(json.dumps(about), encoding="utf-8")
    answer = client.ask("POST", f"{path}/resume", json.dumps({"pages": 200}).encode())
    assert answer.status == 422 and "a setting cluster that is not that of this server" in answer.json["problem"]


def test_one_odd_run_hides_no_other(client: Client, place: Place, name: str) -> None:
    odd, endless, nameless = place.folder / "odd", place.folder / "endless", os.fsencode(place.folder) + b"/sur\xff"
    for each in (odd, endless, nameless):
        shutil.copytree(os.fsencode(place.template), os.fsencode(each))
    about = json.loads((odd / "run.json").read_text(encoding="utf-8"))
    about["about"]["settings"]["pages"] = "abc"
    (odd / "run.json").write_text(json.dumps(about), encoding="utf-8")
    with sqlite3.connect(endless / "run.db") as connection:
        connection.execute("UPDATE log SET at = 9e999")
    connection.close()
    told = {line["name"]: line["state"] for line in client.get("/api/runs")["runs"]}
    assert told[name] == "ended" and {"odd", "endless"} <= told.keys()
    assert client.ask("GET", "/metrics").status == 200
    for each in (odd, endless, nameless):
        shutil.rmtree(os.fsencode(each))
