"""Host names and what they lead to, with a resolver of the test's own."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_network
from typing import Any

import pytest

from jobs.targets.lookup import host_fault
from jobs.targets.places import place_of

URL = "https://endpoint.example/hook"


def _resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def getaddrinfo(host: str, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_host_with_public_addresses_is_without_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolve_to(monkeypatch, "1.1.1.1", "2606:4700::1")

    assert host_fault(URL, allowed=()) == ""


def test_one_private_address_among_public_ones_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolve_to(monkeypatch, "1.1.1.1", "10.0.0.5")

    fault = host_fault(URL, allowed=())

    assert 'host "endpoint.example" is refused: 10.0.0.5 is a private address' in fault
    assert '"10.0.0.5/32" to BEATKEEPER["EGRESS_ALLOW"]' in fault


def test_an_allowed_private_address_is_without_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolve_to(monkeypatch, "10.0.0.5")

    assert host_fault(URL, allowed=(ip_network("10.0.0.0/8"),)) == ""


def test_an_unknown_host_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    assert 'host "endpoint.example" is not known: Name or service not known' in host_fault(URL, allowed=())


def test_a_silent_resolver_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: gate.wait() and [])

    fault = host_fault(URL, allowed=(), seconds=0.05)
    gate.set()

    assert "could not be looked up within 0.05 s" in fault


@pytest.mark.parametrize("url", ["", "endpoint.example", "https://", "https://[::1", "https://a b/"])
def test_a_url_without_a_readable_host_is_a_fault(url: str) -> None:
    assert "no host" in host_fault(url, allowed=())


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://endpoint.example/", ("endpoint.example", "80")),
        ("https://endpoint.example:8443/", ("endpoint.example", "8443")),
        ("https://[::1]/", ("::1", "443")),
        ("http://0x7f.1/", ("127.0.0.1", "80")),
        ("http://%31%32%37.0.0.1/", ("127.0.0.1", "80")),
        (r"http://one.example\@two.example/", ("two.example", "80")),
    ],
)
def test_a_url_is_read_as_curl_reads_it(url: str, place: tuple[str, str]) -> None:
    assert place_of(url) == place
