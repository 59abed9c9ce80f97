"""Calls against real servers on loopback, which HTTP jobs may call only where a test allows it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import Settings

from jobs.conf import config
from jobs.targets.multi import Multi
from tests.support.told_calls import Told

Allow = Callable[..., None]
Resolve = Callable[..., list[str]]


@pytest.fixture
def allow(settings: Settings) -> Allow:
    """Set the networks that may be called."""

    def allow(*networks: str) -> None:
        settings.BEATKEEPER = {"EGRESS_ALLOW": list(networks)}
        config.cache_clear()

    allow()
    return allow


@pytest.fixture
def loopback(allow: Allow) -> None:
    """Allow this machine."""
    allow("127.0.0.0/8", "::1/128")


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Let host names lead to these addresses, one answer after the other; the last one stays."""

    def resolve(*answers: str) -> list[str]:
        left, asked = list(answers), []

        def getaddrinfo(host: str, *_: Any, **__: Any) -> list[Any]:
            asked.append(host)
            addresses = left.pop(0) if len(left) > 1 else left[0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses.split()]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        return asked

    return resolve


@pytest.fixture
def multi() -> Iterator[Multi]:
    multi = Multi()
    yield multi
    multi.stop()


@pytest.fixture
def told(multi: Multi) -> Told:
    """A started engine."""
    multi.start()
    return Told(multi)
