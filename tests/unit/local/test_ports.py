"""A port that cannot be had is told before anything starts, with the variable that moves it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from deploy.local import config
from deploy.local.errors import LocalError
from deploy.local.ports import Port, check_free, find_owner, is_free, is_open, parse


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_conflict_names_port_purpose_owner_and_variable(taken: int) -> None:
    with pytest.raises(LocalError) as caught:
        check_free([Port(taken, "web", "BEATKEEPER_WEB_PORT")])

    message = str(caught.value)
    assert message.startswith(f"Port {taken} (web) is taken by ")
    assert f"(pid {os.getpid()})" in message
    assert message.endswith("set BEATKEEPER_WEB_PORT to another.")


def test_conflicts_of_one_variable_are_one_line(taken: int) -> None:
    ports = [Port(taken, purpose, "BEATKEEPER_PORT_BASE") for purpose in ("PostgreSQL", "Redis")]

    with pytest.raises(LocalError) as caught:
        check_free(ports)

    assert len(str(caught.value).splitlines()) == 1


def test_port_meant_for_two_purposes_is_refused(taken: int) -> None:
    free = taken + 1 if is_free(taken + 1) else taken + 2

    with pytest.raises(LocalError, match="meant for web too: set BEATKEEPER_FLOWER_PORT"):
        check_free([Port(free, "web", "BEATKEEPER_WEB_PORT"), Port(free, "Flower", "BEATKEEPER_FLOWER_PORT")])


def test_listener_is_seen_and_gone_again() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        number = server.getsockname()[1]
        assert is_open(number)
        assert not is_free(number)

    assert is_free(number)
    assert find_owner(number) is None


@pytest.mark.parametrize("value", ["", "0", "65536", "-1", "x", "80 ", "²"])
def test_what_is_no_port_is_refused_by_name(value: str) -> None:
    with pytest.raises(LocalError, match="BEATKEEPER_WEB_PORT="):
        parse("BEATKEEPER_WEB_PORT", value)


def test_private_ports_follow_the_base() -> None:
    settings = config.load({"BEATKEEPER_PORT_BASE": "20000"})

    assert settings.port("PostgreSQL") == 20000
    assert settings.port("RabbitMQ metrics") == 20006


def test_defaults_leave_the_systems_own_servers_alone() -> None:
    settings = config.load({})

    assert {5432, 5672, 6379, 4369, 25672}.isdisjoint(range(settings.port_base, settings.port_base + 7))
    assert [port.number for port in settings.public_ports()] == [8000, 5555, 8900]


@pytest.mark.parametrize("variable", ["BEATKEEPER_WEB_PORT", "BEATKEEPER_FLOWER_PORT", "BEATKEEPER_RECEIVER_PORT"])
def test_each_public_port_has_its_variable(variable: str) -> None:
    moved = [port for port in config.load({variable: "9123"}).public_ports() if port.number == 9123]

    assert [port.variable for port in moved] == [variable]


def test_base_whose_block_leaves_the_range_is_refused() -> None:
    with pytest.raises(LocalError, match="too high"):
        config.load({"BEATKEEPER_PORT_BASE": "65535"})
