"""One request, one answer: what is sent, what is kept of what comes, and who is trusted."""

from __future__ import annotations

import asyncio
import gzip
import os
import shutil
import ssl
import subprocess
import sys
import zlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.loopback import Loopback, answering, http, request, serving

from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure
from wolfspider.web.http.client import Answer, Caps, Client, failure_of
from wolfspider.web.http.guard import Guard

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

AGENT = "wolfspider-test (someone@example.com)"
PAGE = b"<html><body>" + b"<p>a page</p>" * 100 + b"</body></html>"


def inside(caps: Caps | None = None, tls: ssl.SSLContext | None = None) -> Client:
    """A client that may talk to loopback, where every name leads."""

    async def here(host: str) -> Sequence[str]:
        return ["127.0.0.1"]

    return Client(Guard(allow_private=True, resolve=here), AGENT, caps or Caps(), tls=tls)


def got(result: Answer | Failure) -> Answer:
    assert isinstance(result, Answer), result
    return result


def kind(result: Answer | Failure) -> str:
    return result.kind if isinstance(result, Failure) else f"answer {result.status}"


def story(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 60))


def test_an_answer_is_there_as_it_came_and_decoded() -> None:
    async def test() -> None:
        answer = http(gzip.compress(PAGE), "203 Hm", Content_Encoding="gzip", ETag='"x"')
        head, _, rest = answer.partition(b"\r\n\r\n")
        async with Loopback(answering(head + b"\r\nVary: A\r\nvary: B\r\n\r\n" + rest)) as server, inside() as client:
            result = got(await client.get(server.url("/path?query=1")))
        assert result.status == 203 and result.body == PAGE and not result.cut
        assert result.headers["vary"] == "A, B" and result.headers["etag"] == '"x"'
        capture = result.capture
        assert capture.url == server.url("/path?query=1") and capture.address == "127.0.0.1" and capture.cut == ""
        assert gzip.decompress(capture.body) == PAGE
        assert ("vary", "B") in capture.headers and ("Vary", "A") in capture.headers
        assert 0 < result.seconds < 60 and capture.at > 1e9

    story(test)


def test_the_request_is_exactly_what_we_say_it_is() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, inside() as client:
            await client.get(server.url("/a%2Fb;c//d/..e?x=%20&y=|{}[]'&z=\"%C3%A9"), {"If-None-Match": '"tag"'})
            lines = server.requests[0].decode().split("\r\n")
        assert lines[0] == "GET /a%2Fb;c//d/..e?x=%20&y=|{}[]'&z=\"%C3%A9 HTTP/1.1" or "%22" in lines[0]
        assert sorted(line.partition(":")[0] for line in lines[1:-2]) == [
            *("Accept", "Accept-Encoding", "Host", "If-None-Match", "User-Agent")
        ]
        assert f"User-Agent: {AGENT}" in lines and "Accept-Encoding: gzip, deflate, br, zstd" in lines

    story(test)


def test_a_header_of_one_request_takes_the_place_of_the_usual_one() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, inside() as client:
            answer = got(await client.get(server.url("/"), {"accept": "image/*", "ETag": "x"}))
            head = server.requests[0].decode()
        asked = dict(line.split(": ", 1) for line in head.split("\r\n")[1:-2])
        assert list(asked) == ["Host", "User-Agent", "accept", "Accept-Encoding", "ETag"]
        assert asked["accept"] == "image/*" and answer.capture.asked == tuple(asked.items())

    story(test)


@settings(max_examples=50)
@given(path=st.from_regex(r"/[A-Za-z0-9._~!$&'()*+,;=:@%|{}\[\]^`/?-]{0,40}", fullmatch=True))
def test_the_bytes_on_the_wire_are_those_of_the_canonical_address(path: str) -> None:
    from wolfspider.web.page.urls import canonical

    url = canonical(f"http://a.example{path}")

    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server:
            client = Client(Guard(via=("127.0.0.1", server.port)), AGENT)
            result = got(await client.get(url or ""))
            await client.close()
        assert server.requests[0].split(b" ")[1].decode() == (url or "").removeprefix("http://a.example")
        assert result.capture.url == url

    if url is not None:
        story(test)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)),
        ("br", brotli.compress(PAGE)),
        ("zstd", zstd.compress(PAGE)),
        ("br, gzip", gzip.compress(brotli.compress(PAGE))),
        ("identity", PAGE),
    ],
    ids=lambda value: value if isinstance(value, str) else "body",
)
def test_every_encoding_we_ask_for_is_understood(encoding: str, body: bytes) -> None:
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:9], body[9:10], body[10:])) + b"0\r\n\r\n"

    async def test() -> None:
        whole = http(body, Content_Encoding=encoding)
        split = http(b"", Content_Encoding=encoding, Content_Length="", Transfer_Encoding="chunked") + chunks
        async with Loopback(answering(whole, split)) as server, inside() as client:
            for _ in range(2):
                result = got(await client.get(server.url()))
                assert result.body == PAGE and result.capture.body == body and not result.cut
        assert "transfer-encoding" not in [name.lower() for name, _ in result.capture.headers]
        assert result.headers["transfer-encoding"] == "chunked"

    story(test)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_an_answer_and_never_followed(status: str) -> None:
    async def test() -> None:
        async with Loopback(answering(http(b"", status, Location="http://127.0.0.1:1/"))) as server, inside() as client:
            result = got(await client.get(server.url()))
        assert result.headers["location"] == "http://127.0.0.1:1/" and server.accepted == 1
        assert result.status == int(status[:3])

    story(test)


