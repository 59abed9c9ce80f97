"""The number of shards changes while beats live: terms end, cursors move, and none is left where nobody looks."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from jobs.beat.housekeeper import Housekeeper
from jobs.conf import config
from jobs.errors import DependencyError, InvalidFieldError, LeadershipLostError, ShardsDifferError
from jobs.models import JobCursor, Leader
from jobs.services import reshard as service
from jobs.services.lead import renew_term, take_term
from jobs.services.reshard import Resharded, move_stranded, reshard
from jobs.store import shards, state
from jobs.store.terms import LOCK_SPACE, Term, fence
from tests.support.elsewhere import Elsewhere, hang_up, sql
from tests.support.factories import make_job
from tests.support.waiting import let_pass, wait_until

_WAITS_TO_BEGIN = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '-- Begin%%'"


@pytest.fixture(autouse=True)
def _own_connection(committed: None) -> Iterator[None]:
    yield
    connection.close()


@pytest.fixture
def there() -> Iterator[Elsewhere]:
    with Elsewhere() as other:
        yield other


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PATIENCE_SECONDS", 0.3)


def lead(shard: int = 0) -> Term | None:
    return take_term(shard, holder=uuid.uuid4())


def astray(number: int) -> int:
    """How many cursors stand in another shard than the number gives their jobs."""
    return sum(cursor.shard != cursor.pk % number for cursor in JobCursor.objects.all())


def with_shards(settings: Settings, number: int) -> None:
    settings.BEATKEEPER = {"SHARDS": number, "TERM_TRUST": 0.5, "TERM_TTL": 1.0}
    config.cache_clear()


def test_every_cursor_is_moved_and_a_job_that_comes_later_begins_in_its_shard() -> None:
    for _ in range(8):
        make_job()
    elsewhere = sum(cursor.pk % 3 > 0 for cursor in JobCursor.objects.all())
    assert reshard(3) == Resharded(before=1, shards=3, moved=elsewhere, is_complete=True)
    make_job()
    assert astray(3) == 0
    assert reshard(3).moved == 0


def test_many_cursors_are_moved_a_stretch_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "BATCH", 3)
    for _ in range(10):
        make_job()
    reshard(2)
    assert astray(2) == 0


def test_the_terms_of_the_old_number_end_and_no_new_one_begins(there: Elsewhere, settings: Settings) -> None:
    term = there.do(lead)
    assert term == Term(0, 1)
    reshard(2)
    with pytest.raises(LeadershipLostError):
        there.do(renew_term, term)
    with pytest.raises(LeadershipLostError):
        there.do(_emission, term)
    there.do(hang_up)
    with pytest.raises(ShardsDifferError, match=r'The jobs are divided into 2 shards, and BEATKEEPER\["SHARDS"\] is 1'):
        lead()
    with_shards(settings, 2)
    assert lead(0) == Term(0, 3)
    assert there.do(lead, 1) == Term(1, 1)


def _emission(term: Term, *, until: threading.Event | None = None, begun: threading.Event | None = None) -> None:
    with transaction.atomic():
        fence(term)
        if begun and until:
            begun.set()
            until.wait(10)


def test_an_emission_that_is_open_commits_before_the_number_is_written(there: Elsewhere) -> None:
    term = there.do(lead)
    assert term is not None
    may_commit, begun = threading.Event(), threading.Event()
    emission = there.begin(_emission, term, until=may_commit, begun=begun)
    assert begun.wait(5)
    with Elsewhere() as third:
        work = third.begin(reshard, 2)
        let_pass(0.3)
        assert shards.written_number() == 1
        assert not work.done()
        may_commit.set()
        emission.result(5)
        assert work.result(10).shards == 2


def test_an_emission_that_does_not_end_leaves_everything_as_it_was(there: Elsewhere, settings: Settings) -> None:
    with_shards(settings, 1)
    make_job()
    sql("INSERT INTO jobs_leader (shard, term) VALUES (0, 5)")
    there.do(sql, "BEGIN")
    there.do(sql, "SELECT FROM jobs_leader WHERE term = 5 FOR KEY SHARE")
    with pytest.raises(DependencyError, match="Nothing was changed: the leaders' terms could not be ended within 1 s"):
        reshard(2)
    there.do(sql, "ROLLBACK")
    assert (shards.written_number(), Leader.objects.get().term, astray(1)) == (1, 5, 0)


def test_a_first_term_that_begins_just_before_the_number_is_written_ends_with_the_others(there: Elsewhere) -> None:
    """Its row is not there yet when the terms are to end."""
    there.do(sql, "BEGIN")
    there.do(sql, "INSERT INTO jobs_leader (shard, term, backend_pid) VALUES (0, 1, pg_backend_pid())")
    with Elsewhere() as third:
        work = third.begin(reshard, 2)
        let_pass(0.3)
        there.do(sql, "COMMIT")
        work.result(10)
    with pytest.raises(LeadershipLostError):
        there.do(_emission, Term(0, 1))


def test_a_term_that_would_begin_while_the_number_is_written_does_not(there: Elsewhere) -> None:
    """The lock was won by the old number; the new one commits before the term's row is free."""
    may_commit, begun = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            shards.end_terms()
            shards.write_number(2)
            begun.set()
            may_commit.wait(10)

    writing = there.begin(write)
    assert begun.wait(5)
    with Elsewhere() as third:
        late = third.begin(lead)
        wait_until(lambda: sql(_WAITS_TO_BEGIN), what="a term that waits to begin")
        may_commit.set()
        writing.result(5)
        with pytest.raises(ShardsDifferError):
            late.result(10)
        assert not Leader.objects.exists()
        assert sql("SELECT pg_try_advisory_lock(%s, 0)", LOCK_SPACE) == [(True,)], "its lock is free again"


