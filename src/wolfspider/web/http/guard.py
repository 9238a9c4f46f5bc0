"""One guard for every socket that goes out.

Pages are written by strangers, and so are the addresses in them: `http://169.254.169.254/` in a link, a name whose
record points to 10.0.0.1, a public name that points inside a second later. So an address is looked at three times.
Before anything is asked for, `refuses` reads it: scheme, port, names and numbers that can only be inside. When a name
is looked up, every record it has must be public, or the whole name is refused, and the answer is pinned: connections of
the next minutes go to the addresses that were checked. Last, the connector checks the address of every socket before it
is opened and the peer once it is connected, because literal addresses pass by the resolver. What a connection kept
alive leads to was checked in this way when it was made.

`allow_private` opens this machine, and the hosts that the person named, wherever inside they are: a name or number in
an address that the person gave, not what pages and redirects call so. `networks` are open by whatever name they are
reached. Link-local addresses and those where clouds keep keys are never opened. `via` sends every connection to one
host and port, and is the permission for that one and no other; names and numbers in addresses are judged as without it,
only not looked up.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakSet

import ada_url

from wolfspider.core.model import NO_SUCH_NAME, Failure
from wolfspider.web.http.connections import NO_HANDLE, FewConnections, NoHandle, with_patience
from wolfspider.web.http.http_library import AbstractResolver, ResolveResult
from wolfspider.web.http.ip_addresses import (
    Address,
    Network,
    bare_host,
    is_localhost,
    is_loopback,
    lies_in,
    may_be_opened,
    name_inside,
    public,
    read_address,
)
from wolfspider.web.http.lookups import Lookups
from wolfspider.web.http.one_answer import OneAnswer
from wolfspider.web.page.urls import LONGEST

Resolve = Callable[[str], Awaitable[Sequence[str]]]

KEPT = 300.0  # seconds that an answer is pinned
KEPT_UNKNOWN = 120.0  # that no such name exists
KEPT_FAILURE = 30.0  # that a name server failed: it may be back soon
IDLE = 15.0  # seconds that a connection is kept alive without use
_MOST_PINNED = 50_000
_MOST_REFUSED = 1_000  # hosts of which it is remembered whether their addresses are refused
_MOST_RECORDS = 16  # of a name that are used

# What browsers refuse above 1023 (the "bad ports" of the Fetch standard); below, only 80 and 443 are the web.
_BAD_PORTS = frozenset(
    (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, *range(6665, 6670), 6679, 6697, 10080)
)
_STANDARD = {"http": 80, "https": 443}
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"  # as WHATWG writes it
_NUMBER = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_PLAIN = re.compile(rf"(https?)://((?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*|{_NUMBER})(?::(\d{{1,5}}))?(/[!-~]*)", re.ASCII)
_ANY = re.compile(r"(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(/[!-~]*)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x20\x7f]")

_NOT_PUBLIC = Failure(
    "blocked", "not a public address (--allow-private opens hosts that you name, --allow-network a network)"
)
_CLOSED = Failure("blocked", "link local, or where a cloud keeps its keys: that stays closed")
_PORT = Failure("blocked", "not a port of the web (allowed only at addresses of your own)")


class Target(NamedTuple):
    """An address taken apart, as browsers read it: nothing of it is read again by another parser."""

    scheme: str
    host: str  # a name, an IPv4 address with dots, or an IPv6 address in brackets
    port: int
    rest: str  # path and query

    @property
    def authority(self) -> str:
        """What the Host header says."""
        return self.host if self.port == _STANDARD[self.scheme] else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.rest}"


@lru_cache(256)
def target(url: str) -> Target | Failure:
    """Of an address, canonical or not; user names, passwords and fragments fall off. An address is asked for at every
    door on its way, so the last ones are remembered."""
    if len(url) > LONGEST:
        return Failure("blocked", "the address is too long")
    found = _PLAIN.fullmatch(url)
    if found is None:
        if _CONTROL.search(url):
            return Failure("blocked", "control characters in the address")
        found = _ANY.fullmatch(_normal(url))
    if found is None:
        return Failure("scheme", "not an http or https address")
    scheme, host, port, rest = found.groups()
    return Target(scheme, host, int(port) if port else _STANDARD[scheme], rest.partition("#")[0])


def _normal(url: str) -> str:
    """As WHATWG writes it, without user name and password: odd IPv4 forms become four numbers."""
    try:
        href: str = ada_url.normalize_url(url)
    except ValueError:
        return ""
    scheme, _, rest = href.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


class Refused(OSError):
    """Carries a Failure through libraries that know only exceptions, and this kind for sockets and names."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class _Pinned(NamedTuple):
    found: tuple[str, ...] | Failure
    until: float


