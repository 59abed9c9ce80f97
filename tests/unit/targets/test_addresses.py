"""Which addresses may be dialled."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from jobs.domain.addresses import Network, refusal

REFUSED = {
    "0.0.0.0": "the unspecified address",
    "0.1.2.3": "a reserved address",
    "10.0.0.5": "a private address",
    "100.64.0.1": "carrier-grade NAT",
    "100.100.100.200": "a metadata address",
    "127.0.0.1": "a loopback address",
    "127.255.255.254": "a loopback address",
    "168.63.129.16": "a metadata address",
    "169.254.0.1": "a link-local address",
    "169.254.169.254": "a metadata address",
    "172.16.0.1": "a private address",
    "172.31.255.255": "a private address",
    "192.0.0.1": "a reserved address",
    "192.0.2.1": "for documentation",
    "192.88.99.1": "a reserved address",
    "192.168.1.1": "a private address",
    "198.18.0.1": "for benchmarking",
    "198.51.100.1": "for documentation",
    "203.0.113.1": "for documentation",
    "224.0.0.1": "a multicast address",
    "239.255.255.255": "a multicast address",
    "240.0.0.1": "a reserved address",
    "255.255.255.255": "the broadcast address",
    "::": "the unspecified address",
    "::1": "a loopback address",
    "::127.0.0.1": "an IPv4-compatible address",
    "::8.8.8.8": "an IPv4-compatible address",
    "::ffff:127.0.0.1": "a way to 127.0.0.1",
    "::ffff:10.0.0.1": "a way to 10.0.0.1",
    "::ffff:0:127.0.0.1": "a reserved address",
    "64:ff9b::7f00:1": "a way to 127.0.0.1",
    "64:ff9b::a9fe:a9fe": "a way to 169.254.169.254",
    "64:ff9b:1::1": "local translator",
    "100::1": "a reserved address",
    "2001:0:7f00:1::": "a way to 127.0.0.1",
    "2001:0:808:808:0:0:80ff:fffe": "a way to 127.0.0.1",
    "2001:2::1": "for benchmarking",
    "2001:20::1": "a reserved address",
    "2001:db8::1": "for documentation",
    "2002:7f00:1::": "a way to 127.0.0.1",
    "2002:a00:1::": "a way to 10.0.0.1",
    "3fff::1": "for documentation",
    "5f00::1": "a reserved address",
    "fc00::1": "a unique-local address",
    "fd00::1": "a unique-local address",
    "fd00:ec2::254": "a metadata address",
    "fe80::1": "a link-local address",
    "fe80::1%lo": "of one network interface",
    "2606:4700::1%eth0": "of one network interface",
    "fec0::1": "a site-local address",
    "ff02::1": "a multicast address",
    "localhost": "is no IP address",
    "127.1": "is no IP address",
    "": "is no IP address",
}
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


@pytest.mark.parametrize(("address", "kind"), REFUSED.items())
def test_an_address_that_is_not_public_is_refused_with_its_kind(address: str, kind: str) -> None:
    assert kind in refusal(address, ())


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_dialled(address: str) -> None:
    assert refusal(address, ()) == ""


def test_the_refusal_says_how_to_allow() -> None:
    assert refusal("10.0.0.5", ()) == (
        "10.0.0.5 is a private address, which HTTP jobs do not call. If it is meant, add "
        '"10.0.0.5/32" to BEATKEEPER["EGRESS_ALLOW"].'
    )


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5", "fe80::1%lo"])
def test_what_an_allowed_network_holds_may_be_dialled(address: str) -> None:
    assert refusal(address, _networks("10.1.0.0/16", "fd00:1::/32", "fe80::/10")) == ""


@pytest.mark.parametrize("address", ["10.2.0.1", "::ffff:10.2.0.1", "fd00:2::5", "64:ff9b::a01:203", "2002:a01:203::"])
def test_what_lies_beside_an_allowed_network_is_refused(address: str) -> None:
    assert refusal(address, _networks("10.1.0.0/16", "fd00:1::/32"))


def test_what_the_refusal_says_to_add_allows_the_address() -> None:
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "fe80::1%lo", "2002:7f00:1::"):
        network = refusal(address, ()).split('"')[1]
        assert refusal(address, _networks(network)) == ""