def test_a_job_whose_insertion_was_open_all_along_is_moved_after_it_commits(there: Elsewhere) -> None:
    """The trigger read the old number."""
    reshard(4)
    there.do(sql, "BEGIN")
    for _ in range(4):
        there.do(make_job)
    with Elsewhere() as third:
        work = third.begin(reshard, 2)
        wait_until(lambda: shards.written_number() == 2)
        let_pass(0.3)
        assert not work.done()
        there.do(sql, "COMMIT")
        assert work.result(10).is_complete
    assert JobCursor.objects.count() == 4
    assert astray(2) == 0


@pytest.mark.usefixtures("_impatient")
def test_one_that_stays_open_for_long_is_moved_by_the_housekeeper_and_that_is_told(there: Elsewhere) -> None:
    reshard(4)
    there.do(sql, "BEGIN")
    for _ in range(4):
        there.do(make_job)
    assert not reshard(2).is_complete
    there.do(sql, "COMMIT")
    assert shards.has_cursors_beyond(2)
    keeper = Housekeeper()
    keeper._slow_round_at = float("inf")
    keeper.tick()
    assert astray(2) == 0
    assert move_stranded() == 0


@pytest.mark.usefixtures("_impatient")
def test_a_cursor_that_someone_holds_is_passed_by_and_moved_by_the_housekeeper_s_slow_round(there: Elsewhere) -> None:
    jobs = [make_job() for _ in range(4)]
    held = next(job for job in jobs if job.pk % 2)
    there.do(sql, "BEGIN")
    there.do(sql, "SELECT FROM jobs_cursor WHERE job_id = %s FOR UPDATE", held.pk)
    assert not reshard(2).is_complete
    assert astray(2) == 1
    there.do(sql, "ROLLBACK")
    Housekeeper().tick()
    assert astray(2) == 0


@pytest.mark.parametrize("number", [0, -1, 65])
def test_a_number_that_cannot_be_is_refused(number: int) -> None:
    with pytest.raises(InvalidFieldError, match=f"{number} is no number of shards: choose one from 1 to 64"):
        reshard(number)
    assert state.get(state.SHARDS) is None
