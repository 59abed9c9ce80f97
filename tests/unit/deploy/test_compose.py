"""What docker-compose.yml must never lose: nothing open to a network, no known password, no root, nothing unwatched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from deploy.local.config import ROOT
from jobs.conf import QUEUES

TEXT = (ROOT / "docker-compose.yml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
OURS = {name for name, service in SERVICES.items() if service["image"].startswith("beatkeeper:")}
ONCE = {name for name, service in SERVICES.items() if service.get("restart") == "no"}
STARTS_AS_ROOT = {"rabbitmq"}  # it writes its configuration and drops root itself
# Given by name, so that a value in the file would be a password that all the world knows.
_SECRET_NAME = re.compile(r"PASS|SECRET|AUTH|_URL$|BROKER_API$")
_FROM_ENV_FILE = re.compile(
    r"\$\{(BEATKEEPER_\w*(?:PASSWORD|SECRET_KEY|SECRET))(?::-|:\?run deploy/docker/env first)?\}"
)


def _each(names: set[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", sorted(names))


def _seconds(duration: str) -> int:
    """Of ``35s``, ``2m`` or ``${NAME:-2m}``."""
    found = re.fullmatch(r"(?:\$\{\w+:-)?(\d+)([sm])\}?", duration)
    assert found, duration
    return int(found[1]) * {"s": 1, "m": 60}[found[2]]


def _secrets() -> Iterator[tuple[str, str, str]]:
    for name, service in SERVICES.items():
        for variable, value in service["environment"].items():
            # The receiver's address has no password in it.
            if _SECRET_NAME.search(variable) and variable != "BEATKEEPER_RECEIVER_URL":
                yield name, variable, value


@_each(set(SERVICES))
def test_ports_are_published_on_the_loopback_address_alone(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))
    assert SERVICES[name].get("network_mode") != "host"


@pytest.mark.parametrize(("name", "variable", "value"), list(_secrets()))
def test_secrets_come_from_the_env_file_and_have_no_default(name: str, variable: str, value: str) -> None:
    taken = _FROM_ENV_FILE.findall(value)

    assert len(taken) == 1
    assert "guest" not in value


def test_every_secret_is_asked_for_by_name_with_the_command_that_makes_it() -> None:
    used = set(re.findall(r"\$\{(BEATKEEPER_\w*(?:PASSWORD|SECRET_KEY|SECRET))", TEXT))
    asked = set(re.findall(r"\$\{(BEATKEEPER_\w+):\?run deploy/docker/env first\}", TEXT))

    assert used - asked == {"BEATKEEPER_ADMIN_PASSWORD", "BEATKEEPER_DEMO_SECRET"}  # the demo's, which may be left out


@_each(OURS)
def test_our_processes_run_without_root_and_write_nowhere_but_to_tmp(name: str) -> None:
    service = SERVICES[name]

    assert service["user"] == "10001:10001"
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["init"] is True  # reaps what a killed child leaves, and passes SIGTERM on


@_each(set(SERVICES))
def test_no_service_can_gain_rights(name: str) -> None:
    service = SERVICES[name]

    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert name in STARTS_AS_ROOT or (service["user"] != "root" and "cap_add" not in service)


@_each(set(SERVICES) - ONCE)
def test_what_stays_has_a_health_check_and_is_started_again(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES[name]["deploy"]["resources"]["limits"]["memory"]


@_each(ONCE)
def test_someone_waits_for_the_end_of_what_runs_once(name: str) -> None:
    """Else `up --wait` takes its exit for a failure."""
    conditions = [service.get("depends_on", {}).get(name) for service in SERVICES.values()]

    assert {"condition": "service_completed_successfully"} in conditions


@_each(OURS - ONCE - {"receiver"})
def test_nothing_of_ours_starts_before_the_tables_are_there(name: str) -> None:
    assert SERVICES[name]["depends_on"] == {"prepare": {"condition": "service_completed_successfully"}}


@_each(set(SERVICES))
def test_logs_cannot_fill_the_disk(name: str) -> None:
    assert SERVICES[name]["logging"]["options"] == {"max-size": "10m", "max-file": "3"}


@_each(set(SERVICES) - OURS)
def test_servers_are_pinned_to_a_major_version(name: str) -> None:
    assert re.fullmatch(r"[a-z]+:\d+(-[a-z]+)?", SERVICES[name]["image"])


def test_our_image_is_built_by_one_service_and_never_fetched() -> None:
    assert [name for name in OURS if "build" in SERVICES[name]] == ["prepare"]
    assert {(SERVICES[name]["image"], SERVICES[name]["pull_policy"]) for name in OURS} == {
        ("beatkeeper:local", "never")
    }


def test_there_are_two_beats_that_answer_pings() -> None:
    assert SERVICES["beat"]["deploy"]["replicas"] == 2
    assert "--enable-remote-control" in SERVICES["beat"]["command"]


def test_every_queue_has_a_worker_with_time_to_drain() -> None:
    workers = {
        f"jobs.{name.removeprefix('worker-')}": service for name, service in SERVICES.items() if "worker" in name
    }

    assert set(workers) == set(QUEUES)
    for queue, service in workers.items():
        assert service["command"][:2] == ["deploy/docker/worker", queue.removeprefix("jobs.")]
        assert _seconds(service["stop_grace_period"]) >= 60


def test_web_has_the_time_that_gunicorn_gives_its_requests() -> None:
    assert _seconds(SERVICES["web"]["stop_grace_period"]) > 30


def test_the_http_worker_is_left_to_take_its_pool_by_itself() -> None:
    assert SERVICES["worker-http"]["command"] == ["deploy/docker/worker", "http", "--concurrency", "1000"]


def test_http_jobs_may_call_the_demos_receiver_and_no_other_private_address() -> None:
    address = SERVICES["receiver"]["networks"]["demo"]["ipv4_address"]

    for name in ("web", "worker-http", "demo"):
        assert SERVICES[name]["environment"]["BEATKEEPER_EGRESS_ALLOW"] == f"${{BEATKEEPER_EGRESS_ALLOW:-{address}/32}}"
        assert "demo" in SERVICES[name]["networks"]
