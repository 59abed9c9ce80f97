"""Which URLs an endpoint may have. What the name of its host leads to is looked up elsewhere.

Readers of URLs disagree on odd ones, and a check that reads another host than the dialler does is none. So what an
endpoint may hold is narrow: the ASCII of RFC 3986, one plain host, nothing to be decoded in it. A name of other letters
is stored as IDNA writes it, since not every libcurl knows how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import NamedTuple
from urllib.parse import quote

from jobs.domain.addresses import refusal
from jobs.domain.json_value import text_fault
from jobs.domain.literal_address import is_literal, literal_address

MAX_URL_LENGTH = 2000
MAX_HOST_LENGTH = 253
MAX_LABEL_LENGTH = 63
MAX_PORT = 65_535
Networks = Sequence[IPv4Network | IPv6Network]

_PARTS = re.compile(r"(?P<scheme>[^:/?#]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>.*))?", re.DOTALL)
_BLANK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f\\]")
_NOT_IN_REST = re.compile(r"[^A-Za-z0-9._~:/?\[\]@!$&'()*+,;=%-]")
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?")


class Url(NamedTuple):
    """A URL in parts; ``host`` with the brackets of an IPv6 address, ``port`` None when none is written."""

    scheme: str
    host: str
    port: str | None
    rest: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}{'' if self.port is None else f':{self.port}'}{self.rest}"


def url_fault(url: str, *, allowed: Networks) -> str:
    """Why a URL is refused, or empty. ``allowed``: networks that may be called though they are not public."""
    return next(_faults(url, allowed), "")


def ascii_url(url: str) -> str:
    """A URL without fault with its host as IDNA writes it: ``bücher.example`` is ``xn--bcher-kva.example``."""
    parts = _split(url)
    return str(parts._replace(host=_ascii_host(parts.host))) if parts else url


def _faults(url: str, allowed: Networks) -> Iterator[str]:
    yield from _text_faults(url)
    parts = _split(url)
    if parts is None or parts.scheme.lower() not in ("http", "https"):
        yield "The URL must begin with https:// or http://, followed by a host: https://api.example.com/hook."
        return
    if "#" in parts.rest:
        yield "The URL has a fragment (# and what follows), which is never sent. Leave it out."
    if found := _NOT_IN_REST.search(parts.rest):
        yield f'The URL has the character "{found[0]}" behind its host. Percent-encode it: {quote(found[0])}.'
    yield from _port_faults(parts.port)
    yield from _host_faults(parts.host, allowed)


def _text_faults(url: str) -> Iterator[str]:
    if problem := text_fault(url):
        yield f"The URL {problem}"
    if len(url) > MAX_URL_LENGTH:
        yield f"The URL has {len(url):,} characters; {MAX_URL_LENGTH:,} are allowed."
    if found := _BLANK_OR_CONTROL.search(url):
        yield (
            f"The URL has the character {found[0]!a}; blanks, control characters and backslashes are refused. "
            "Remove it, or percent-encode it behind the host."
        )
    authority = (_PARTS.match(url) or {"authority": ""})["authority"]
    if "@" in authority:
        yield (
            "The URL holds credentials (what stands before @), which all who see the endpoint could read. Leave them "
            "out, and enter an Authorization header under Secret headers."
        )


def _split(url: str) -> Url | None:
    parts = _PARTS.fullmatch(url)
    authority = _AUTHORITY.fullmatch(parts["authority"]) if parts else None
    return Url(parts["scheme"], authority["host"], authority["port"], parts["rest"]) if parts and authority else None


def _port_faults(port: str | None) -> Iterator[str]:
    is_number = port is None or (port.isascii() and port.isdigit() and len(port) <= len(str(MAX_PORT)))
    if not is_number or (port is not None and not 1 <= int(port) <= MAX_PORT):
        yield f'Port "{port}" is not a whole number from 1 to {MAX_PORT}. Correct it, or leave it and its colon out.'


def _host_faults(host: str, allowed: Networks) -> Iterator[str]:
    name = _ascii_host(host)
    if not host.strip("."):
        yield "The URL has no host. Write one: https://api.example.com/hook."
    elif name != host and _read_back(name) != host.lower():
        yield f'Host "{host}" is no name that IDNA writes and reads back. Write it in its ASCII form (xn--…).'
    elif is_literal(name):
        yield from _address_faults(name, allowed)
    else:
        yield from _name_faults(name)


def _address_faults(host: str, allowed: Networks) -> Iterator[str]:
    address = literal_address(host)
    if address is None:
        yield f'Host "{host}" is neither a name nor an address. Correct it: 203.0.113.7, [2001:db8::7] or a name.'
    elif problem := refusal(str(address), allowed):
        yield problem if host.strip("[]") == str(address) else f'Host "{host}" is an address: {problem}'


def _name_faults(name: str) -> Iterator[str]:
    """RFC 1123, with the underscore that some networks have in names."""
    bare = name.removesuffix(".")
    if len(bare) > MAX_HOST_LENGTH:
        yield f"The host has {len(bare)} characters; {MAX_HOST_LENGTH} are allowed. Correct it."
    for label in bare.split("."):
        if not _LABEL.fullmatch(label) or len(label) > MAX_LABEL_LENGTH:
            yield (
                f'Host "{name}" is no host name: each part between its dots has 1 to {MAX_LABEL_LENGTH} letters, '
                "digits, hyphens or underscores, and no hyphen at its ends. Correct it."
            )


def _ascii_host(host: str) -> str:
    """As IDNA writes it; as it is where that cannot be."""
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host


def _read_back(name: str) -> str:
    try:
        return name.encode().decode("idna").lower()
    except UnicodeError:
        return ""
