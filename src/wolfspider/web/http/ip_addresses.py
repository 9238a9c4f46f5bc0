"""Which hosts anybody may reach, and which lead inside: IP addresses, and names that need no look-up.

The tables are our own, made from the IANA registries of special-purpose addresses: what Python's `ipaddress` calls
private or global differs from one version to the next. Some blocks in these registries are globally reachable (relays
and anycast services). No web page is served from there, so a block that is closed is closed as a whole.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address

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
_ISATAP = (0x00005EFE, 0x02005EFE)

_OF_NO_MACHINE = tuple(map(ip_network, ("0.0.0.0/32", "224.0.0.0/4", "::/128", "ff00::/8")))
# Where machines of a cloud ask for their own keys. Never a page, whatever is allowed.
_METADATA = tuple(
    ip_network(block)
    for block in (
        *("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fe80::a9fe:a9fe/128"),
        *("fd00:ec2::23/128", "fd00:ec2::254/128", "fd20:ce::254/128", "fd00:42::42/128"),
    )
)


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
    if any(address in block for block in (*_METADATA, *_NOT_PUBLIC)):
        return False
    if isinstance(address, IPv4Address):
        return True
    if address.scope_id is not None or not all(map(_public, _embedded(address))):
        return False
    return any(address in block for block in (_GIVEN_OUT, _MAPPED, _NAT64))


@lru_cache(4096)
def inside(text: str) -> bool:
    """May this IP address be asked with --allow-private? Yes, if it can be a machine's and no keys are served there."""
    address = read_address(text.partition("%")[0])  # by any network card
    return address is not None and _inside(address)


def _inside(address: Address) -> bool:
    if any(address in block for block in (*_METADATA, *_OF_NO_MACHINE)):
        return False
    return isinstance(address, IPv4Address) or all(map(_inside, _embedded(address)))


def _embedded(address: IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses that an IPv6 one may lead to: mapped, compatible, translated, 6to4, NAT64 or ISATAP."""
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


def bare_host(host: str) -> str:
    """Without port and brackets."""
    if host[:1] == "[":
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host
