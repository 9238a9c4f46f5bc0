"""Where a redirect leads is checked as any address is: nothing reaches a server inside, a path that robots.txt closes,
a host out of scope, or goes round for ever."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest
from tests.live.hunting import Told, asked_for, beside, hunt

from faults import Faulty

INSIDE = [
    "http://127.0.0.1/",
    "http://127.0.0.1:22/",
    "http://localhost/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::a00:1]/",
    "http://10.0.0.1/",
    "http://192.168.1.1/admin",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://printer.lan/",
    "file:///etc/passwd",
    "ftp://a.test/",
    "gopher://a.test/",
    "data:text/html,hello",
    "javascript:alert(1)",
]


def redirecting(*targets: str) -> list[str]:
    return [f"http://h{number}.test/redirect?to={quote(to, safe='')}" for number, to in enumerate(targets)]


def test_redirects_inside_and_to_other_schemes_send_nothing() -> None:
    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, *redirecting(*INSIDE), pages=100)
        assert {asked.partition("/")[0] for asked in asked_for(server)} == {f"h{n}.test" for n in range(len(INSIDE))}
        assert len(asked_for(server)) == len(INSIDE)
        return told

    told = beside(talk)
    assert not told.pages and set(told.failures.values()) == {"redirect"}
    assert all(detail.startswith(("blocked: ", "scheme: led to ", "led to ")) for detail in told.details.values())
    assert told.downloads == len(INSIDE)


def test_a_redirect_to_a_server_on_this_machine_is_never_connected() -> None:
    """Not by way of the test server, but as a crawl of the real web would go, with a listener that counts."""
    accepted = 0

    async def inside(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal accepted
        accepted += 1
        writer.close()

    async def talk(server: Faulty) -> Told:
        listener = await asyncio.start_server(inside, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        async with listener:
            targets = [f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://[::ffff:7f00:1]:{port}/"]
            return await hunt(server.port, *redirecting(*targets), *targets, pages=20, via="", contact="me@example.org")

    told = beside(talk)
    assert accepted == 0 and not told.pages


def test_a_redirect_to_what_robots_txt_closes_is_not_followed() -> None:
    targets = ["http://robots-deny.test/ok", "http://robots-private.test/private/page", "http://robots-500.test/ok"]

    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, *redirecting(*targets), pages=20)
        assert not [asked for asked in asked_for(server) if asked.startswith("robots-")]
        return told

    told = beside(talk)
    assert not told.pages and {detail.partition(":")[0] for detail in told.details.values()} == {"robots", "waiting"}


def test_a_redirect_out_of_scope_is_not_followed() -> None:
    async def talk(server: Faulty) -> Told:
        seeds = redirecting("http://other.test/ok", "http://h1.test/closed/x", "/ok")
        told = await hunt(server.port, *seeds, pages=20, exclude=["other.test", "h1.test/closed"])
        assert not [asked for asked in asked_for(server) if asked.startswith("other") or asked == "h1.test/closed/x"]
        return told

    told = beside(talk)
    assert sorted(told.failures.values()) == ["redirect", "redirect"] and len(told.pages) >= 1
    assert all(detail.startswith("excluded: ") for detail in told.details.values())


@pytest.mark.parametrize("path", ["/loop", "/chain/30", "/redirect?to=/redirect%3Fto=/redirect", "/redirect"])
def test_redirects_without_end_end(path: str) -> None:
    async def talk(server: Faulty) -> Told:
        told = await hunt(server.port, f"http://a.test{path}", pages=20)
        assert len(asked_for(server)) <= 10
        return told

    told = beside(talk)
    assert list(told.failures.values()) == ["redirect"] and told.downloads == 1


def test_a_chain_of_redirects_is_one_download_and_one_page() -> None:
    async def talk(server: Faulty) -> Told:
        return await hunt(server.port, "http://a.test/chain/3", pages=20)

    told = beside(talk)
    assert told.downloads == 1
    assert [page.final_url for page in told.pages.values()] == ["http://a.test/chain/0"]
