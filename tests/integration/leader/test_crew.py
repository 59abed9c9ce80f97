"""Several beats share several shards: each takes its part, takes over what is left, and gives up what is too much."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from celery import Celery
from django.db import connection
from pytest_django import Settings

from jobs.beat import Scheduler
from jobs.beat.crew import Crew
from jobs.clock import monotonic
from jobs.conf import config
from jobs.models import JobCursor, JobRun, Leader
from jobs.store import state
from jobs.store.unsent import Share
from tests.integration.leader.test_loop import NoDispatcher, every_second
from tests.support.elsewhere import Elsewhere, sql
from tests.support.waiting import let_pass, wait_until

SHARDS = 4
_HOLDERS = """
    SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.fixture(autouse=True)
def _four_shards(committed: None, settings: Settings) -> None:
    settings.BEATKEEPER = {"SHARDS": SHARDS, "RETENTION_DAYS": 1}
    config.cache_clear()
    state.put(state.SHARDS, SHARDS)


class Beat:
    """A crew, ticked in a thread of its own until it is told to stop or to freeze."""

    def __init__(self, there: Elsewhere) -> None:
        self.there = there
        self.shares: list[Share] = []
        self.crew = there.do(Crew, new_dispatcher=self._new_dispatcher)
        self._is_ticking = True
        self._ticks = there.begin(self._tick)

    @property
    def led(self) -> set[int]:
        """The shards that the database says it leads."""
        return set(
            Leader.objects.filter(holder=self.crew._holder, backend_pid__in=_holders()).values_list("shard", flat=True)
        )

    def freeze(self) -> None:
        """It looks no more; its threads go on."""
        self._is_ticking = False
        self._ticks.result(10)

    def end(self) -> None:
        if self._is_ticking:
            self.freeze()
            self.there.do(self.crew.close)

    def _tick(self) -> None:
        while self._is_ticking:
            self.crew.tick()

    def _new_dispatcher(self, share: Share) -> NoDispatcher:
        self.shares.append(share)
        return NoDispatcher()


def _holders() -> list[int]:
    """The sessions of this database that hold a lock of ours."""
    return [pid for (pid,) in sql(_HOLDERS)]


@pytest.fixture
def start() -> Iterator[Any]:
    """Start a beat; all are ended afterwards."""
    with ExitStack() as ends:

        def start() -> Beat:
            beat = Beat(ends.enter_context(Elsewhere()))
            ends.callback(beat.end)
            return beat

        yield start


def counts(*beats: Beat) -> list[int]:
    return [len(beat.led) for beat in beats]


def until(expected: list[int], *beats: Beat, timeout: float = 15) -> None:
    wait_until(lambda: sorted(counts(*beats)) == expected, timeout, what=f"{expected} shards led, not {counts(*beats)}")


def test_a_beat_alone_takes_one_shard_at_once_and_the_others_when_nobody_else_does(start: Any) -> None:
    beat, began = start(), monotonic()
    wait_until(lambda: beat.led, every=0.02)
    assert len(beat.led) == 1
    until([SHARDS], beat)
    assert monotonic() - began > 1
    assert sorted(beat.shares, key=lambda share: share.shard) == [Share(shard, SHARDS) for shard in range(SHARDS)]


def test_each_shard_s_jobs_become_runs_whoever_leads_it(start: Any) -> None:
    jobs = [every_second() for _ in range(SHARDS)]
    assert set(JobCursor.objects.values_list("shard", flat=True)) == set(range(SHARDS))
    until([2, 2], start(), start())
    wait_until(lambda: all(JobRun.objects.filter(job=job).count() >= 2 for job in jobs))


def test_two_beats_that_start_together_share_evenly_and_nothing_moves_afterwards(start: Any) -> None:
    first, second = start(), start()
    until([2, 2], first, second)
    terms = list(Leader.objects.order_by("shard").values_list("shard", "term"))
    let_pass(3)
    assert list(Leader.objects.order_by("shard").values_list("shard", "term")) == terms
    assert not first.led & second.led


def test_a_beat_that_comes_later_is_given_its_share(start: Any, caplog: pytest.LogCaptureFixture) -> None:
    first = start()
    until([SHARDS], first)
    caplog.set_level("INFO", "beatkeeper")
    second = start()
    until([2, 2], first, second)
    assert caplog.text.count("leader.gave_way") == SHARDS - 2
    assert 0 in first.led, "the first shard's leader is the last to change"
    assert set(Leader.objects.values_list("term", flat=True)) == {1, 2}