@pytest.mark.parametrize(
    "status", ["204 No Content", "304 Not Modified", "404 Not Found", "500 Oh", "999 Request denied"]
)
def test_any_status_is_an_answer_with_or_without_a_body(status: str) -> None:
    async def test() -> None:
        bare = f"HTTP/1.1 {status}\r\nETag: x\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n".encode()
        async with Loopback(answering(bare, close=False)) as server, inside() as client:
            result = got(await client.get(server.url(), deadline=20))
        assert (result.status, result.body, result.cut) == (int(status[:3]), b"", False)

    story(test)


def test_a_304_that_announces_a_length_has_no_body() -> None:
    async def test() -> None:
        bare = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n"
        async with Loopback(answering(bare, close=False)) as server, inside() as client:
            assert got(await client.get(server.url(), deadline=20)).body == b""

    story(test)


def test_connections_are_kept_alive() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(PAGE))) as server, inside() as client:
            for _ in range(10):
                assert got(await client.get(server.url())).body == PAGE
        assert server.accepted == 1

    story(test)


def test_a_fresh_connection_that_is_dropped_is_not_asked_twice() -> None:
    async def test() -> None:
        async with Loopback(answering(b"")) as server, inside() as client:
            assert kind(await client.get(server.url())) == "connect"
        assert len(server.requests) == 1

    story(test)


def test_a_connection_kept_alive_that_the_server_dropped_is_tried_anew() -> None:
    async def drops_the_second(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader, writer)
        writer.write(http(b"ok"))
        await request(reader, writer)

    async def test() -> None:
        async with Loopback(drops_the_second) as server, inside() as client:
            assert got(await client.get(server.url("/1"))).body == b"ok"
            assert got(await client.get(server.url("/2"))).body == b"ok"
        assert server.accepted == 2
        assert [head.split()[1] for head in server.requests] == [b"/1", b"/2", b"/2"]

    story(test)


def test_cookies_and_authorization_are_never_sent() -> None:
    async def test() -> None:
        cookie = {"Set_Cookie": "id=secret; Path=/", "WWW_Authenticate": "Basic realm=x"}
        async with Loopback(serving(lambda head: http(b"ok", "401 No", **cookie))) as server, inside() as client:
            for host in ("a.example", "b.example", "a.example"):
                assert got(await client.get(server.url(host=host))).status == 401
            for name in ("Authorization", "cookie", "Proxy-Authorization", "HOST", "Transfer-Encoding"):
                assert kind(await client.get(server.url(), {name: "x"})) == "blocked"
        sent = b"".join(server.requests).lower()
        assert len(server.requests) == 3 and b"cookie" not in sent and b"authorization" not in sent

    story(test)


def test_credentials_in_urls_are_never_sent_nor_kept() -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, inside() as client:
            for user in ("user:hunter2@", "user@", ":hunter2@", "user%40x:hunter2@"):
                result = got(await client.get(f"http://{user}127.0.0.1:{server.port}/#hunter2"))
                assert result.capture.url == server.url()
        sent = b"".join(server.requests)
        assert len(server.requests) == 4 and b"hunter2" not in sent and b"uthorization" not in sent

    story(test)


CRLF = [
    "\r\nX-Evil: 1",
    "\nX-Evil: 1",
    "\r",
    "\0",
    "\x1f",
    "\x7f",
    "%0d%0aX-Evil:%201",
    "\u2028X-Evil: 1",
    "\u560d\u560a",
]


@pytest.mark.parametrize("evil", CRLF)
def test_crlf_injection_reaches_no_wire(evil: str) -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, inside() as client:
            port = server.port
            for url in (server.url(f"/{evil}"), server.url(f"/?q={evil}"), f"http://127.0.0.1{evil}:{port}/"):
                await client.get(url, deadline=5)
            for headers in ({"If-None-Match": f'"{evil}"'}, {f"X{evil}": "1"}):
                if "%" not in evil:
                    assert kind(await client.get(server.url("/header"), headers)) == "blocked"
        for head in server.requests:
            assert b"\nx-evil:" not in head.lower() and head.count(b"\r\n\r\n") == 1 and b"/header" not in head
            assert {line.partition(b":")[0] for line in head.split(b"\r\n")[1:-2]} == {
                *(b"Host", b"User-Agent", b"Accept", b"Accept-Encoding")
            }

    story(test)


def test_an_agent_that_cannot_be_sent_is_a_problem() -> None:
    async def test() -> None:
        for agent in ("", "a\r\nX-Evil: 1", "Ünïcode"):
            with pytest.raises(Problem):
                Client(Guard(), agent)

    story(test)


