"""Addresses in place of a host name, in every spelling that resolvers take: ``127.1``, ``0x7f.1``, ``2130706433``.

The rule is the URL Standard's (https://url.spec.whatwg.org/#concept-ipv4-parser): a host whose last part is a number is
an IPv4 address or nothing, its last part filling the bytes that are left.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address

_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+")
_LONGEST = 40


def is_literal(host: str) -> bool:
    """Whether a host can only be read as an address; one of IPv6 stands in brackets."""
    return host.startswith("[") or _NUMBER.fullmatch(_parts(host)[-1]) is not None


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a literal host means; None when it means none."""
    if host.startswith("["):
        return _ipv6(host[1:-1])
    numbers = [_number(part) for part in _parts(host)]
    *leading, last = numbers
    if len(numbers) > 4 or any(not 0 <= number <= 255 for number in leading):
        return None
    if not 0 <= last < 256 ** (4 - len(leading)):
        return None
    return IPv4Address(sum(number << 8 * (3 - place) for place, number in enumerate(leading)) + last)


def _parts(host: str) -> list[str]:
    return host.removesuffix(".").split(".")


def _number(part: str) -> int:
    """Hexadecimal behind ``0x``, octal behind ``0``, else decimal; -1 for what is none of them."""
    if not _NUMBER.fullmatch(part) or len(part) > _LONGEST:
        return -1
    try:
        if part[:2].lower() == "0x":
            return int(part[2:] or "0", 16)
        return int(part, 8 if part.startswith("0") else 10)
    except ValueError:
        return -1


def _ipv6(text: str) -> IPv6Address | None:
    """Without a zone: what a zone names differs from machine to machine."""
    try:
        return IPv6Address(text) if "%" not in text else None
    except ValueError:
        return None
