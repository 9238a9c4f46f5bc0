"""Who may come in: token, names of the machine, pages of others, methods, sizes, odd paths and JSON, slow clients."""

from __future__ import annotations

import json
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard_client import Client, dashboard, wait_for
from wolfspider.core.errors import Problem
from wolfspider.dashboard.acting_shapes import StartBody
from wolfspider.dashboard.door import _pass, opening
from wolfspider.dashboard.json_shapes import read

pytest.importorskip("starlette", reason="the extra `dashboard` is not installed")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    base = tmp_path_factory.mktemp("door")
    (base / "secret.txt").write_text("secret", encoding="utf-8")
    outside = base / "outside"
    outside.mkdir()
    (outside / "run.json").write_text("{}", encoding="utf-8")
    runs = base / "runs"
    runs.mkdir()
    (runs / "linked").symlink_to(outside)
    (runs / "broken").mkdir()
    (runs / "broken" / "run.json").write_text("not json", encoding="utf-8")
    with dashboard(runs) as found:
        yield found


def test_nobody_comes_in_without_the_token(client: Client) -> None:
    for path in ("/", "/api/runs", "/static/app.js", "/plots/", "/metrics", "/api/openapi.json", "/api/events?run=x"):
        for wrong in (None, "Bearer ", "Bearer wrong", "Basic " + client.token, f"Bearer {client.token}x"):
            answer = client.ask("GET", path, authorization=wrong)
            assert answer.status == 401, (path, wrong)
            assert b"token" in answer.body and client.token.encode() not in answer.body
    assert client.ask("GET", "/?token=wrong", authorization=None).status == 401
    assert client.ask("GET", "/?" + "a=b&" * 50 + f"token={client.token}", authorization=None).status == 401
    assert client.ask("POST", "/api/runs", b"{}", authorization=None, origin=f"http://{client.host}").status == 401


def test_the_address_that_was_printed_lets_in_by_a_cookie(client: Client) -> None:
    answer = client.ask("GET", f"/?token={client.token}", authorization=None)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    kept = answer.headers["set-cookie"]
    assert "httponly" in kept and "samesite=strict" in kept and "path=/" in kept
    cookie = f"wolfspider_token_{client.port}={client.token}"
    assert client.ask("GET", "/api/runs", authorization=None, cookie=cookie).status == 200
    assert client.ask("GET", "/api/runs", authorization=None, cookie=f"other=1; {cookie}").status == 200
    for odd in (cookie + "x", "wolfspider_token=" + client.token, "\xff=;;;", "a" * 4000):
        assert client.ask("GET", "/api/runs", authorization=None, cookie=odd).status == 401, odd
    body = json.dumps({"topic": "x"}).encode()
    ours = {"authorization": None, "cookie": cookie}
    assert client.ask("POST", "/api/runs/check", body, origin=f"http://{client.host}", **ours).status == 422
    # a cookie alone is not enough to change something: the browser must say that it is our own page
    assert client.ask("POST", "/api/runs/check", body, **ours).status == 403


def test_a_browser_that_is_opened_gets_in_once_by_words_that_let_in_nobody_else(client: Client) -> None:
    there = opening(f"http://{client.host}/?token={client.token}#/run/x")
    assert client.token not in there and there.endswith("#/run/x")
    way = there.partition(client.host)[2].partition("#")[0]
    moment, _, rest = way.partition("=")[2].partition("-")
    late = _pass(client.token.encode(), int(moment) - 3600)
    for odd in (way + "x", way[:-1], f"/?once={int(moment) + 1}-{rest}", "/?once=", "/?once=-", f"/?once={late}"):
        assert client.ask("GET", odd, authorization=None).status == 401, odd
    first = client.ask("GET", way, authorization=None)
    assert first.status == 303 and client.token.lower() in first.headers["set-cookie"]
    assert client.ask("GET", way, authorization=None).status == 401