def test_what_a_beat_leaves_is_taken_over_by_those_that_are_there(start: Any) -> None:
    first, second, third = start(), start(), start()
    until([1, 1, 2], first, second, third)
    third.end()
    began = monotonic()
    until([2, 2], first, second)
    assert monotonic() - began < 3


def test_more_beats_than_shards_leave_one_standing_by(start: Any) -> None:
    beats = [start() for _ in range(SHARDS + 1)]
    until([0, 1, 1, 1, 1], *beats)
    leading = next(beat for beat in beats if beat.led)
    leading.end()
    left = [beat for beat in beats if beat is not leading]
    until([1, 1, 1, 1], *left, timeout=5)
    assert set().union(*(beat.led for beat in left)) == set(range(SHARDS))


def test_a_beat_that_looks_no_more_is_given_nothing(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.beat.crew.KEEP_SECONDS", 0)
    first = _beside_a_frozen_one(start)
    let_pass(3)  # until its session has said nothing for long enough
    _until_nothing_moves(first)
    assert first.led == set(range(SHARDS))


def test_what_was_given_up_and_nobody_took_is_taken_back_and_kept(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the other beat were there and could not lead."""
    monkeypatch.setattr("jobs.beat.crew.PRESENT_SECONDS", 1000)
    first = _beside_a_frozen_one(start)
    wait_until(lambda: _terms() > SHARDS, what="one to be given up and taken back")
    _until_nothing_moves(first)


def _beside_a_frozen_one(start: Any) -> Beat:
    first: Beat = start()
    until([SHARDS], first)
    frozen = start()
    wait_until(lambda: len(_holders()) == SHARDS + 2, every=0.01, what="the second to say that it is there")
    frozen.freeze()
    assert not frozen.led
    return first


def _terms() -> int:
    return sum(Leader.objects.values_list("term", flat=True))


def _until_nothing_moves(beat: Beat) -> None:
    until([SHARDS], beat)
    end = monotonic() + 3
    while monotonic() < end:
        assert len(beat.led) == SHARDS
        let_pass(0.1)


def test_a_beat_whose_session_is_ended_leads_again(start: Any) -> None:
    beat = start()
    until([SHARDS], beat)
    sql(f"SELECT pg_terminate_backend(pid) FROM ({_HOLDERS}) AS held")
    wait_until(lambda: set(Leader.objects.values_list("term", flat=True)) == {2}, timeout=15)
    until([SHARDS], beat)


def test_closing_frees_every_lock_and_may_be_repeated(start: Any) -> None:
    beat = start()
    until([SHARDS], beat)
    beat.end()
    beat.there.do(beat.crew.close)
    wait_until(lambda: not _holders(), timeout=2)


def test_a_beat_of_another_number_stands_by_says_so_once_and_leads_when_the_number_is_its_own(
    start: Any, caplog: pytest.LogCaptureFixture
) -> None:
    state.put(state.SHARDS, 3)
    beat = start()
    wait_until(lambda: "beat.shards_differ" in caplog.text)
    let_pass(1.2)
    assert not Leader.objects.exists()
    assert caplog.text.count("beat.shards_differ here=4 written=3") == 1
    assert "manage.py jobs reshard 4" in caplog.text
    state.put(state.SHARDS, SHARDS)
    until([SHARDS], beat)


def test_without_a_database_a_beat_waits_and_goes_on(
    start: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = start()
    until([SHARDS], beat)
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")
    sql(f"SELECT pg_terminate_backend(pid) FROM ({_HOLDERS}) AS held")
    wait_until(lambda: "beat.waiting" in caplog.text)
    monkeypatch.undo()
    until([SHARDS], beat, timeout=20)


def test_celery_s_scheduler_leads_several_shards_and_closes_once_the_tick_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheduler = Scheduler(app=Celery("beat", set_as_current=False), max_interval=1)
    crew = scheduler._loop
    assert isinstance(crew, Crew)
    monkeypatch.setattr(crew, "_new_dispatcher", lambda share: NoDispatcher())

    def leads_all() -> bool:
        assert scheduler.tick() == 0
        return len(_holders()) == SHARDS + 1  # each shard's session, and the one that looks

    wait_until(leads_all, every=0)
    scheduler.close()
    wait_until(lambda: not _holders(), timeout=2)
