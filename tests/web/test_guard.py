"""Nothing inside can be reached from outside: not by number, not by name, not by a name that changes its mind."""

from __future__ import annotations

import asyncio
import inspect
import re
import socket
import threading
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import aiohttp  # noqa: TID251  (to show what the connector alone refuses)
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.addresses import NOT_PUBLIC, PUBLIC
from tests.web.loopback import Loopback, http, serving

from wolfspider.core.model import Failure
from wolfspider.web.http import guard as module
from wolfspider.web.http.client import Answer, Client
from wolfspider.web.http.guard import Guard, Refused, target
from wolfspider.web.http.ip_addresses import is_loopback, may_be_opened, public, read_network
from wolfspider.web.http.lookups import Lookups


class Names:
    """A resolver that answers from a table, the next answer of a name each time, and counts."""

    def __init__(self, **answers: list[Sequence[str] | BaseException]) -> None:
        self.answers = {name.replace("_", "."): list(found) for name, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        await asyncio.sleep(0)
        answers = self.answers.get(host, [socket.gaierror(socket.EAI_NONAME, "unknown")])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def kind(result: object) -> str:
    return result.kind if isinstance(result, Failure) else "none"


@pytest.mark.parametrize(
    "url",
    [
        *(
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com:70/_",
            "data:text/html,x",
            "//example.com/",
        ),
        *("javascript:alert(1)", "ws://example.com/", "about:blank", "mailto:a@example.com", "", "http://", "/path"),
        *("http:///", "https://[::1", "http://exa mple.com/", "http://%00/", "x" * 10_000),
    ],
)
def test_non_http_schemes_and_what_is_no_address_are_refused(url: str) -> None:
    assert kind(Guard().refuses(url)) in ("scheme", "blocked")
    assert kind(Guard(allow_private=True).refuses(url)) in ("scheme", "blocked")


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_ssrf_by_a_literal_address_is_refused_without_a_look_up(address: str) -> None:
    names = Names()
    host = f"[{address}]" if ":" in address else address
    for url in (f"http://{host}/", f"https://{host}:8443/x", f"http://user:pass@{host}/"):
        assert kind(Guard(resolve=names).refuses(url)) in ("blocked", "scheme")
    assert kind(asyncio.run(Guard(resolve=names).addresses(address))) == "blocked"
    assert names.asked == []


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "127.0.0.1."),
        *("0", "0x0", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "0xa9fea9fe", "2852039166", "[::ffff:7f00:1]"),
        *("[0:0:0:0:0:ffff:10.0.0.1]", "[::0]", "1.2.3.4.5", "256.1.1.1", "0x100000000", "08.8.8.8"),
    ],
)
def test_ssrf_by_an_odd_form_of_an_address_is_refused(host: str) -> None:
    assert kind(Guard().refuses(f"http://{host}/")) in ("blocked", "scheme")
    assert kind(asyncio.run(Guard(resolve=Names()).addresses(host))) in ("blocked", "dns")


@pytest.mark.parametrize(
    "host",
    [
        *(
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "printer.local",
            "metadata.google.internal",
            "intranet",
        ),
        *("router.lan", "x.home.arpa", "home.arpa", "db.corp", "a.b.internal."),
    ],
)
def test_ssrf_by_an_internal_name_is_refused_without_a_look_up(host: str) -> None:
    names = Names()
    guard = Guard(resolve=names)
    assert kind(guard.refuses(f"http://{host}/")) == "blocked"
    assert kind(asyncio.run(guard.addresses(host.lower()))) == "blocked"
    assert names.asked == []
    assert Guard(allow_private=True, named=[host.lower()]).refuses(f"http://{host}/") is None


@pytest.mark.parametrize("port", [0, 1, 21, 22, 23, 25, 53, 81, 110, 1023, 2049, 6000, 6667, 10080, 65536, 99999])
def test_ports_that_are_not_of_the_web_are_refused(port: int) -> None:
    assert kind(Guard().refuses(f"http://example.com:{port}/")) in ("blocked", "scheme")


@pytest.mark.parametrize("port", [80, 443, 1024, 3000, 5000, 8000, 8080, 8443, 9000, 65535])
def test_ports_of_the_web_pass(port: int) -> None:
    assert Guard().refuses(f"http://example.com:{port}/") is None


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_ssrf_by_a_record_is_refused_and_nothing_is_told_about_it(address: str) -> None:
    guard = Guard(resolve=Names(evil_example=[[address]]))
    result = asyncio.run(guard.addresses("evil.example"))
    assert isinstance(result, Failure) and result.kind == "blocked"
    told = "--allow-private" if may_be_opened(address) else "stays closed"
    assert address not in result.detail and told in result.detail


