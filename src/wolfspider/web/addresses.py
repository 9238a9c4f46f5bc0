"""Which IP addresses anybody may reach, and which lead inside.

The tables are our own, made from the IANA registries of special-purpose addresses: what Python's `ipaddress` calls
private or global differs from one version to the next. Some blocks in these registries are globally reachable (relays
and anycast services). No web page is served from there, so a block that is closed is closed as a whole.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

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
_6TO4 = IPv6Network("2002::/16")
_ISATAP = (0x00005EFE, 0x02005EFE)

_OF_NO_MACHINE = tuple(map(ip_network, ("0.0.0.0/32", "224.0.0.0/4", "::/128", "ff00::/8")))
# Where machines of a cloud ask for their own keys. Never a page, whatever is allowed.
_METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"))
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
    if address in _METADATA or any(address in block for block in _NOT_PUBLIC):
        return False
    if isinstance(address, IPv4Address):
        return True
    inner = _embedded(address)
    if address.scope_id is not None or (inner is not None and not _public(inner)):
        return False
    return any(address in block for block in (_GIVEN_OUT, _MAPPED, _NAT64))


@lru_cache(4096)
def inside(text: str) -> bool:
    """May this IP address be asked with --allow-private? Yes, if it can be a machine's and no keys are served there."""
    address = read_address(text.partition("%")[0])  # by any network card
    return address is not None and _inside(address)


def _inside(address: Address) -> bool:
    if address in _METADATA or any(address in block for block in _OF_NO_MACHINE):
        return False
    inner = _embedded(address) if isinstance(address, IPv6Address) else None
    return inner is None or _inside(inner)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a mapped, 6to4, NAT64 or ISATAP address leads to."""
    whole = int(address)
    if address in _MAPPED or address in _NAT64 or (whole >> 32) & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(whole & 0xFFFFFFFF)
    return IPv4Address(whole >> 80 & 0xFFFFFFFF) if address in _6TO4 else None
