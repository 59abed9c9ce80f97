"""Where a URL leads, as curl reads it: two readers of one URL are how a check gets fooled.

What was read is kept, since the calls of an endpoint all have the same URL.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import NamedTuple

import pycurl

_KEPT = 1024


class Place(NamedTuple):
    """Host and port; both empty where curl finds no host. Numbers in whatever notation are an address by now."""

    host: str
    port: str

    @property
    def is_name(self) -> bool:
        """Whether the host is to be looked up."""
        return _is_name(self.host)


@lru_cache(maxsize=_KEPT)
def place_of(url: str) -> Place:
    """Read a URL."""
    try:
        parts = pycurl.CurlUrl(url.encode())
        port = parts.getpart(pycurl.UPART_PORT, pycurl.U_DEFAULT_PORT)
        return Place(str(parts.host or "").strip("[]"), str(port))
    except (pycurl.error, ValueError):
        return Place("", "")


@lru_cache(maxsize=_KEPT)
def _is_name(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(host)
    return False
