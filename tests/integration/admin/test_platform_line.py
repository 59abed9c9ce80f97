"""How the platform does, above the jobs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.admin.platform_now import platform_now
from jobs.domain.platform import BrokerState
from jobs.domain.states import RunStatus
from jobs.models import Leader, Marker
from jobs.store import state
from jobs.store.broker_trace import BrokerTrace, record
from jobs.store.clock import database_now
from tests.support.factories import make_job
from tests.support.job_history import make_run

PAGES = ("/admin/jobs/job/", "/admin/jobs/")


def lead(*, ticked_ago: timedelta) -> None:
    now = database_now()
    Leader.objects.update_or_create(
        shard=0, defaults={"term": 3, "host": "beat-1", "elected_at": now, "ticked_at": now - ticked_ago}
    )


def lines() -> dict[str, str]:
    return {queue.name: queue.words for queue in platform_now().queues}


def test_a_leader_that_ticks_is_named_with_its_term(admin_client: Client) -> None:
    lead(ticked_ago=timedelta(seconds=1))
    for address in PAGES:
        content = admin_client.get(address).content.decode()
        assert "Leader beat-1" in content
        assert "term 3" in content


def test_a_leader_that_stopped_ticking_is_none(admin_client: Client) -> None:
    lead(ticked_ago=timedelta(minutes=2))
    for address in PAGES:
        assert "No leader" in admin_client.get(address).content.decode()


def test_of_several_shards_each_leader_is_named_with_its_shard(db: None) -> None:
    lead(ticked_ago=timedelta(seconds=1))
    state.put(state.SHARDS, 2)
    assert [leader.words for leader in platform_now().leaders] == [
        "Leader of shard 0 beat-1",
        "No leader of shard 1 yet",
    ]


def test_what_stands_in_the_queues_is_counted_by_where_it_is(db: None) -> None:
    job, now = make_job(), database_now()
    for _ in range(3):
        make_run(job)
    make_run(job, run_after=now + timedelta(hours=1))  # not due yet: no backlog
    make_run(job, dispatched_at=now)
    make_run(job, RunStatus.RUNNING, dispatched_at=now)
    make_run(job, RunStatus.SUCCEEDED)

    assert lines() == {"jobs.default": "1 running, 1 sent, 3 waiting", "jobs.fast": "idle", "jobs.http": "idle"}


def test_counting_stops_at_a_bound(db: None, monkeypatch: Any) -> None:
    job = make_job()
    for _ in range(3):
        make_run(job)
    for module in ("jobs.services.platform", "jobs.admin.platform_now"):
        monkeypatch.setattr(f"{module}.COUNTED", 2)

    assert lines()["jobs.default"] == "2 or more waiting"


def test_a_queue_without_a_worker_says_so(db: None) -> None:
    now = database_now()
    Marker.objects.create(queue="jobs.http", sent_at=now, returned_sent_at=now, returned_at=now)
    notes = {queue.name: (queue.lamp, queue.note) for queue in platform_now().queues}

    assert notes["jobs.http"] == ("on", "")
    assert notes["jobs.fast"] == ("off", "no worker has taken anything lately")


def test_what_is_wrong_is_said_with_its_mend(admin_client: Client) -> None:
    lead(ticked_ago=timedelta(seconds=1))
    record(BrokerTrace(BrokerState.BLOCKED, "low on memory"))
    for address in PAGES:
        content = admin_client.get(address).content.decode()
        assert "The broker takes no message (low on memory)" in content
        assert "free memory or disk there" in content


def test_a_leader_that_is_none_is_said_once(admin_client: Client) -> None:
    lead(ticked_ago=timedelta(minutes=2))
    content = admin_client.get(PAGES[0]).content.decode()
    assert content.count("Nothing is emitted") == 1
    assert "has not ticked for" not in content


def test_it_takes_nine_statements(db: None) -> None:
    make_run(make_job())
    with CaptureQueriesContext(connection) as queries:
        platform_now()
    assert len(queries) == 9


def test_it_is_for_those_who_may_see_the_leaders(member: Any) -> None:
    lead(ticked_ago=timedelta(seconds=1))
    assert "beat-1" not in member("view_job").get(PAGES[0]).content.decode()
