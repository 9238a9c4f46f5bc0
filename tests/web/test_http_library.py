"""The certificates of the system: read when the first connection needs them, and trusted as ever."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from pathlib import Path

import pytest
from tests.web.loopback import Loopback, http, serving
from tests.web.test_client import certificates as certificates
from tests.web.test_client import story

from wolfspider.web.http.http_library import LateContext, certificates_later  # noqa: TID251

ASKED = """
import asyncio, ssl, sys
from tests.web.test_client import inside, kind
from aiohttp import connector

def late():
    return [type(context) is not ssl.SSLContext for context in contexts]

async def ask():
    async with inside() as client:
        for url in sys.argv[1:]:
            print(kind(await client.get(url, deadline=20)), late())

contexts = (connector._SSL_CONTEXT_VERIFIED, connector._SSL_CONTEXT_UNVERIFIED)
print("loaded", late())
asyncio.run(ask())
"""


def test_the_first_connection_over_tls_reads_them_and_trusts_them(certificates: Path) -> None:
    """In a process that was told that an authority of ours is all the system knows."""

    def serving_with(name: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
        return context

    async def test() -> None:
        answers = serving(lambda head: http(b"ok"))
        async with (
            Loopback(answers) as plain,
            Loopback(answers, serving_with("good")) as good,
            Loopback(answers, serving_with("alone")) as alone,
        ):
            urls = [server.url(host="good.example") for server in (plain, good, alone)]
            asking = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", ASKED, *urls),
                env=os.environ
                | {"SSL_CERT_FILE": str(certificates / "ca.pem"), "PYTHONPATH": os.pathsep.join(sys.path)},
                stdout=asyncio.subprocess.PIPE,
            )
            said, _ = await asking.communicate()
        assert said.decode().split("\n") == [
            "loaded [True, True]",
            "answer 200 [True, True]",
            "answer 200 [False, True]",
            "tls [False, True]",
            "",
        ]

    story(test)


def test_a_context_made_meanwhile_is_a_usual_one_with_its_first_use() -> None:
    with certificates_later():
        late, other = ssl.create_default_context(), ssl.create_default_context()
    usual = ssl.create_default_context()
    assert isinstance(late, LateContext) and type(usual) is ssl.SSLContext
    assert late.verify_mode == usual.verify_mode and late.check_hostname
    assert late.cert_store_stats() == usual.cert_store_stats() and type(late) is ssl.SSLContext
    other.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="example.org")
    assert type(other) is ssl.SSLContext and other.cert_store_stats() == usual.cert_store_stats()


def test_a_kind_of_context_that_somebody_put_there_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Theirs:
        def set_default_verify_paths(self) -> None:
            self.loaded = True

    with monkeypatch.context() as patched:
        patched.setattr(ssl, "SSLContext", Theirs)
        with certificates_later():
            made = Theirs()
            made.set_default_verify_paths()
    assert made.loaded and "set_default_verify_paths" in vars(Theirs)


def test_one_within_another_does_no_harm() -> None:
    with certificates_later(), certificates_later():
        late = ssl.create_default_context()
    assert isinstance(late, LateContext)
    assert type(ssl.create_default_context()) is ssl.SSLContext
