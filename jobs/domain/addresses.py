"""Which IP addresses HTTP jobs may dial: those of the public internet, and what the operator allows.

The tables follow IANA's special-purpose registries for IPv4 and IPv6 (RFC 6890 and its updates); to them come the
addresses where clouds give out credentials. Of IPv6 only 2000::/3 is global unicast, so all else is refused. Addresses
that carry an IPv4 address inside are judged by it: the machine, or a gateway, dials that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The first network that holds an address names its kind, so the narrow ones stand first.
_REFUSED = (
    ("a metadata address of a cloud", "169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192"),
    ("a metadata address of a cloud", "fd00:ec2::254 fd20:ce::254 fd00:42::42"),
    ("the unspecified address", "0.0.0.0 ::"),
    ("the broadcast address", "255.255.255.255"),
    ("a loopback address", "127.0.0.0/8 ::1"),
    ("a private address", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16"),
    ("an address behind carrier-grade NAT", "100.64.0.0/10"),
    ("a link-local address", "169.254.0.0/16 fe80::/10"),
    ("a multicast address", "224.0.0.0/4 ff00::/8"),
    ("an address for documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
    ("an address for benchmarking", "198.18.0.0/15 2001:2::/48"),
    ("a unique-local address", "fc00::/7"),
    ("a site-local address", "fec0::/10"),
    ("an address of a local translator (NAT64)", "64:ff9b:1::/48"),
    ("an IPv4-compatible address", "::/96"),
    # 2001::/23 is reserved as a whole; Teredo in it (2001::/32) is judged before, by what it carries.
    ("a reserved address", "0.0.0.0/8 192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 2001::/23"),
)
_TABLE = tuple((ip_network(text), kind) for kind, texts in _REFUSED for text in texts.split())
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def refusal(address: str, allowed: Sequence[Network]) -> str:
    """Why HTTP jobs may not dial this address, and how to allow it; empty when they may."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return f'"{address}" is no IP address.'
    zoneless = IPv6Address(int(parsed)) if isinstance(parsed, IPv6Address) else parsed
    kind = _kind(parsed)
    if not kind or _is_allowed(zoneless, allowed):
        return ""
    return (
        f"{address} is {kind}, which HTTP jobs do not call. If it is meant, add "
        f'"{_own_network(zoneless)}" to BEATKEEPER["EGRESS_ALLOW"].'
    )


def _is_allowed(address: Address, allowed: Sequence[Network]) -> bool:
    """Dialling an IPv4-mapped address is dialling the IPv4 one, so either may be what is allowed."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any(address in network or (mapped is not None and mapped in network) for network in allowed)


def _own_network(address: Address) -> Network:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return ip_network(mapped or address)


def _kind(address: Address) -> str:
    """What forbidden kind of address this is, or empty."""
    if isinstance(address, IPv4Address):
        return _listed(address)
    if address.scope_id:
        return "an address of one network interface"
    if carried := tuple(_carried(address)):
        return next((f"a way to {inner}, {kind}" for inner in carried if (kind := _listed(inner))), "")
    return _listed(address) or ("" if address in _GLOBAL_UNICAST else "a reserved address")


def _listed(address: Address) -> str:
    return next((kind for network, kind in _TABLE if address in network), "")


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses inside: mapped, NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo's server and client (RFC 4380)."""
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
