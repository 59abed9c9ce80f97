"""Where a URL leads, as curl reads it: two readers of one URL are how a check gets fooled."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

import pycurl


class Place(NamedTuple):
    """Host and port; both empty where curl finds no host. Numbers in whatever notation are an address by now."""

    host: str
    port: str

    @property
    def is_name(self) -> bool:
        """Whether the host is to be looked up."""
        try:
            ipaddress.ip_address(self.host)
        except ValueError:
            return bool(self.host)
        return False


def place_of(url: str) -> Place:
    """Read a URL."""
    try:
        parts = pycurl.CurlUrl(url.encode())
        port = parts.getpart(pycurl.UPART_PORT, pycurl.U_DEFAULT_PORT)
        return Place(str(parts.host or "").strip("[]"), str(port))
    except (pycurl.error, ValueError):
        return Place("", "")
