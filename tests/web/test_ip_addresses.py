"""Which addresses are public stands in our own table, and does not change with the version of Python."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.web.addresses import NOT_PUBLIC, PUBLIC, REGISTRY

import wolfspider
from wolfspider.core.errors import Problem
from wolfspider.web.http.ip_addresses import may_be_opened, public, read_network

NETWORKS = {block: ipaddress.ip_network(block) for block in REGISTRY}
CLOSED = ["192.0.0.0/24", "2001::/23"]  # closed as a whole, with what is globally reachable in them


def blocks_around(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[str]:
    return [block for block, network in NETWORKS.items() if address in network]


def edges(block: str) -> set[str]:
    network = NETWORKS[block]
    middle = int(network[0]) + network.num_addresses // 2
    return {str(network[0]), str(network[-1]), str(type(network[0])(middle))}


@pytest.mark.parametrize("block", [block for block in REGISTRY if not REGISTRY[block]])
def test_a_block_that_the_registry_calls_not_reachable_is_not_public(block: str) -> None:
    assert not any(map(public, edges(block)))


@pytest.mark.parametrize("block", [block for block in REGISTRY if REGISTRY[block]])
def test_a_reachable_block_is_public_unless_one_around_it_is_closed(block: str) -> None:
    expected = not any(around in CLOSED for around in blocks_around(NETWORKS[block][0]))
    assert {public(each) for each in edges(block)} == {expected}


@pytest.mark.parametrize("block", [block for block in REGISTRY if not REGISTRY[block] and ":" not in block])
def test_the_addresses_next_to_a_block_are_public_unless_another_block_has_them(block: str) -> None:
    first, last = int(NETWORKS[block][0]), int(NETWORKS[block][-1])
    for number in (first - 1, last + 1):
        if 0 <= number < 1 << 32 and not blocks_around(ipaddress.IPv4Address(number)):
            assert public(str(ipaddress.IPv4Address(number)))


def test_no_module_asks_python_which_addresses_are_public() -> None:
    package = Path(wolfspider.__file__).parent
    asking = re.compile(r"\.is_(?:global|private|reserved|multicast|unspecified|link_local|site_local|loopback)\b")
    assert [path.name for path in package.rglob("*.py") if asking.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "127.0.0.1", "192.168.1.1", "::1", "fd00::1", "fd00::1%eth0", "::10.0.0.1", "64:ff9b:1::a00:1"],
)
def test_an_address_inside_may_be_allowed(address: str) -> None:
    assert may_be_opened(address)


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "224.0.0.1", "239.255.255.255", "::", "ff02::1", "::ffff:224.0.0.1", "2002:e000:1::"),
        *("169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.42.42", "169.254.0.1", "192.0.0.192"),
        *("100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd00:ec2::254%eth0", "fd00:ec2::23", "fd20:ce::254"),
        *("fd00:42::42", "fe80::a9fe:a9fe", "fe80::a9fe:a9fe%eth0", "fe80::1", "fe80::1%eth0", "febf::1"),
        *("fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:100::100:200", "255.255.255.255", "0.1.2.3"),
        *("2001:0:a9fe:a9fe::", "2001:0:808:808:0:0:5601:5601"),  # Teredo: by its server, and by its client
        *("64:ff9b:1::169.254.169.254", "64:ff9b:1:a9fe:a9:fe00::", "::169.254.169.254", "::ffff:0:169.254.169.254"),
        *("::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::", "2607:f8b0::5efe:169.254.169.254"),
        *("", "example.com", "127.1"),
    ],
)
def test_an_address_of_no_machine_or_with_keys_is_never_inside(address: str) -> None:
    assert not may_be_opened(address)


@pytest.mark.parametrize("text", ["10.0.0.0/8", "10.1.2.3", "fd12::/32", "::/0", "0.0.0.0/0", "169.0.0.0/8"])
def test_a_network_is_read(text: str) -> None:
    assert str(read_network(text)).startswith(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10.1.2.3/8", "say 10.0.0.0/8 for the network, or 10.1.2.3 for the address"),
        ("10.0.0.0/33", "such as 10.1.0.0/16"),
        ("intranet", "such as 10.1.0.0/16"),
        ("", "such as 10.1.0.0/16"),
        ("169.254.0.0/16", "stays closed"),
        ("169.254.169.254", "stays closed"),
        ("fe80::/64", "stays closed"),
        ("fd00:ec2::254", "stays closed"),
        ("168.63.129.16", "stays closed"),
    ],
)
def test_what_is_no_network_or_stays_closed_is_a_sentence(text: str, said: str) -> None:
    with pytest.raises(Problem, match=said):
        read_network(text)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_global_is_not_public(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_global_address_is_public(address: str) -> None:
    assert public(address)


@pytest.mark.parametrize(
    "text", ["", "example.com", "0x7f.1", "2130706433", "127.1", "1.2.3.4.5", "8.8.8.8:80", "[::1]"]
)
def test_what_is_no_plain_address_is_not_public(text: str) -> None:
    assert not public(text)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_stays_what_it_is_inside_an_ipv6_one(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    here = public(str(address))
    assert here <= all(REGISTRY[block] for block in blocks_around(address))
    for wrapped in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80):
        assert public(str(ipaddress.IPv6Address(wrapped))) == here
    assert not public(str(ipaddress.IPv6Address(number)))


@given(st.ip_addresses(v=6))
@example(ipaddress.IPv6Address("2002:808:808::1"))
def test_no_ipv6_address_is_public_that_the_registry_calls_inside(address: ipaddress.IPv6Address) -> None:
    assert public(str(address)) <= all(REGISTRY[block] for block in blocks_around(address))
