"""Dead runs by their error: what a group says, and that its price does not follow the table."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from jobs.domain.states import RunStatus
from jobs.store.days import whole_days
from jobs.store.dead import Window, count_dead, dead_keys, dead_runs, describe, group_names
from jobs.store.runs import ensure_days
from tests.integration.dead.conftest import BUSY, group_of, make_dead
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.job_history import make_run
from tests.support.plans import indexes, partitions, plan, plan_of, scans

pytestmark = pytest.mark.django_db
_FILL = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, last_error)
SELECT n %% 200, slot, slot, slot, 'jobs.default', CASE WHEN n %% 10 = 0 THEN 'dead' ELSE 'succeeded' END,
       slot, 'Error' || n %% 200 || ': x'
FROM (SELECT n, %s::timestamptz - n * interval '45 seconds' AS slot FROM generate_series(1, 10000) AS n) AS runs
"""


@pytest.fixture
def busy(now: datetime) -> str:
    """A table of six days with 10,000 runs, 1,000 of them dead in 20 groups; the name of one."""
    ensure_days(now - timedelta(days=day) for day in range(8))
    sql(_FILL, now)
    sql("ANALYZE jobs_jobrun")
    return group_of("Error10: x")


def test_groups_come_with_their_numbers_newest_slot_first(week: Window) -> None:
    one, other = make_job(), make_job()
    old = make_dead(one, 3, ago=600)
    new = make_dead(other, 2, ago=300)
    make_dead(one, 1, error="ValueError: row 7", ago=10)
    make_run(one, RunStatus.SUCCEEDED, last_error=BUSY)

    rows, busy = describe(group_names(week), week)

    assert rows.error == "ValueError: row 7"
    assert (busy.group, busy.error, busy.runs, busy.jobs, busy.newest) == (group_of(BUSY), BUSY, 5, 2, new[-1])
    assert busy.first_at <= busy.last_at
    assert list(dead_runs(busy.group, week).values_list("scheduled_for", flat=True)) == [
        key.scheduled_for for key in reversed(old + new)
    ]


def test_counting_stops_at_the_cap(week: Window) -> None:
    make_dead(make_job(), 7)
    (group,) = describe([group_of(BUSY)], week, cap=5)
    assert (group.runs, count_dead(group.group, week, cap=5), count_dead(group.group, week)) == (5, 5, 7)


def test_a_window_has_whole_days_and_older_runs_are_not_in_it(now: datetime, week: Window) -> None:
    job = make_job()
    make_dead(job, ago=8.5 * 86_400)
    assert group_names(week) == []
    assert group_names(Window.of_days(30, now=now)) == [group_of(BUSY)]
    assert week.since.isoformat().endswith("T00:00:00+00:00")
    assert now - timedelta(days=8) < week.since <= now - timedelta(days=7)


def test_only_so_many_groups_are_looked_at(week: Window) -> None:
    for word in ("one", "two", "three", "four"):
        make_dead(make_job(), error=f"E: {word}")
    assert len(group_names(week, limit=3)) == 3


def test_the_runs_of_a_group_are_paged_by_key_also_within_one_slot(now: datetime, week: Window) -> None:
    slot = now - timedelta(minutes=5)
    keys = [make_dead(make_job(), scheduled_for=slot + timedelta(seconds=n // 3))[0] for n in range(7)]
    shown: list[Any] = []
    while page := list(dead_runs(group_of(BUSY), week, before=shown[-1] if shown else None)[:2]):
        shown += [run.key for run in page]
    assert shown == sorted(keys, key=lambda key: (key.scheduled_for, key.job_id), reverse=True)


def test_candidates_of_a_replay_are_read_on_from_the_last_and_without_some_jobs(week: Window) -> None:
    one, other = make_job(), make_job()
    keys = make_dead(one, 3, ago=100) + make_dead(other, 3, ago=50)
    group = group_of(BUSY)

    first = dead_keys(group, week, limit=2)
    assert [key for key, _ in first] == keys[:2]
    assert [key for key, _ in dead_keys(group, week, limit=9, after=keys[1])] == keys[2:]
    assert [key for key, _ in dead_keys(group, week, limit=9, after=keys[1], but=[one.pk])] == keys[3:]
    assert [key for key, _ in dead_keys(group, week, limit=9, job_id=one.pk)] == keys[:3]


def test_groups_are_stepped_through_by_the_index(busy: str, week: Window) -> None:
    assert len(group_names(week)) == 20
    nodes = plan("dead_group_names", **week._asdict(), limit=1000)
    assert indexes(nodes) == {"jobrun_dead"}
    assert not scans(nodes)


def test_numbers_of_groups_are_read_from_the_index_alone(busy: str, week: Window) -> None:
    # Rows of an open transaction have to be fetched, and then a bitmap may be cheaper: the index has all that is asked.
    sql("SET LOCAL enable_bitmapscan = off")
    nodes = plan("dead_groups", groups=[busy], **week._asdict(), cap=100)
    assert indexes(nodes) == {"jobrun_dead"}
    assert "Index Only Scan" in {node["Node Type"] for node in nodes}
    assert not scans(nodes)


@pytest.mark.parametrize("after", [False, True])
def test_candidates_of_a_replay_are_found_by_index(busy: str, week: Window, now: datetime, after: bool) -> None:
    place = {"after_slot": now - timedelta(days=1) if after else None, "after_job": 1 if after else None}
    nodes = plan("dead_keys", error_group=busy, **week._asdict(), **place, job_id=None, but=[3], limit=500)
    assert indexes(nodes) == {"jobrun_dead"}
    assert not scans(nodes)


def test_a_count_of_what_is_left_reads_the_index(busy: str, week: Window) -> None:
    nodes = plan("count_dead", error_group=busy, **week._asdict(), job_id=None, cap=10_001)
    assert indexes(nodes) == {"jobrun_dead"}
    assert not scans(nodes)


def test_a_page_of_runs_is_read_by_index_and_from_its_place_on(busy: str, week: Window) -> None:
    newest = dead_runs(busy, week)[:51]
    for runs in (newest, dead_runs(busy, week, before=newest[20].key)[:51]):
        nodes = plan_of(runs)
        assert indexes(nodes) == {"jobrun_dead"}
        assert not scans(nodes)


def test_a_replay_finds_its_runs_by_key_in_their_partition(busy: str, now: datetime) -> None:
    slot = now - timedelta(days=2)  # of a whole day: today's partition has few runs in the morning
    nodes = plan(
        "replay_runs",
        job_ids="{7}",
        slots=f"{{{slot.isoformat()}}}",
        tokens="{NULL}",
        more="{5}",
        exclusive="{f}",
        delays="{0}",
        **whole_days([slot]),
        who="",
        history=20,
    )
    assert indexes(nodes) == {"jobrun_slot"}
    assert len(partitions(nodes)) == 1
    assert not scans(nodes)
