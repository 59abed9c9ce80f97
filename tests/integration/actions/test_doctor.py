"""``manage.py doctor``: each fault with its mend, in bounded time."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from celery import current_app
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from jobs.conf import config
from jobs.domain.platform import BrokerState
from jobs.domain.schedules import tzdata_version
from jobs.domain.states import RunStatus
from jobs.management.doctor import broker, database, endpoints, examine, scheduling, schema
from jobs.management.doctor.finding import Finding, Level
from jobs.management.doctor.settings import findings as settings_findings
from jobs.models import JobCursor, Leader, Marker
from jobs.sealing import seal
from jobs.store import state
from jobs.store.broker_trace import BrokerTrace, record
from jobs.store.clock import database_now
from tests.support.factories import make_endpoint, make_job
from tests.support.job_history import make_run

pytestmark = pytest.mark.django_db
SOUND = {"database", "pooler", "clock", "durability"}


def by_check(found: Any) -> dict[str, list[Finding]]:
    """Findings by what was looked at."""
    checks: dict[str, list[Finding]] = {}
    for finding in found:
        checks.setdefault(finding.check, []).append(finding)
    return checks


def a_leader(ticked_ago: timedelta) -> None:
    Leader.objects.update_or_create(
        shard=0, defaults={"term": 7, "host": "host-1", "ticked_at": database_now() - ticked_ago}
    )


def test_a_sound_server_has_nothing_to_mend() -> None:
    found = by_check(database.findings())
    assert set(found) == SOUND
    assert {finding.level for findings in found.values() for finding in findings} == {Level.OK}


def test_jit_and_another_isolation_are_seen() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = on")
        cursor.execute("SET LOCAL default_transaction_isolation = 'repeatable read'")
        cursor.execute("SET LOCAL synchronous_commit = off")
    found = by_check(database.findings())
    assert found["jit"][0].level is Level.WARN
    assert found["isolation"][0].level is Level.FAULT
    assert found["durability"][0].text == "synchronous_commit is off: a crash of the server loses committed runs."


def test_a_missing_migration_is_a_fault() -> None:
    assert schema.unapplied() == []
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'demo'")
    finding = schema.migration_finding(schema.unapplied())
    assert (finding.level, finding.mend) == (Level.FAULT, "Run manage.py migrate.")
    assert "demo.0001_initial" in finding.text


def test_a_missing_partition_is_a_fault_and_can_be_mended() -> None:
    tomorrow = database_now() + timedelta(days=1)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE jobs_jobrun_p{tomorrow:%Y%m%d}")
    (missing,) = schema.findings(is_mending=False)
    assert missing.level is Level.FAULT
    assert "has no partition for tomorrow" in missing.text
    (mended,) = schema.findings(is_mending=True)
    assert mended.level is Level.OK


def test_a_leader_that_never_was_or_went_silent_is_a_fault() -> None:
    assert by_check(scheduling.findings())["leader"][0].text == "Shard 0 never had a leader: no slot becomes a run."
    a_leader(timedelta(minutes=2))
    silent = by_check(scheduling.findings())["leader"][0]
    assert silent.level is Level.FAULT
    assert silent.text == "The leader of shard 0 on host-1 has not ticked for 2 minutes: no slot becomes a run."
    a_leader(timedelta(seconds=1))
    assert by_check(scheduling.findings())["leader"][0].text == "Shard 0 is led from host-1, term 7."


def test_b144_other_time_zone_rules_at_the_leader_are_seen() -> None:
    state.put(state.TZDATA_VERSION, "2019.1")
    finding = by_check(scheduling.findings())["tzdata"][0]
    assert finding.level is Level.WARN
    assert finding.text.startswith(f"The leader plans by time zone rules 2019.1; here {tzdata_version()} are installed")


def test_another_number_of_shards_is_seen_and_jobs_that_no_shard_has() -> None:
    sound = by_check(scheduling.findings())["shards"]
    assert [finding.text for finding in sound] == ["The jobs are divided into 1, as the settings say."]
    job = make_job()
    JobCursor.objects.filter(pk=job.pk).update(shard=3)
    state.put(state.SHARDS, 2)
    differ, stranded = by_check(scheduling.findings())["shards"]
    assert differ.level is stranded.level is Level.WARN
    assert "jobs reshard 1" in differ.mend
    assert stranded.text.startswith("Jobs stand in shards above the 2 there are")


def test_parked_jobs_are_named() -> None:
    for name in "abcdefg":
        JobCursor.objects.filter(pk=make_job(name=name).pk).update(error="bad")
    finding = by_check(scheduling.findings())["parked jobs"][0]
    assert finding.text == "Parked: a, b, c, d, e and more."


def test_secrets_that_today_s_keys_do_not_open_are_told_of(settings: Any) -> None:
    make_endpoint(name="open")
    make_endpoint(name="sealed", sealed_secret=seal("whsec_x"), sealed_headers=seal("{}"))
    assert [finding.level for finding in endpoints.findings()] == [Level.OK]
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    (finding,) = endpoints.findings()
    assert finding.level is Level.WARN
    assert finding.text == "Secrets sealed with another SECRET_KEY: sealed. Runs that call them fail."
    settings.SECRET_KEY_FALLBACKS = [old]
    assert [finding.level for finding in endpoints.findings()] == [Level.OK]


@override_settings(BEATKEEPER={"EGRESS_ALLOW": ["10.1.0.0/16"]})
def test_what_http_jobs_may_call_is_said() -> None:
    config.cache_clear()
    finding = by_check(settings_findings())["egress"][0]
    assert finding.text == "HTTP jobs call public addresses, and those of 10.1.0.0/16 (EGRESS_ALLOW)."


def test_each_queue_is_looked_at() -> None:
    now = database_now()
    Marker.objects.create(queue="jobs.fast", sent_at=now, returned_at=now)
    levels = [finding.level for finding in by_check(scheduling.findings())["queues"]]
    assert levels == [Level.WARN, Level.OK, Level.WARN]


def test_stuck_runs_are_told_of() -> None:
    job = make_job()
    past = database_now() - timedelta(hours=1)
    make_run(job, RunStatus.RUNNING, locked_until=past)
    make_run(job, dispatched_at=past)
    found = by_check(scheduling.findings())["stuck runs"]
    assert [(finding.level, finding.text) for finding in found] == [
        (Level.WARN, "1 run is sent to queue jobs.default and taken by no worker, the oldest for 60 minutes."),
        (Level.FAULT, "1 run is held by a lease that is over, the oldest for 60 minutes."),
    ]


def test_runs_that_are_not_sent_are_told_of_with_what_keeps_them() -> None:
    a_leader(timedelta())
    make_run(make_job(), run_after=database_now() - timedelta(hours=1))
    record(BrokerTrace(BrokerState.CONNECTED))
    (unsent,) = by_check(scheduling.findings())["stuck runs"]
    assert unsent.text == "1 run of queue jobs.default is due and not sent, the oldest for 60 minutes."
    record(BrokerTrace(BrokerState.BLOCKED, "low on memory"))
    found = by_check(scheduling.findings())
    assert found["stuck runs"][0].level is Level.OK, "it follows from what is said of the broker"
    assert found["dispatcher"][0].level is Level.FAULT
    assert found["dispatcher"][0].text.startswith("The broker takes no message (low on memory)")


def test_the_broker_and_redis_answer() -> None:
    found = by_check([*broker.broker_findings(), *broker.redis_findings()])
    assert found["broker"][0].level is Level.OK
    assert found["redis"][0].text == "Redis answers."
    assert found["topology"][0].level in (Level.OK, Level.WARN)


def test_a_broker_that_is_away_is_a_fault_and_its_password_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app.conf, "broker_url", "amqp://user:secret@127.0.0.1:1//")
    (finding,) = broker.broker_findings()
    assert finding.level is Level.FAULT
    assert "127.0.0.1:1" in finding.text
    assert "secret" not in f"{finding}"


def test_a_redis_that_is_away_is_a_warning_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app.conf, "result_backend", "redis://127.0.0.1:1/0")
    (finding,) = broker.redis_findings()
    assert finding.level is Level.WARN


def test_another_broker_than_rabbitmq_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app.conf, "broker_url", "memory://")
    (finding,) = broker.broker_findings()
    assert "is not RabbitMQ" in finding.text


@override_settings(BEATKEEPER={"HEARTBEAT": 100})
def test_a_refused_setting_is_said_before_anything_else_is_looked_at() -> None:
    config.cache_clear()
    (finding,) = examine.examine()
    assert (finding.check, finding.level) == ("settings", Level.FAULT)
    assert "over a third of LEASE" in finding.text


def test_a_look_that_hangs_is_a_fault_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    released = threading.Event()

    def hang() -> list[Finding]:
        released.wait(30)
        return []

    monkeypatch.setattr(examine, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(broker, "broker_findings", hang)
    began = time.monotonic()
    found = by_check(examine.examine())
    released.set()
    assert time.monotonic() - began < 5
    assert found["broker"][0].text == "No answer within 0.2 s."


def test_runs_in_a_queue_that_the_settings_no_longer_name_are_told_of() -> None:
    job = make_job()
    make_run(job, queue="gone.unsent")
    make_run(job, queue="gone.sent", dispatched_at=database_now())
    make_run(job, RunStatus.SUCCEEDED, queue="gone.ended")
    make_run(job, RunStatus.RUNNING, queue="gone.held", dispatched_at=database_now())
    make_run(job)
    unnamed = by_check(scheduling.findings())["unknown queues"]
    assert [finding.text.split(",")[0] for finding in unnamed] == [
        "Runs wait in queue gone.sent",
        "Runs wait in queue gone.unsent",
    ]
    assert unnamed[0].mend.startswith('Add it to BEATKEEPER["QUEUES"] and start a worker (-Q gone.sent)')


@pytest.mark.django_db(transaction=True)
def test_the_command_ends_with_1_on_a_fault_and_with_0_without() -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("doctor", "--json", stdout=out)
    assert caught.value.code == 1
    document = json.loads(out.getvalue())
    assert document["is_sound"] is False
    assert {"check": "leader", "level": "fault"}.items() <= next(
        finding.items() for finding in document["findings"] if finding["check"] == "leader"
    )
    a_leader(timedelta())
    out = StringIO()
    call_command("doctor", "--fix", stdout=out)
    assert "ok    leader: Shard 0 is led from host-1, term 7." in out.getvalue()
    assert "      -> " in out.getvalue()
