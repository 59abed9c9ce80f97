"""What probes and Prometheus get, with the database, without it, and with one that stands still."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from jobs.api import health
from jobs.conf import config
from jobs.domain.problems import Code
from tests.integration.platform.conftest import lead
from tests.support.factories import make_job
from tests.support.job_history import make_run
from tests.support.proxy import Proxy, proxy_to
from tests.support.waiting import wait_until

TOKEN = "a-token-of-the-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def _no_page_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_scrapes", health._Scrapes())


@pytest.fixture
def token(settings: Any) -> None:
    settings.BEATKEEPER = {**settings.BEATKEEPER, "METRICS_TOKEN": TOKEN}
    config.cache_clear()


@pytest.fixture
def line(committed: None) -> Iterator[Proxy]:
    """The way to the database, which the test may hold or close; the tests' own connection is made anew afterwards."""
    where = connection.settings_dict
    before = where["HOST"], where["PORT"]
    connection.close()
    with proxy_to(f"postgresql://{before[0]}:{before[1]}") as proxy:
        where["HOST"], where["PORT"] = "127.0.0.1", str(proxy.port)
        yield proxy
        proxy.release()
        connection.close()
    where["HOST"], where["PORT"] = before


def scrape(client: Client) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Values by name and labels, as Prometheus reads them."""
    answer = client.get("/metrics", headers=BEARER)
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(found: dict[Any, float], name: str, **labels: str) -> float:
    return found[f"beatkeeper_{name}", frozenset(labels.items())]


def test_a_living_process_says_so_and_touches_nothing(client: Client) -> None:
    """Without the fixture db, a statement would fail the test."""
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "set-cookie" not in answer.headers


def test_a_process_that_reaches_the_database_is_ready_also_without_a_leader(client: Client, db: Any) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


def test_a_process_that_does_not_reach_the_database_is_not_ready_and_lives(client: Client, line: Proxy) -> None:
    line.refuse()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content) == (503, b"The database does not answer.\n")
    assert client.get("/healthz").status_code == 200
    line.listen()
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize("address", ["/readyz", "/metrics"])
def test_a_database_that_stands_still_is_given_up_in_bounded_time(
    client: Client, line: Proxy, token: None, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "connect_timeout", 2)
    assert client.get(address, headers=BEARER).status_code == 200
    health._scrapes._read_at = -health.KEPT_SECONDS
    line.hold()
    began = time.monotonic()
    with monkeypatch.context() as sooner:
        sooner.setattr(health, "READY_SECONDS", 0.3)
        sooner.setattr(health, "SCRAPE_SECONDS", 0.3)
        assert client.get(address, headers=BEARER).status_code == 503
    assert time.monotonic() - began < 5
    line.release()
    wait_until(lambda: client.get(address, headers=BEARER).status_code == 200, what="the database to be back")


def test_b127_without_a_token_of_its_own_the_metrics_are_closed_to_all(client: Client) -> None:
    """B127: monitoring is not open by default, from no address."""
    for headers in ({}, BEARER, {"Authorization": "Bearer "}):
        answer = client.get("/metrics", headers=headers, REMOTE_ADDR="127.0.0.1")
        assert answer.status_code == 403
        assert b"beatkeeper_" not in answer.content


@pytest.mark.parametrize(
    "sent", [None, "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer é"]
)
def test_who_does_not_bring_the_token_gets_no_metrics(client: Client, token: None, sent: str | None) -> None:
    answer = client.get("/metrics", headers={"Authorization": sent} if sent else {})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_they_are_for_reading_alone(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405


def test_prometheus_reads_the_same_facts(client: Client, token: None, well: None) -> None:
    make_run(make_job())
    found = scrape(client)
    assert value(found, "leader_term", shard="0") == 3
    assert value(found, "runs", queue="jobs.default", state="waiting") == 1
    assert value(found, "queue_consumed", queue="jobs.fast") == 1
    assert value(found, "broker", state="connected") == 1
    assert {value(found, "problems", code=code.value) for code in Code} == {0}
    page = client.get("/metrics", headers=BEARER)
    assert page["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_the_age_of_the_last_tick_grows_and_its_problem_is_counted(client: Client, token: None, well: None) -> None:
    lead(ticked_ago=42)
    found = scrape(client)
    assert value(found, "leader_tick_age_seconds", shard="0") == pytest.approx(42, abs=1)
    assert value(found, "problems", code="leader_silent") == 1


def test_what_never_was_is_infinitely_old(client: Client, token: None, db: Any) -> None:
    found = scrape(client)
    assert value(found, "leader_tick_age_seconds", shard="0") == float("inf")
    assert value(found, "marker_age_seconds", queue="jobs.http") == float("inf")


def test_scrapes_within_a_second_read_the_database_once(client: Client, token: None, well: None) -> None:
    client.get("/metrics", headers=BEARER)
    with CaptureQueriesContext(connection) as queries:
        for _ in range(20):
            client.get("/metrics", headers=BEARER)
    assert len(queries) == 0
    health._scrapes._read_at -= health.KEPT_SECONDS
    with CaptureQueriesContext(connection) as queries:
        client.get("/metrics", headers=BEARER)
    assert len(queries) == 9


def test_a_scrape_that_hangs_does_not_gather_others_behind_it(
    client: Client, token: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "SCRAPE_SECONDS", 0.2)
    with health._scrapes._lock:
        assert client.get("/metrics", headers=BEARER).status_code == 503