def test_control_characters_in_answered_headers_are_made_harmless() -> None:
    async def test() -> None:
        lines = (
            b"HTTP/1.1 200 OK",
            b"Location: /caf\xc3\xa9",
            b"X-Old: caf\xe9",
            b"X-Esc: a\x1b[2Jb",
            b"Content-Length: 0",
        )
        bad = b"\r\n".join(lines) + b"\r\n\r\n"
        async with Loopback(answering(bad)) as server, inside() as client:
            result = await client.get(server.url())
        if isinstance(result, Answer):  # a parser that refuses such a head altogether is right too
            assert result.headers["location"] == "/café" and result.headers["x-old"] == "café"
            assert all(value.isprintable() for value in result.headers.values())

    story(test)


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with Loopback(serving(lambda head: http(b"ok"))) as server, Loopback(serving(http)) as proxy:
            for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv("NETRC", os.devnull)
            async with inside() as client:
                assert got(await client.get(server.url())).body == b"ok"
            assert proxy.accepted == 0

    story(test)


def test_only_being_cancelled_passes_through() -> None:
    async def test() -> None:
        async with Loopback(answering(http(b"", Content_Length="9"), close=False)) as server, inside() as client:
            asking = asyncio.create_task(client.get(server.url()))
            await asyncio.sleep(0.1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

    story(test)


def test_a_closed_client_answers_with_a_failure() -> None:
    async def test() -> None:
        client = inside()
        await client.close()
        assert kind(await client.get("http://127.0.0.1:8000/")) == "connect"

    story(test)


@pytest.mark.parametrize("error", [ValueError("x"), zlib.error("x"), OSError(), TimeoutError(), ssl.SSLError("x")])
def test_every_exception_has_a_name(error: Exception) -> None:
    assert failure_of(error).kind in ("connect", "timeout", "tls")


def make_certificates(folder: Path) -> None:
    """A small authority of our own, a good certificate for good.example, one long over, and one signed by itself."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    authority = (
        "-subj",
        "/CN=Test authority",
        "-addext",
        "keyUsage=critical,keyCertSign",
    )  # Python 3.13 wants it
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", *authority)
    (folder / "names").write_text(
        "subjectAltName=DNS:good.example\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
    )
    for name, dates in (("good", ["-days", "30"]), ("expired", ["-days", "-1"])):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=good.example")
        signing = ("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
        openssl(*signing, "-extfile", "names", "-out", f"{name}.pem", *dates)
    alone = ("-keyout", "alone.key", "-out", "alone.pem", "-subj", "/CN=good.example")
    openssl("req", "-x509", *key, *alone, "-addext", "subjectAltName=DNS:good.example", "-days", "30")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("There is no openssl to make certificates with, so TLS errors are not tested.")
    folder = tmp_path_factory.mktemp("certificates")
    try:
        make_certificates(folder)
    except subprocess.CalledProcessError as error:
        pytest.skip(
            f"This openssl cannot make the certificates ({error.stderr[-200:]!r}), so TLS errors are not tested."
        )
    return folder


@pytest.mark.parametrize(
    ("certificate", "host", "trusted", "expected"),
    [
        ("good", "good.example", True, "answer 200"),
        ("good", "other.example", True, "the certificate is for another name"),
        ("good", "127.0.0.1", True, "the certificate is for another name"),
        ("good", "good.example", False, "the issuer of the certificate is unknown"),
        ("expired", "good.example", True, "the certificate has expired"),
        ("alone", "good.example", True, "the certificate is self-signed"),
    ],
)
def test_tls_errors_expired_self_signed_wrong_name(
    certificates: Path, certificate: str, host: str, trusted: bool, expected: str
) -> None:
    async def test() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / f"{certificate}.pem", certificates / f"{certificate}.key")
        trust = ssl.create_default_context(cafile=certificates / "ca.pem") if trusted else None
        async with Loopback(serving(lambda head: http(b"ok")), context) as server, inside(tls=trust) as client:
            result = await client.get(server.url(host=host), deadline=20)
        if isinstance(result, Failure):
            assert result == Failure("tls", expected) and server.requests == []
        else:
            assert expected == "answer 200" and result.body == b"ok" and result.capture.address == "127.0.0.1"

    story(test)


def test_tls_old_protocol_and_no_tls_at_all_are_named(certificates: Path) -> None:
    async def test() -> None:
        async with Loopback(answering(http(b"ok"))) as server, inside() as client:
            url = server.url(host="good.example").replace("http:", "https:")
            assert kind(await client.get(url, deadline=3)) in ("tls", "timeout")
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        old.load_cert_chain(certificates / "good.pem", certificates / "good.key")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_2
        trust = ssl.create_default_context(cafile=certificates / "ca.pem")
        trust.minimum_version = ssl.TLSVersion.TLSv1_3
        async with Loopback(answering(http(b"ok")), old) as server, inside(tls=trust) as client:
            assert kind(await client.get(server.url(host="good.example"), deadline=20)) in ("tls", "connect")

    story(test)
