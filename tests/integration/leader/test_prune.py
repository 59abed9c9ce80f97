"""Dropping what is below retention, and only that."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection

from jobs.beat import housekeeper
from jobs.beat.housekeeper import Housekeeper
from jobs.models import JobRun, JobVersion, SlotGap
from jobs.services.prune import analyze_fresh, prune_partitions, prune_records
from jobs.store import partitions, state
from jobs.store.runs import NewRun, insert_runs
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job

# Days of long ago, so that no other test's partition is in the way.
OLD = datetime(2019, 5, 6, 12, 0, tzinfo=UTC)
NOW = OLD + timedelta(days=40)
NAME = "jobs_jobrun_p20190506"


@pytest.fixture(autouse=True)
def _old_day(committed: None) -> Iterator[None]:
    partitions.ensure(OLD.date(), OLD.date(), wide=False)
    yield
    for partition in partitions.partitions():
        if partition.upper < datetime(2020, 1, 1, tzinfo=UTC):
            if partition.state != "detached":
                partitions.detach(partition)
            partitions.drop(partition)


def run_in_old_day(**fields: Any) -> None:
    job = make_job()
    insert_runs([NewRun(job.pk, OLD, OLD, "jobs.default")])
    JobRun.objects.filter(job=job).update(**fields)


def names() -> list[str]:
    return [partition.name for partition in partitions.partitions()]


def finished(ago: timedelta) -> dict[str, Any]:
    return {"status": "succeeded", "finished_at": NOW - ago}


def test_a_day_below_retention_with_nothing_open_is_dropped_and_that_is_noted() -> None:
    run_in_old_day(**finished(timedelta(days=31)))
    assert prune_partitions(NOW) == [NAME]
    assert NAME not in names()
    assert state.pruned_before() == datetime(2019, 5, 7, tzinfo=UTC)
    assert JobRun.objects.count() == 0


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"status": "running", "locked_by": uuid.uuid4(), "locked_until": NOW},
        finished(timedelta(days=29)),
    ],
    ids=["queued", "running", "finished lately"],
)
def test_a_day_with_something_unfinished_or_finished_lately_stays(fields: dict[str, Any]) -> None:
    run_in_old_day(**fields)
    assert prune_partitions(NOW) == []
    assert NAME in names()


def test_a_day_within_retention_stays() -> None:
    assert prune_partitions(OLD + timedelta(days=30)) == []
    assert prune_partitions(OLD + timedelta(days=31)) == [NAME]


def test_pruned_before_only_grows() -> None:
    state.put(state.PRUNED_BEFORE, "2019-06-01T00:00:00+00:00")
    prune_partitions(NOW)
    assert state.pruned_before() == datetime(2019, 6, 1, tzinfo=UTC)


def test_a_detach_that_was_cut_off_is_finished() -> None:
    with Elsewhere() as reader, Elsewhere() as cut_off:
        reader.do(sql, "BEGIN")
        reader.do(sql, "SELECT count(*) FROM jobs_jobrun")
        cut_off.do(sql, "SET lock_timeout = '200ms'")
        with pytest.raises(Exception, match="timeout"):
            cut_off.do(partitions.detach, next(p for p in partitions.partitions() if p.name == NAME))
        assert next(p for p in partitions.partitions() if p.name == NAME).state == "pending"
        reader.do(sql, "ROLLBACK")
    assert prune_partitions(NOW) == [NAME]
    assert NAME not in names()


def test_a_table_that_outlived_its_detach_is_dropped() -> None:
    partitions.detach(next(p for p in partitions.partitions() if p.name == NAME))
    assert prune_partitions(NOW) == [NAME]
    assert NAME not in names()


def test_months_are_made_where_no_day_stands_and_dropped_alike() -> None:
    assert partitions.ensure(date(2018, 11, 20), date(2019, 5, 8), wide=True) == 6 + 7
    assert "jobs_jobrun_p201811" in names()
    assert partitions.ensure(date(2018, 11, 20), date(2019, 5, 8), wide=True) == 0
    dropped = prune_partitions(NOW)
    assert {"jobs_jobrun_p201812", "jobs_jobrun_p20190501"} <= set(dropped)


def test_old_gaps_and_versions_go_and_a_version_that_a_gap_needs_stays() -> None:
    job = make_job()
    old, new = NOW - timedelta(days=50), NOW - timedelta(days=5)
    for number, valid_to in ((1, old), (2, old), (3, new)):
        JobVersion.objects.create(job=job, version=number, definition={}, valid_from=OLD, valid_to=valid_to)
    SlotGap.objects.create(job=job, after=OLD - timedelta(days=99), until=old, reason="edited", version=1, count=1)
    SlotGap.objects.create(job=job, after=OLD - timedelta(days=99), until=new, reason="edited", version=2, count=1)
    assert prune_records(NOW) == 2
    assert prune_records(NOW) == 0
    assert list(JobVersion.objects.order_by("version").values_list("version", flat=True)) == [2, 3]


def test_a_partition_that_has_grown_is_analyzed_once() -> None:
    job = make_job()
    insert_runs([NewRun(job.pk, OLD + timedelta(seconds=n), OLD, "jobs.default") for n in range(1200)])
    sql("SELECT pg_stat_force_next_flush()")
    sql("SELECT 1")
    assert analyze_fresh() == [NAME]
    assert analyze_fresh() == []
    connection.close()


def test_a_housekeeping_round_prunes_and_the_next_one_within_ten_minutes_does_not() -> None:
    housekeeper = Housekeeper()
    run_in_old_day(status="succeeded", finished_at=OLD)
    assert housekeeper.tick() >= 1
    assert NAME not in names()
    partitions.ensure(OLD.date(), OLD.date(), wide=False)
    housekeeper.tick()
    assert NAME in names()


def test_a_run_that_is_replayed_while_its_day_is_taken_out_brings_the_day_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """I3."""
    run_in_old_day(status="dead", finished_at=OLD)
    detach = partitions.detach

    def replayed_meanwhile(partition: partitions.Partition) -> None:
        JobRun.objects.filter(status="dead").update(status="queued", finished_at=None)
        detach(partition)

    with monkeypatch.context() as patched:
        patched.setattr(partitions, "detach", replayed_meanwhile)
        assert prune_partitions(NOW) == []
    assert JobRun.objects.get().status == "queued"
    JobRun.objects.update(status="succeeded", finished_at=OLD)
    assert prune_partitions(NOW) == [NAME]


@pytest.mark.parametrize("is_pending", [False, True], ids=["detached", "detach cut off"])
def test_a_day_whose_drop_was_cut_off_after_a_run_was_replayed_comes_back(is_pending: bool) -> None:
    """I3: the process died before it looked."""
    run_in_old_day()
    with Elsewhere() as reader, Elsewhere() as cut_off:
        if is_pending:
            reader.do(sql, "BEGIN")
            reader.do(sql, "SELECT count(*) FROM jobs_jobrun")
            cut_off.do(sql, "SET lock_timeout = '200ms'")
        with suppress(OperationalError):
            cut_off.do(partitions.detach, next(one for one in partitions.partitions() if one.name == NAME))
        reader.do(sql, "ROLLBACK")
    state_then = next(one for one in partitions.partitions() if one.name == NAME).state
    assert (state_then, JobRun.objects.count()) == ("pending" if is_pending else "detached", 0)
    assert prune_partitions(NOW) == []
    assert JobRun.objects.get().status == "queued"


def test_a_month_that_was_taken_out_in_vain_is_put_back_with_its_bounds() -> None:
    partitions.ensure(date(2018, 12, 1), date(2018, 12, 1), wide=True)
    december = next(one for one in partitions.partitions() if one.name == "jobs_jobrun_p201812")
    assert (december.lower, december.upper) == (datetime(2018, 12, 1, tzinfo=UTC), datetime(2019, 1, 1, tzinfo=UTC))
    partitions.detach(december)
    partitions.attach(december)
    assert next(one for one in partitions.partitions() if one.name == december.name).state == "attached"


def test_a_step_that_fails_keeps_no_other_from_its_turn_and_is_not_repeated_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[int] = []

    def failing() -> int:
        failures.append(1)
        raise OSError("no")

    monkeypatch.setattr(housekeeper, "_SLOW_ROUND", (failing, *housekeeper._SLOW_ROUND))
    run_in_old_day(status="succeeded", finished_at=OLD)
    keeper = Housekeeper()
    keeper.tick()
    keeper.tick()
    assert NAME not in names()
    assert failures == [1]
    assert "housekeeping.failed step=failing" in caplog.text