@pytest.mark.parametrize(
    "records", [["8.8.8.8", "10.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["2606:4700::1", "::1", "8.8.8.8"]]
)
def test_a_multi_record_mix_is_refused_as_a_whole(records: list[str]) -> None:
    guard = Guard(resolve=Names(mixed_example=[records]))
    assert kind(asyncio.run(guard.addresses("mixed.example"))) == "blocked"


def test_several_public_records_are_all_there() -> None:
    guard = Guard(resolve=Names(a_example=[["8.8.8.8", "8.8.8.8", "2606:4700::1"]]))
    assert asyncio.run(guard.addresses("a.example")) == ("8.8.8.8", "2606:4700::1")
    assert asyncio.run(guard.addresses("a.example:8080")) == ("8.8.8.8", "2606:4700::1")


def test_dns_rebinding_meets_the_pinned_answer_and_then_the_check() -> None:
    names, clock = Names(flip_example=[["8.8.8.8"], ["127.0.0.1"]]), Clock()
    guard = Guard(resolve=names, clock=clock)

    async def story() -> None:
        for _ in range(5):
            assert await guard.addresses("flip.example") == ("8.8.8.8",)
        assert len(names.asked) == 1
        clock.now += module.KEPT + 1
        assert kind(await guard.addresses("flip.example")) == "blocked"

    asyncio.run(story())


def test_no_tcp_accept_for_any_form_of_a_record() -> None:
    """A name whose record points at a listener on this machine, through the whole client."""

    async def story() -> None:
        async with Loopback(serving(lambda head: http(b"secret"))) as server:
            for records in (["127.0.0.1"], ["::ffff:127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["0.0.0.0"], ["::1"]):
                async with Client(Guard(resolve=Names(evil_example=[records])), "test") as client:
                    assert kind(await client.get(server.url(host="evil.example"))) == "blocked"
            async with Client(Guard(), "test") as client:
                for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0.0.0.0"):
                    assert kind(await client.get(server.url(host=host))) == "blocked"
            assert server.accepted == 0

    asyncio.run(story())


def test_the_connector_itself_refuses_what_passes_by_every_other_check() -> None:
    """Literal addresses never see a resolver; here nothing asks `refuses` either."""

    async def story() -> None:
        async with (
            Loopback(serving(lambda head: http(b"secret"))) as server,
            aiohttp.ClientSession(connector=Guard().connector()) as session,
        ):
            for host in ("127.0.0.1", "[::ffff:127.0.0.1]"):
                with pytest.raises(aiohttp.ClientConnectorError) as caught:
                    await session.get(server.url(host=host))
                assert isinstance(caught.value.__cause__, Refused)
            assert server.accepted == 0

    asyncio.run(story())


def test_the_peer_is_checked_once_it_is_connected() -> None:
    """A guard that is fooled about the address before the connection sees the truth after it."""

    class Fooled(Guard):
        asked = 0

        def refuses_socket(self, address: str, port: int) -> Failure | None:
            self.asked += 1
            return None if self.asked == 1 else super().refuses_socket(address, port)

    async def story() -> None:
        async with Loopback(serving(lambda head: http(b"secret"))) as server:
            async with aiohttp.ClientSession(connector=Fooled().connector()) as session:
                with pytest.raises(aiohttp.ClientOSError) as caught:
                    await session.get(server.url())
                assert isinstance(caught.value.__cause__, Refused)
            assert server.requests == []

    asyncio.run(story())


def test_the_production_default_has_no_allow_list() -> None:
    """A guard made without a word allows nothing that is not public, and nothing else makes it allow more."""
    parameters = inspect.signature(Guard).parameters
    assert {name: parameter.default for name, parameter in parameters.items() if name not in ("clock", "resolve")} == {
        "allow_private": False,
        "named": (),
        "networks": (),
        "via": None,
    }
    guard = Guard()
    assert all(guard.refuses_socket(address, 80) for address in NOT_PUBLIC)
    assert not any(guard.refuses_socket(address, 443) for address in PUBLIC)


def test_nothing_else_in_the_house_can_open_a_connection() -> None:
    package = Path(module.__file__).parents[1]
    clients = re.compile(
        r"^\s*(?:import|from) (?:aiohttp|\S+\.http_library|requests|httpx|urllib3|urllib\.request|http\.client|ftplib)",
        re.M,
    )
    opening = re.compile(r"\b(?:open_connection|create_connection|open_unix_connection|sock_connect)\(")
    sources = {path.name: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    by_the_guard = {"client.py", "chat_service.py", "guard.py", "connections.py", "one_answer.py", "sending.py"}
    assert {name for name, source in sources.items() if clients.search(source)} == {"http_library.py", *by_the_guard}
    assert [name for name, source in sources.items() if opening.search(source)] == ["guard.py"]


# What a person allows

LOOPBACK = ["127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]"]
INSIDE = ["10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "[fd12::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]"]
CLOSED = [
    *("169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "100.100.100.200", "168.63.129.16"),
    *("192.0.0.192", "0.0.0.0", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fe80::a9fe:a9fe]", "[febf::1]"),
    *("[fd00:ec2::254]", "[fd00:ec2::23]", "[fd00:ec2::253]", "[fd20:ce::254]", "[fd00:c1::a9fe:a9fe]", "[ff02::1]"),
    *("[fd00:42::42]", "[fd00:a9fe:a9fe::1]", "[fd00:100::100:200]", "[::ffff:169.254.169.254]", "[::a9fe:a9fe]"),
    *("[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[2002:c000:c0::]", "[::]"),
    *("[2001:0:a9fe:a9fe::]", "[2001:0:808:808:0:0:5601:5601]", "[2607:f8b0::5efe:169.254.169.254]"),
]


def opened(guard: Guard, host: str) -> bool:
    """At every door: the address as it is written, the name's record, and the socket."""
    number = host.strip("[]")
    doors = {
        guard.refuses(f"http://{host}/") is None,
        kind(asyncio.run(guard.addresses(host))) == "none",
        guard.refuses_socket(number, 80) is None,
    }
    assert len(doors) == 1
    return doors.pop()


@pytest.mark.parametrize("host", CLOSED)
def test_link_local_and_metadata_stay_closed_whatever_is_allowed(host: str) -> None:
    everything = [read_network("0.0.0.0/0"), read_network("::/0")]
    number = host.strip("[]")
    names = Names(keys_test=[[number]], mixed_test=[["8.8.8.8", number]])
    guard = Guard(allow_private=True, named=[host, "keys.test", "mixed.test"], networks=everything, resolve=names)
    assert not opened(guard, host)
    for name in ("keys.test", "mixed.test"):
        found = asyncio.run(guard.addresses(name))
        assert isinstance(found, Failure) and "stays closed" in found.detail
    via = Guard(via=("box.test", 80), resolve=Names(box_test=[[number]]))
    assert kind(asyncio.run(via.addresses("example.org"))) == "blocked" and via.refuses_socket(number, 80)


@pytest.mark.parametrize("host", [*LOOPBACK, *INSIDE])
def test_allow_private_opens_this_machine_and_what_was_named(host: str) -> None:
    assert not opened(Guard(resolve=Names()), host)
    assert not opened(Guard(named=[host], resolve=Names()), host)
    assert opened(Guard(allow_private=True, resolve=Names()), host) is (host in LOOPBACK)
    assert opened(Guard(allow_private=True, named=[f"{host}:8080"], resolve=Names()), host)


def test_a_name_inside_is_open_only_if_it_was_named() -> None:
    """Two names for one machine: a page that calls it by the other one opens nothing."""
    names = Names(wiki_internal=[["10.0.0.7"]], evil_example=[["10.0.0.7"]], own_example=[["127.0.0.1"]])
    guard = Guard(allow_private=True, named=["wiki.internal:8080"], resolve=names)
    assert kind(asyncio.run(guard.addresses("evil.example"))) == "blocked"
    assert guard.refuses_socket("10.0.0.7", 80)
    assert asyncio.run(guard.addresses("wiki.internal")) == ("10.0.0.7",)
    assert guard.refuses_socket("10.0.0.7", 81) is None
    assert kind(asyncio.run(guard.addresses("evil.example"))) == "blocked"
    for url in ("http://10.0.0.7/", "http://other.internal/", "http://printer/", "http://10.0.0.8/"):
        assert kind(guard.refuses(url)) == "blocked"
    assert guard.refuses("http://wiki.internal./") is None
    assert asyncio.run(guard.addresses("own.example")) == ("127.0.0.1",)
    guard.name(["evil.example"])
    assert asyncio.run(guard.addresses("evil.example")) == ("10.0.0.7",)


def test_a_network_is_open_by_any_name() -> None:
    names = Names(wiki_internal=[["10.1.0.7"]], any_example=[["10.1.0.8"]], far_example=[["10.2.0.8"]])
    guard = Guard(networks=[read_network("10.1.0.0/16"), read_network("fd12::/32")], resolve=names)
    assert asyncio.run(guard.addresses("wiki.internal")) == ("10.1.0.7",)
    assert asyncio.run(guard.addresses("any.example")) == ("10.1.0.8",)
    for host in ("10.1.2.3", "[fd12::1]", "[::ffff:10.1.2.3]", "[64:ff9b::a01:203]"):
        assert opened(guard, host)
    for host in ("10.2.0.1", "127.0.0.1", "[fd13::1]", "[2001:0:a01:203::]"):
        assert not opened(guard, host)
    assert kind(asyncio.run(guard.addresses("far.example"))) == "blocked"


@pytest.mark.parametrize("options", [{"allow_private": True}, {"networks": [read_network("0.0.0.0/0")]}])
def test_odd_ports_are_open_at_addresses_of_ones_own_alone(options: dict[str, Any]) -> None:
    guard = Guard(resolve=Names(a_example=[["8.8.8.8"]]), **options)
    assert guard.refuses("http://127.0.0.1:81/") is None
    assert guard.refuses_socket("127.0.0.1", 25) is None
    for refused in (guard.refuses("http://8.8.8.8:25/"), guard.refuses_socket("8.8.8.8", 25)):
        assert refused is not None and "port" in refused.detail


@given(st.ip_addresses())
def test_what_is_allowed_is_never_more_than_was_said(address: IPv4Address | IPv6Address) -> None:
    """Of all addresses, loopback alone is open without a name; public ones are open to all."""
    guard, text = Guard(allow_private=True), str(address)
    assert (guard.refuses_socket(text, 80) is None) is (public(text) or is_loopback(text))


def test_via_is_the_permission_for_one_address_and_no_other() -> None:
    async def story() -> None:
        names = Names()
        async with Loopback(serving(lambda head: http(head))) as server, Loopback(serving(http)) as other:
            guard = Guard(via=("127.0.0.1", server.port), resolve=names)
            async with Client(guard, "test") as client:
                for url in ("http://one.example/a", "https://two.example:8443/b"):
                    answer = await client.get(url)
                    assert isinstance(answer, Answer) and answer.capture.address == "127.0.0.1"
                for url in (other.url(), server.url(), "http://localhost/", "http://10.0.0.1/"):
                    assert kind(await client.get(url)) == "blocked"
            assert server.accepted == 1  # kept alive across hosts
            assert [head.split(b"\r\n")[:2] for head in server.requests] == [
                [b"GET /a HTTP/1.1", b"Host: one.example"],
                [b"GET /b HTTP/1.1", b"Host: two.example:8443"],
            ]
            assert await guard.addresses("one.example") == ("127.0.0.1",)
            assert guard.refuses_socket("127.0.0.1", other.port)
            assert guard.refuses_socket("8.8.8.8", server.port)
            assert other.accepted == 0 and names.asked == []

    asyncio.run(story())


def test_via_may_be_a_name() -> None:
    async def story() -> None:
        async with Loopback(serving(lambda head: http(b"here"))) as server:
            guard = Guard(via=("testserver", server.port), resolve=Names(testserver=[["127.0.0.1"]]))
            async with Client(guard, "test") as client:
                assert isinstance(await client.get("http://one.example/"), Answer)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("trouble", "seconds"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), module.KEPT_UNKNOWN),
        (socket.gaierror(socket.EAI_AGAIN, "server failure"), module.KEPT_FAILURE),
        (TimeoutError(), module.KEPT_FAILURE),
        (OSError("no network"), module.KEPT_FAILURE),
        (ValueError("a resolver that is wrong"), module.KEPT_FAILURE),
        (UnicodeError("label too long"), module.KEPT_UNKNOWN),
    ],
)
def test_dns_failure_is_named_and_remembered_for_a_while(trouble: Exception, seconds: float) -> None:
    names, clock = Names(a_example=[trouble, ["8.8.8.8"]]), Clock()
    guard = Guard(resolve=names, clock=clock)

    async def story() -> None:
        for _ in range(3):
            assert kind(await guard.addresses("a.example")) == "dns"
        clock.now += seconds - 1
        assert kind(await guard.addresses("a.example")) == "dns"
        assert len(names.asked) == 1
        clock.now += 2
        assert await guard.addresses("a.example") == ("8.8.8.8",)

    asyncio.run(story())


def test_nxdomain_is_told_apart_from_servfail_and_kept_longer() -> None:
    unknown, again = socket.gaierror(socket.EAI_NONAME, "x"), socket.gaierror(socket.EAI_AGAIN, "x")
    guard = Guard(resolve=Names(no_example=[unknown], busy_example=[again]))
    found = [asyncio.run(guard.addresses(name)) for name in ("no.example", "busy.example")]
    assert found == [Failure("dns", "no such name"), Failure("dns", "the name server failed")]
    assert module.KEPT_UNKNOWN > module.KEPT_FAILURE


def test_many_who_ask_for_one_name_share_one_look_up_and_one_who_leaves_takes_nothing_away() -> None:
    names = Names(a_example=[["8.8.8.8"]])
    guard = Guard(resolve=names)

    async def story() -> None:
        asking = [asyncio.create_task(guard.addresses("a.example")) for _ in range(20)]
        await asyncio.sleep(0)
        asking[0].cancel()
        found = await asyncio.gather(*asking, return_exceptions=True)
        assert found[1:] == [("8.8.8.8",)] * 19 and isinstance(found[0], asyncio.CancelledError)
        assert names.asked == ["a.example"]

    asyncio.run(story())


def test_what_is_pinned_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PINNED", 10)

    async def anything(host: str) -> Sequence[str]:
        return ["8.8.8.8"]

    guard = Guard(resolve=anything)

    async def story() -> None:
        for n in range(100):
            await guard.addresses(f"h{n}.example")

    asyncio.run(story())
    assert len(guard._pinned) == 10 and guard._looking == {}


def test_a_slow_resolver_has_a_time_limit_and_a_cap_and_keeps_nobody_from_leaving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, most, now = threading.Event(), 0, 0
    lock = threading.Lock()

    def hangs(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        release.wait(60)
        with lock:
            now -= 1
        return [(2, 1, 6, "", ("8.8.8.8", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", hangs)

    async def story() -> None:
        lookups = Lookups(most=3, seconds=0.1)
        guard = Guard(resolve=lookups)
        asking = [asyncio.create_task(guard.addresses(f"h{n}.example")) for n in range(6)]
        first = await asyncio.gather(*asking[:3])
        assert first == [Failure("dns", "no answer from the name server")] * 3
        assert most == 3
        lookups._seconds = 60.0
        release.set()
        assert await asyncio.gather(*asking[3:]) == [("8.8.8.8",)] * 3

    asyncio.run(story())
    assert most == 3


def test_the_system_is_asked_by_default() -> None:
    guard = Guard(allow_private=True)
    found = asyncio.run(guard.addresses("localhost"))
    assert "127.0.0.1" in found or "::1" in found


@given(st.text(max_size=40))
def test_reading_any_text_as_an_address_never_raises(text: str) -> None:
    for url in (text, f"http://{text}/", f"http://example.com/{text}"):
        found = target(url)
        if not isinstance(found, Failure):
            assert found.url.isascii() and found.url.isprintable() and "@" not in found.host and " " not in found.url
            assert target(found.url) == found


def test_hosts_that_were_named_are_told_so_that_another_guard_names_the_same() -> None:
    first = Guard(allow_private=True, named=["box.lan:8080", "10.0.0.7", "[fd12::1]:80"])
    second = Guard(allow_private=True, named=first.named())
    for url in ("http://box.lan/", "http://10.0.0.7/", "http://[fd12::1]/", "http://10.0.0.8/", "http://[fd12::2]/"):
        assert (second.refuses(url) is None) == (first.refuses(url) is None) == ("8" not in url and "::2" not in url)


@given(st.ip_addresses(v=4), st.integers(1, 65535))
def test_hosts_that_are_numbers_are_read_as_browsers_write_them(address: IPv4Address, port: int) -> None:
    found = target(f"http://{address}:{port}/a?b")
    assert isinstance(found, module.Target) and found[1:] == (str(address), port, "/a?b")
    assert target(f"http://{int(address)}:{port}/a?b") == found


def test_what_was_refused_before_a_host_was_named_is_not_refused_after() -> None:
    guard = Guard(allow_private=True)
    assert guard.refuses("http://wiki.internal/") is not None
    guard.name(["wiki.internal"])
    assert guard.refuses("http://wiki.internal/") is None


def test_what_is_remembered_of_refused_hosts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_REFUSED", 10)
    guard = Guard()
    for number in range(100):
        assert (guard.refuses(f"http://10.0.0.{number}/") is None) is False
        assert guard.refuses(f"http://host{number}.example.org/") is None
        assert len(guard._refused) <= 10