@pytest.mark.parametrize(
    "host",
    ["evil.test", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.test", "0.0.0.0", "", "localhost.evil.test", "127.1"],
)
def test_the_machine_is_asked_by_its_own_name(client: Client, host: str) -> None:
    for name in (host, f"{host}:{client.port}"):
        if name != client.host:
            assert client.ask("GET", "/api/runs", host=name).status == 421, name
            assert client.ask("GET", f"/?token={client.token}", host=name).status == 421
    assert client.ask("GET", "/api/runs", host=f"localhost:{client.port}").status == 200
    assert client.ask("GET", "/api/runs", host=f"[::1]:{client.port}").status == 200


def test_pages_of_others_get_nothing(client: Client) -> None:
    for origin in ("http://evil.test", "null", f"https://{client.host}", "http://127.0.0.1:1", ""):
        for method, path in (("GET", "/api/runs"), ("POST", "/api/runs"), ("POST", "/api/runs/check")):
            assert client.ask(method, path, b"{}" if method == "POST" else b"", origin=origin).status == 403, origin
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None):
        assert client.ask("POST", "/api/runs/check", b"{}", content_type=kind).status == 415


def test_only_what_is_meant_is_understood(client: Client) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
        assert client.ask(method, "/api/runs").status in (400, 405), method
    for path in ("/api/compare", "/api/openapi.json", "/metrics"):
        assert client.ask("POST", path, b"{}").status == 405
    assert client.ask("GET", "/api/runs/check").status in (404, 405)
    assert client.ask("GET", "/nowhere").json == {"problem": "There is nothing at this address."}
    assert client.ask("GET", "/api/runs?folder=/etc").status == 422  # nothing is asked for there
    for query in ("limit=0", "limit=-1", "limit=1e9", "limit=x", "kind=other", "kind=all&kind=failed", "before=x"):
        assert client.ask("GET", f"/api/runs/broken/pages?{query}").status == 422, query


@pytest.mark.parametrize(
    "name",
    [
        *("..", ".", "%2e%2e", "..%2f..", "%2e%2e%2fsecret.txt", "..%5c..", "linked", "a%00b", "%2fetc", "secret.txt"),
        *(".said", "broken%2f..%2fbroken", "x" * 300, "%ff", "%F0%9F%95%B7", "broken%0a", "broken."),
    ],
)
def test_no_name_leads_out_of_the_folder(client: Client, name: str) -> None:
    for path in (f"/api/runs/{name}", f"/api/runs/{name}/pages", f"/api/runs/{name}/report", f"/static/{name}"):
        answer = client.ask("GET", path)
        assert answer.status in (401, 404, 421, 422), (path, answer)
        assert b"secret" not in answer.body.replace(b"secret.txt", b"")
    for body in ({"verb": "pause", "words": []},):
        assert client.ask("POST", f"/api/runs/{name}/commands", json.dumps(body).encode()).status in (404, 422)
    assert client.ask("GET", f"/api/events?run={name}").status in (404, 422)
    assert client.ask("GET", f"/api/compare?runs={name}").status in (404, 422)


def test_a_damaged_run_is_told_of_and_hides_no_other(client: Client) -> None:
    (line,) = client.get("/api/runs")["runs"]
    assert (line["name"], line["state"]) == ("broken", "damaged") and "damaged" in line["reason"]
    assert client.ask("GET", "/api/runs/broken").status == 422


def test_bodies_are_bounded_and_must_be_json(client: Client) -> None:
    odd: list[bytes] = [
        *(
            b"[]",
            b"null",
            b"1",
            b'"x"',
            b"{",
            b"\xff\xfe",
            b"NaN",
            b'{"topic": NaN}',
            b'{"topic": 1}',
            b'{"topics": ""}',
        ),
        *(b'{"topic": null}', b'{"seeds": "x"}', b'{"seeds": [1]}', b'{"test": "yes"}', b'{"pages": 1e999}'),
        *(b'{"pages": true}', b'{"pages": 1.5}', b'{"set": {"a": []}}', b'{"scope": "all"}', b"[" * 100_000),
        json.dumps({"topic": "x" * 3000}).encode(),
        json.dumps({"seeds": ["http://a.test/"] * 101}).encode(),
        json.dumps({"set": {str(number): 1 for number in range(200)}}).encode(),
        b'{"topic": "\\ud800"}',
    ]
    for body in odd:
        answer = client.ask("POST", "/api/runs/check", body)
        assert answer.status == 422 and answer.json["problem"], body[:50]
    large = json.dumps({"topic": "x" * 2_000_000}).encode()
    assert client.ask("POST", "/api/runs/check", b"", content_length=str(len(large))).status == 413
    assert client.ask("POST", "/api/runs/check", b"", content_length="-1").status == 400
    parts = (large[at : at + 65536] for at in range(0, 1_200_000, 65536))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    head = f"POST /api/runs/check HTTP/1.1\r\nhost: {client.host}\r\nauthorization: Bearer {client.token}\r\n"
    head += "content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    assert client.raw(head.encode() + chunks + b"0\r\n\r\n").status == 413
    assert client.ask("GET", "/api/runs?" + "x" * 10_000).status in (400, 414)
    assert client.ask("GET", "/" + "x" * 9_000).status in (400, 414)


