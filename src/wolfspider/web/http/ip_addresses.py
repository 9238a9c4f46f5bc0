"""Which hosts anybody may reach, and which lead inside: IP addresses, and names that need no look-up.

The tables are our own, made from the IANA registries of special-purpose addresses: what Python's `ipaddress` calls
private or global differs from one version to the next. Some blocks in these registries are globally reachable (relays
and anycast services). No web page is served from there, so a block that is closed is closed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from wolfspider.core.errors import Problem

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NOT_PUBLIC = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private use
        "100.64.0.0/10",  # shared by the customers of a carrier
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link local
        "172.16.0.0/12",  # private use
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private use
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, with the broadcast address
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID and others
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
# The only part of IPv6 that is given out for machines. Outside are loopback, private use (fc00::/7), link local
# (fe80::/10), multicast (ff00::/8) and others.
_GIVEN_OUT = IPv6Network("2000::/3")
# Forms of IPv6 addresses that lead to an IPv4 address.
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_OWN_NAT64 = IPv6Network("64:ff9b:1::/48")  # of a network's own, with the IPv4 address at one of two places
_LAST_FOUR = (_MAPPED, _NAT64, _OWN_NAT64, *map(IPv6Network, ("::/96", "::ffff:0:0:0/96")))  # compatible, translated
_LOOPBACK = IPv6Address("::1")
_6TO4 = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = (0x00005EFE, 0x02005EFE)

# Closed, whatever a person allows: what no machine has, what never leaves one cable, and where machines of a cloud ask
# for their own keys.
_CLOSED = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32", "::/128", "ff00::/8"),  # of no machine
        *("169.254.0.0/16", "fe80::/10"),  # link local, with the metadata of nearly all clouds
        *("fd00:ec2::/32", "fd20:ce::/64", "168.63.129.16/32"),  # Amazon, Google, Azure
        *("192.0.0.192/32", "fd00:c1::a9fe:a9fe/128"),  # Oracle
        *("100.100.100.200/32", "fd00:100::100:200/128"),  # Alibaba
        *("fd00:a9fe:a9fe::/64", "fd00:42::42/128"),  # Akamai, Scaleway
    )
)
_LOOPBACKS = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"), IPv6Network("::ffff:127.0.0.0/104"))
EVERYTHING = ("0.0.0.0/0", "::/0")  # networks; what is closed stays closed

_NAMES_INSIDE = frozenset(
    ["localhost", "local", "internal", "localdomain", "intranet", "lan", "corp", "home", "private"]
)


@lru_cache(4096)
def read_address(text: str) -> Address | None:
    """An IP address in its plain form; None if the text is something else."""
    try:
        return IPv6Address(text) if ":" in text else IPv4Address(text)
    except AddressValueError:
        return None


@lru_cache(4096)
def public(text: str) -> bool:
    """Is this an IP address that anybody may reach? An IPv4 address inside an IPv6 one counts as itself."""
    address = read_address(text)
    return address is not None and _public(address)


def _public(address: Address) -> bool:
    if any(address in block for block in (*_CLOSED, *_NOT_PUBLIC)):
        return False
    if isinstance(address, IPv4Address):
        return True
    if address.scope_id is not None or not all(map(_public, _embedded(address))):
        return False
    return any(address in block for block in (_GIVEN_OUT, _MAPPED, _NAT64))


@lru_cache(4096)
def may_be_opened(text: str) -> bool:
    """Is this an IP address that a person may allow? Not if it, or one that it leads to, is closed for good."""
    address = read_address(text.partition("%")[0])  # by any network card
    return address is not None and _may_be_opened(address)


def _may_be_opened(address: Address) -> bool:
    if any(address in block for block in _CLOSED):
        return False
    return isinstance(address, IPv4Address) or all(map(_may_be_opened, _embedded(address)))


@lru_cache(4096)
def is_loopback(text: str) -> bool:
    """Is this an IP address of this machine alone?"""
    address = read_address(text)
    return address is not None and any(address in block for block in _LOOPBACKS)


def lies_in(text: str, networks: Iterable[Network]) -> bool:
    """Is this IP address in one of the networks? An IPv6 address that leads to IPv4 ones is where these are, too."""
    address = read_address(text.partition("%")[0])
    if address is None:
        return False
    led_to = [address] if isinstance(address, IPv4Address) else _embedded(address)
    return any(address in block for block in networks) or (
        bool(led_to) and all(any(each in block for block in networks) for each in led_to)
    )


def read_network(text: str) -> Network:
    """A network that a person opens."""
    try:
        network = ip_network(text)
    except ValueError:
        raise Problem(_no_network(text)) from None
    if any(network[0] in block and network[-1] in block for block in _CLOSED):
        raise Problem(f"{text} stays closed: it is link local, of no machine, or where a cloud keeps its keys.")
    return network


def is_wide(network: Network) -> bool:
    """Is it wider than the widest private network of its kind, 10.0.0.0/8 or fc00::/7?"""
    return network.prefixlen < (8 if network.version == 4 else 7)


def _no_network(text: str) -> str:
    try:
        meant = ip_network(text, strict=False)
    except ValueError:
        return f"--allow-network is a network or an address, such as 10.1.0.0/16 or 10.1.2.3, not {text[:80]!r}."
    return (
        f"{text} is an address in a network: say {meant} for the network, or {text.partition('/')[0]} for the address."
    )


def _embedded(address: IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses that an IPv6 one may lead to: mapped, compatible, translated, 6to4, NAT64, ISATAP, Teredo."""
    if address == _LOOPBACK:
        return []
    whole, found = int(address), []
    if any(address in block for block in _LAST_FOUR) or (whole >> 32) & 0xFFFFFFFF in _ISATAP:
        found.append(whole & 0xFFFFFFFF)
    middle = (whole >> 64 & 0xFFFF) << 16 | whole >> 40 & 0xFFFF  # the other place (RFC 6052)
    if address in _OWN_NAT64 and middle:
        found.append(middle)
    if address in _6TO4:
        found.append(whole >> 80 & 0xFFFFFFFF)
    if address in _TEREDO:  # the client's address has all bits turned, the other one is its server's
        found += [~whole & 0xFFFFFFFF, whole >> 64 & 0xFFFFFFFF]
    return [IPv4Address(number) for number in found]


def is_own_host(host: str) -> bool:
    """Is a host, with or without its port, a machine of one's own: no public number, or a name of the inside?"""
    name = bare_host(host)
    return not public(name) if read_address(name) is not None else name_inside(name)


def name_inside(host: str) -> bool:
    """Names that can only mean something inside: also those without a dot, which a resolver completes as it likes."""
    name = host.rstrip(".").lower()
    _, dot, last = name.rpartition(".")
    return not dot or last in _NAMES_INSIDE or f".{name}".endswith(".home.arpa")


def is_localhost(host: str) -> bool:
    """A name that means this machine."""
    return f".{host.rstrip('.').lower()}".endswith(".localhost")


def bare_host(host: str) -> str:
    """Without port and brackets."""
    if host[:1] == "[":
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host