class Guard:
    def __init__(
        self,
        *,
        allow_private: bool = False,
        named: Iterable[str] = (),
        networks: Iterable[Network] = (),
        via: tuple[str, int] | None = None,
        resolve: Resolve | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`named`: hosts, with or without ports, that the person named; they count only if private ones are allowed."""
        self.allow_private = allow_private
        self.networks = tuple(networks)
        self.via = (bare_host(via[0]), via[1]) if via is not None else None
        self._resolve = resolve
        self._clock = clock
        self._connectors: WeakSet[FewConnections] = WeakSet()
        self._pinned: dict[str, _Pinned] = {}
        self._looking: dict[str, asyncio.Task[tuple[str, ...] | Failure]] = {}
        self._refused: dict[tuple[str, int], Failure | None] = {}  # what is known of hosts that were asked for lately
        self._named: set[str | Address] = set()
        self._theirs: set[str | Address] = set()  # addresses of hosts that were named, as far as they were looked up
        self.name(named)

    def name(self, hosts: Iterable[str]) -> None:
        """The person names these hosts, too."""
        if not self.allow_private:
            return
        self._refused.clear()
        for host in map(bare_host, hosts):
            self._named.add(_spelt(host))
            self._pinned.pop(host, None)  # it may have been refused before
            if _is_number(host) and may_be_opened(host):
                self._theirs.add(_spelt(host))

    def named(self) -> list[str]:
        """All hosts that the person named, spelt so that `name` takes them."""
        return [f"[{host}]" if ":" in str(host) else str(host) for host in self._named]

    def refuses(self, url: str) -> Failure | None:
        """What can be told from the address alone."""
        found = target(url)
        return found if isinstance(found, Failure) else self.refuses_target(found)

    def refuses_target(self, wanted: Target) -> Failure | None:
        where = wanted.host, wanted.port
        if where in self._refused:
            return self._refused[where]
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        refused = self._refused[where] = self._refuses_host(bare_host(wanted.host), wanted.port)
        return refused

    def _refuses_host(self, host: str, port: int) -> Failure | None:
        if _is_number(host):
            return self._refuses_address(host, host) or (None if _port_allowed(host, port) else _PORT)
        if self._refuses_name(host):
            return _NOT_PUBLIC
        # Of other names the addresses are known only later, when a socket is opened.
        private = bool(self.networks) or self.allow_private
        return None if _of_the_web(port) or (private and 0 < port < 65536) else _PORT

    def known(self, host: str) -> tuple[str, ...] | Failure | None:
        """What `addresses` would say, if nobody has to look it up."""
        return self._pin(bare_host(host) if self.via is None else self.via[0])

    async def addresses(self, host: str) -> tuple[str, ...] | Failure:
        """Of a name, or of a number itself: looked up once, every one checked, pinned for a while. With `via`, where
        the connection goes in truth."""
        return await self._known(bare_host(host) if self.via is None else self.via[0])

    def connector(self, limit: int = 0, tls: ssl.SSLContext | None = None) -> FewConnections:
        """Connects to checked addresses and no others. To be made inside a running loop."""
        connector = _Connector(self, limit, tls)
        self._connectors.add(connector)
        return connector

    def _close_idle(self) -> None:
        for connector in self._connectors:
            connector.close_idle()

    async def to_server(self, seconds: float) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the one server that answers for every address; OSError if it takes none in time."""
        assert self.via is not None
        return await asyncio.wait_for(asyncio.open_connection(*self.via), seconds)

    async def somebody_answers(self, seconds: float) -> bool:
        """Does the one server that answers for every address take connections?"""
        try:
            _, writer = await self.to_server(seconds)
        except OSError:  # that it takes too long is one too
            return False
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return True

    def refuses_socket(self, address: str, port: int) -> Failure | None:
        """Why no socket may be opened to this address."""
        if self.via is not None:
            pinned = self._pinned.get(self.via[0])
            here = pinned.found if pinned is not None else (self.via[0],)
            return None if port == self.via[1] and not isinstance(here, Failure) and address in here else _NOT_PUBLIC
        if _spelt(address) not in self._theirs and (refused := self._refuses_address("", address)):
            return refused
        return None if _port_allowed(address, port) else _PORT

    def _refuses_address(self, host: str, address: str) -> Failure | None:
        """May an address be asked for this host? One that was named may be anywhere inside."""
        if public(address):
            return None
        if refused := _refuses_for_good(address):
            return refused
        own = self.allow_private and (is_loopback(address) or _spelt(host) in self._named)
        return None if own or lies_in(address, self.networks) else _NOT_PUBLIC

    def _refuses_name(self, name: str) -> bool:
        """Names of the inside are looked up only where they may lead to something that is open."""
        if not name_inside(name) or self.networks:
            return False
        return not (self.allow_private and (is_localhost(name) or _spelt(name) in self._named))

    def _pin(self, name: str) -> tuple[str, ...] | Failure | None:
        pinned = self._pinned.get(name)
        return pinned.found if pinned is not None and pinned.until > self._clock() else None

    async def _known(self, name: str) -> tuple[str, ...] | Failure:
        if (found := self._pin(name)) is not None:
            return found
        if (looking := self._looking.get(name)) is None:
            looking = self._looking[name] = asyncio.ensure_future(self._look(name))
        return await asyncio.shield(looking)  # a visit that gives up does not cancel the look-up of the others

    async def _look(self, name: str) -> tuple[str, ...] | Failure:
        try:
            found, seconds = await self._checked(name)
        finally:
            del self._looking[name]
        self._pinned.pop(name, None)
        self._pinned[name] = _Pinned(found, self._clock() + seconds)
        if len(self._pinned) > _MOST_PINNED:
            del self._pinned[next(iter(self._pinned))]
        return found

    async def _checked(self, name: str) -> tuple[tuple[str, ...] | Failure, float]:
        """The addresses of a name, and how long that holds."""
        trusted = self.via is not None
        if not trusted and not _is_number(name) and self._refuses_name(name):
            return _NOT_PUBLIC, KEPT
        found, seconds = ((name,), KEPT) if _is_number(name) else await self._looked_up(name)
        if isinstance(found, Failure):
            return found, seconds
        for address in found:
            if refused := _refuses_for_good(address) if trusted else self._refuses_address(name, address):
                return refused, KEPT
        if _spelt(name) in self._named:
            self._theirs.update(map(_spelt, found))
        return found[:_MOST_RECORDS], KEPT

    async def _looked_up(self, name: str) -> tuple[tuple[str, ...] | Failure, float]:
        resolve = self._resolve = self._resolve or Lookups()
        try:
            found = tuple(dict.fromkeys(await with_patience(lambda: resolve(name), self._close_idle)))
        except NoHandle:
            return NO_HANDLE, 0.0
        except TimeoutError:
            return Failure("dns", "no answer from the name server"), KEPT_FAILURE
        except socket.gaierror as error:
            if error.errno in (socket.EAI_NONAME, socket.EAI_NODATA):
                return NO_SUCH_NAME, KEPT_UNKNOWN
            return Failure("dns", "the name server failed"), KEPT_FAILURE
        except UnicodeError:
            return NO_SUCH_NAME, KEPT_UNKNOWN
        except Exception:  # a resolver is anybody's code, and what it cannot find is no reason to stop
            return Failure("dns", "the look-up failed"), KEPT_FAILURE
        return (found, KEPT) if found else (NO_SUCH_NAME, KEPT_UNKNOWN)


def _spelt(host: str) -> str | Address:
    """A name or an address in its one spelling."""
    return read_address(host) or host.rstrip(".")


def _port_allowed(address: str, port: int) -> bool:
    """At an address of one's own, any port."""
    return _of_the_web(port) or (0 < port < 65536 and not public(address))


def _of_the_web(port: int) -> bool:
    return port in (80, 443) or (1024 <= port < 65536 and port not in _BAD_PORTS)


def _refuses_for_good(address: str) -> Failure | None:
    """Whatever a person allows; also what is no address at all."""
    if public(address) or may_be_opened(address):
        return None
    return _CLOSED if read_address(address.partition("%")[0]) is not None else _NOT_PUBLIC


def _is_number(host: str) -> bool:
    """By the rule of WHATWG: a host whose last label is a number is an IPv4 address, well formed or not."""
    if host[:1] == "[" or ":" in host:
        return True
    last = host.rstrip(".").rpartition(".")[2]
    return last.isdigit() or last[:2].lower() == "0x"


class _Resolver(AbstractResolver):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._guard.addresses(host)
        if isinstance(found, Failure):
            raise Refused(found)
        return [
            ResolveResult(hostname=host, host=each, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
            for each in found
        ]

    async def close(self) -> None:
        """Nothing is held."""


# Did the request of this task open a connection of its own? On one that was kept alive the server may have hung up.
FRESH: ContextVar[bool] = ContextVar("fresh", default=False)


class _Connector(FewConnections):
    def __init__(self, guard: Guard, limit: int, tls: ssl.SSLContext | None) -> None:
        super().__init__(
            self._socket,
            resolver=_Resolver(guard),
            use_dns_cache=False,
            limit=limit,
            keepalive_timeout=IDLE,
            ssl=tls if tls is not None else True,
        )
        self._factory: partial[Any] = partial(OneAnswer, loop=self._loop)
        self._guard = guard

    def _socket(self, where: tuple[Any, ...]) -> socket.socket:
        """Asked for each socket, also of literal addresses, which no resolver sees."""
        family, kind, protocol, _, address = where
        if refused := self._guard.refuses_socket(address[0], address[1]):
            raise Refused(refused)
        return socket.socket(family, kind, protocol)

    async def _create_connection(self, req: Any, traces: Any, timeout: Any) -> Any:
        FRESH.set(True)
        protocol = await super()._create_connection(req, traces, timeout)
        peer = protocol.transport.get_extra_info("peername") if protocol.transport is not None else None
        if refused := _NOT_PUBLIC if peer is None else self._guard.refuses_socket(peer[0], peer[1]):
            protocol.close()
            raise Refused(refused)
        return protocol