@pytest.mark.slow
def test_slow_clients_hold_nobody_up(client: Client) -> None:
    """Those who send nothing, who never end, and who never read."""
    head = f"POST /api/runs/check HTTP/1.1\r\nhost: {client.host}\r\nauthorization: Bearer {client.token}\r\n"
    slow = f"{head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{{".encode()
    begun = [socket.create_connection(("127.0.0.1", client.port), timeout=60) for _ in range(30)]
    try:
        for number, sock in enumerate(begun):
            sock.sendall((b"", b"GET /api/ru", slow)[number % 3])
        began = time.monotonic()
        assert client.get("/api/runs")["runs"]
        assert time.monotonic() - began < 20
        answers = [sock.recv(100) for number, sock in enumerate(begun) if number % 3 == 2]  # they are told off
        assert all(b" 408 " in answer for answer in answers)
    finally:
        for sock in begun:
            sock.close()


def test_many_who_ask_for_nothing_lock_nobody_out(client: Client) -> None:
    idle = [socket.create_connection(("127.0.0.1", client.port), timeout=60) for _ in range(505)]
    try:
        idle[-1].sendall(b"GET /api/ru")  # one that has begun
        assert client.ask("GET", "/api/runs", patience=20).status == 200
    finally:
        for sock in idle:
            sock.close()


def test_every_answer_forbids_what_a_page_must_not_do(client: Client) -> None:
    for path in ("/", "/api/runs", "/nowhere", "/static/app.js"):
        headers = client.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy
        assert "unsafe" not in policy and "require-trusted-types-for 'script'" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    frame = client.ask("GET", "/plots/")
    assert "sandbox allow-scripts" in frame.headers["content-security-policy"]
    assert "allow-same-origin" not in frame.headers["content-security-policy"]
    assert f"script-src http://{client.host};" in frame.headers["content-security-policy"]
    # a frame without an origin has no cookie: its two scripts, which hold no secret, are open
    for path in ("/plots/plots.js", "/plots/plotly.min.js"):
        assert client.ask("GET", path, authorization=None, origin="null").status == 200
    assert "server" not in frame.headers


def test_it_listens_on_this_machine_alone(client: Client) -> None:
    listening = Path("/proc/net/tcp")
    if not listening.exists():
        pytest.skip("this system does not say who listens")
    lines = [line.split() for line in listening.read_text(encoding="utf-8").splitlines()[1:]]
    mine = [line[1] for line in lines if line[1].endswith(f":{client.port:04X}") and line[3] == "0A"]
    assert mine == [f"0100007F:{client.port:04X}"]


@pytest.mark.slow
def test_what_processes_say_is_for_the_owner_alone(client: Client, tmp_path: Path) -> None:
    with dashboard(tmp_path / "new") as other:
        body = {"topic": "spiders", "seeds": ["http://10.0.0.1/"], "contact": "me@example.org", "pages": 1}
        answer = other.ask("POST", "/api/runs", json.dumps(body).encode())
        assert answer.status == 422 and "own machine or network" in answer.json["problem"]
        body["seeds"] = ["http://nowhere.invalid/"]
        name = other.post("/api/runs", body, 201)["name"]
        wait_for(lambda: not other.get(f"/api/runs/{name}/said")["running"])
        assert other.get(f"/api/runs/{name}/said")["said"]
        said = tmp_path / "new" / ".said"
        assert stat.S_IMODE(said.stat().st_mode) == 0o700


def test_shapes_refuse_what_does_not_fit() -> None:
    assert read(StartBody, {"topic": "x", "set": {"a": 1, "b": True, "c": "d"}}) == {
        "topic": "x",
        "set": {"a": 1, "b": True, "c": "d"},
    }
    with pytest.raises(Problem, match="Did you mean 'topic'"):
        read(StartBody, {"topik": "x"})
