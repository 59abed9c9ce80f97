"""The platform as any process reads it from the database: who is silent, what waits, and for whom."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import connection

from jobs.conf import config
from jobs.domain.platform import COUNTED, BrokerState
from jobs.domain.schedules import tzdata_version
from jobs.domain.states import RunStatus
from jobs.models import JobCursor, Leader
from jobs.services.platform import platform_status
from jobs.services.platform_document import platform_document
from jobs.store import state
from jobs.store.broker_trace import BrokerTrace, record
from jobs.store.clock import database_now
from tests.integration.platform.conftest import age_trace, codes, lead, queue, return_markers
from tests.support.factories import make_job
from tests.support.job_history import make_run

pytestmark = pytest.mark.usefixtures("well")


def ago(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_a_leader_that_has_not_ticked_for_its_term_is_told_of() -> None:
    lead(ticked_ago=config().term_ttl - 1)
    assert codes() == []
    lead(ticked_ago=config().term_ttl + 1)
    status = platform_status()
    assert (status.status, [problem.code for problem in status.problems]) == ("down", ["leader_silent"])
    assert status.facts.shards[0].seconds_since_tick == pytest.approx(11, abs=0.5)


def test_a_leader_that_ticks_and_emits_nothing_is_told_of() -> None:
    job = make_job()
    JobCursor.objects.filter(job=job).update(next_run_at=database_now() - ago(90), plan_needed=False)
    assert codes() == ["emission_late"]


def test_what_is_due_is_counted_with_the_age_of_the_oldest() -> None:
    job, now = make_job(), database_now()
    make_run(job, run_after=now - ago(20), priority=9)
    make_run(job, run_after=now - ago(50), priority=0)
    make_run(job, run_after=now + ago(60))  # not due yet
    make_run(job, dispatched_at=now - ago(7))
    make_run(job, RunStatus.RUNNING, dispatched_at=now)
    found = queue()
    assert (found.waiting, found.sent, found.running) == (2, 1, 1)
    assert found.oldest_waiting_seconds == pytest.approx(50, abs=1)
    assert found.oldest_sent_seconds == pytest.approx(7, abs=1)
    assert codes() == []


def test_due_work_that_is_not_sent_is_told_of() -> None:
    make_run(make_job(), run_after=database_now() - ago(61))
    assert codes() == ["work_unsent"]


def test_sent_work_that_no_worker_takes_is_told_of_before_the_last_marker_is_old() -> None:
    """The marker that came back was sent before the run, and none came back since."""
    make_run(make_job(), dispatched_at=database_now() - ago(40))
    return_markers(ago=45)
    assert not queue().is_consumed
    assert codes() == ["work_unclaimed"]
    return_markers(ago=35)
    assert codes() == [], "a worker took the marker that stood behind it"


def test_a_worker_that_is_busy_for_long_is_a_consumer_as_long_as_it_renews() -> None:
    job = make_job()
    return_markers(ago=3600)
    make_run(job, dispatched_at=database_now() - ago(40))
    held = make_run(job, RunStatus.RUNNING, dispatched_at=database_now() - ago(600))
    assert queue().is_consumed
    assert codes() == []
    held.__class__.objects.filter(pk=held.pk).update(locked_until=database_now() - ago(1))
    assert codes() == ["work_unclaimed"]


def test_a_lease_that_is_over_for_two_minutes_is_told_of() -> None:
    job = make_job()
    run = make_run(job, RunStatus.RUNNING, locked_until=database_now() - ago(100))
    assert platform_status().facts.leases.expired == 1
    assert codes() == []
    run.__class__.objects.filter(pk=run.pk).update(locked_until=database_now() - ago(130))
    assert codes() == ["stuck_runs"]


def test_a_broker_that_is_blocked_is_told_of_with_its_own_word_and_closes_every_queue() -> None:
    record(BrokerTrace(BrokerState.BLOCKED, "low on memory"))
    status = platform_status()
    assert [problem.code for problem in status.problems] == ["broker_blocked"]
    assert "(low on memory)" in status.problems[0].message
    assert all(one.is_blocked for one in status.facts.queues)


def test_one_queue_that_takes_nothing_is_told_of_alone() -> None:
    record(BrokerTrace(BrokerState.CONNECTED, "", {"jobs.fast": "No queue took messages."}))
    assert codes() == ["queue_refused"]
    assert [one.name for one in platform_status().facts.queues if one.is_blocked] == ["jobs.fast"]


def test_a_dispatcher_that_no_longer_tells_is_not_believed() -> None:
    record(BrokerTrace(BrokerState.BLOCKED, "low on memory"))
    age_trace(31)
    assert codes() == ["dispatcher_silent"]
    assert platform_status().facts.broker.state is BrokerState.UNKNOWN


def test_the_state_of_the_broker_keeps_the_time_of_its_beginning() -> None:
    record(BrokerTrace(BrokerState.AWAY, "one"))
    began = platform_status().facts.broker.since
    record(BrokerTrace(BrokerState.AWAY, "two"))
    second = platform_status().facts.broker
    assert (second.since, second.because) == (began, "two")
    record(BrokerTrace(BrokerState.CONNECTED))
    assert platform_status().facts.broker.since > began  # type: ignore[operator]  # both are there


def test_a_secret_in_the_broker_s_error_is_masked_and_the_text_is_bounded() -> None:
    record(BrokerTrace(BrokerState.AWAY, "amqp://user:hidden@host failed " + "x" * 900))
    because = platform_status().facts.broker.because
    assert "hidden" not in because
    assert len(because) == 200


def test_days_without_a_partition_are_told_of() -> None:
    day = database_now() + timedelta(days=3)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE jobs_jobrun_p{day:%Y%m%d}")
    assert codes() == ["partitions_missing"]
    assert platform_status().facts.partitions.first_missing == 3


def test_b144_other_zone_rules_at_the_leader_are_told_of_and_both_versions_shown() -> None:
    state.put(state.TZDATA_VERSION, "2019.1")
    assert codes() == ["tzdata_differs"]
    shown = platform_document(platform_status())["zone_rules"]
    assert shown == {"here": tzdata_version(), "leader": "2019.1"}


def test_another_number_of_shards_than_the_jobs_are_divided_into_is_told_of_with_the_command() -> None:
    state.put(state.SHARDS, 2)
    Leader.objects.create(shard=1, term=1, host="beat-2", elected_at=database_now(), ticked_at=database_now())
    status = platform_status()
    assert [problem.code.value for problem in status.problems] == ["shards_differ"]
    assert "manage.py jobs reshard 1" in status.problems[0].what_to_do
    assert platform_document(status)["shard_numbers"] == {"here": 1, "written": 2}
    assert [shard.host for shard in status.facts.shards] == ["beat-1", "beat-2"], "those that are in use are shown"


def test_runs_in_a_queue_that_the_settings_do_not_name_are_told_of() -> None:
    make_run(make_job(), queue="reports")
    assert codes() == ["queue_unknown"]


def test_dead_runs_of_the_last_day_are_counted_over_all_kinds_of_error() -> None:
    job, now = make_job(), database_now()
    for error, hours in (("disk full", 1), ("disk full", 2), ("no route", 3), ("disk full", 25), ("timeout", 30)):
        slot = now - timedelta(hours=hours)
        make_run(job, RunStatus.DEAD, last_error=error, scheduled_for=slot, finished_at=now)
    assert platform_status().facts.dead_runs == 3


def test_the_newest_runs_say_how_late_they_started() -> None:
    job, now = make_job(), database_now()
    for seconds in (0.1, 0.2, 30):
        make_run(job, RunStatus.SUCCEEDED, due_at=now - ago(seconds), started_at=now, finished_at=now, attempts=1)
    make_run(job, RunStatus.SUCCEEDED, due_at=now - ago(50), started_at=now, finished_at=now, attempts=2)
    make_run(job, RunStatus.DEAD, due_at=now - ago(99), started_at=now - ago(90), finished_at=now, attempts=1)
    recent = platform_status().facts.recent
    assert recent.by_status == {"succeeded": 4, "dead": 1}
    assert (recent.starts, recent.start_delay_p99_seconds) == (3, 30)
    assert recent.start_delay_median_seconds == pytest.approx(0.2)


def test_counting_stops_at_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.services.platform.COUNTED", 2)
    job = make_job()
    for _ in range(3):
        make_run(job)
        make_run(job, priority=5)
    assert queue().waiting == 2


def test_the_document_has_these_keys_and_is_plain_json() -> None:
    make_run(make_job())
    document = json.loads(json.dumps(platform_document(platform_status())))
    assert list(document) == [
        *("status", "problems", "now", "shards", "queues", "broker", "leases", "partitions", "recent", "zone_rules"),
        *("shard_numbers", "dead_runs", "unknown_queues", "versions", "counts_stop_at"),
    ]
    assert document["status"] == "ok"
    assert document["now"].endswith("Z")
    assert document["shards"][0]["term"] == 3
    assert document["queues"][0]["waiting"] == 1
    assert set(document["versions"]) == {"beatkeeper", "django", "celery", "python", "postgresql"}
    assert document["counts_stop_at"] == COUNTED


def test_it_reads_and_never_writes() -> None:
    """I8."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    assert platform_status().facts.shards
