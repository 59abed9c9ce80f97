"""Leadership: one leader a shard, terms that fence, and how it passes on."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, transaction
from pytest_django import Settings

from jobs.beat.watchdog import Watchdog
from jobs.clock import monotonic
from jobs.conf import config
from jobs.errors import DependencyError, LeadershipLostError
from jobs.models import Leader
from jobs.services.lead import end_silent_leader, renew_term, require_direct, take_term
from jobs.store import terms
from jobs.store.clock import database_now
from jobs.store.terms import Term, fence
from tests.support.elsewhere import Elsewhere, hang_up, sql
from tests.support.waiting import let_pass, wait_until


@pytest.fixture
def there() -> Iterator[Elsewhere]:
    with Elsewhere() as other:
        yield other


@pytest.fixture(autouse=True)
def _own_connection(committed: None) -> Iterator[None]:
    """The session's lock ends with it."""
    yield
    connection.close()


def lead(shard: int = 0) -> Term | None:
    return take_term(shard, holder=uuid.uuid4())


def end_silent() -> None:
    end_silent_leader(0, now=database_now())


def test_one_session_leads_and_the_next_one_wins_when_it_ends(there: Elsewhere) -> None:
    first = there.do(lead)
    assert first == Term(0, 1)
    assert lead() is None
    there.do(hang_up)
    assert wait_until(lead, timeout=2) == Term(0, 2)


def test_shards_have_leaders_of_their_own(there: Elsewhere) -> None:
    assert there.do(lead, 0) == Term(0, 1)
    assert lead(1) == Term(1, 1)


def test_a_term_begins_after_the_row_was_lost(there: Elsewhere) -> None:
    there.do(lead)
    Leader.objects.all().delete()
    with pytest.raises(LeadershipLostError):
        there.do(renew_term, Term(0, 1))
    there.do(hang_up)
    assert wait_until(lead, timeout=2) == Term(0, 1)


def test_a_renewal_fails_without_the_lock() -> None:
    term = lead()
    assert term is not None
    renew_term(term)
    sql("SELECT pg_advisory_unlock_all()")
    with pytest.raises(LeadershipLostError):
        renew_term(term)


def test_a_renewal_fails_on_another_connection(there: Elsewhere) -> None:
    """Losing the lock and being able to emit cannot be two facts: a reconnect ends the reign."""
    term = there.do(lead)
    assert term is not None
    with pytest.raises(LeadershipLostError):
        renew_term(term)
    with pytest.raises(LeadershipLostError), transaction.atomic():
        fence(term)


def test_a_new_term_waits_for_an_emission_that_is_still_open(there: Elsewhere) -> None:
    """I6: with the lock set aside, the term's row alone keeps the old leader from writing into the new term."""
    term = there.do(lead)
    assert term is not None
    may_commit, is_fenced = threading.Event(), threading.Event()

    def emission() -> None:
        with transaction.atomic():
            fence(term)
            is_fenced.set()
            may_commit.wait(10)

    old = there.begin(emission)
    assert is_fenced.wait(5)
    with Elsewhere() as third:
        new = third.begin(terms.begin, 0, holder=uuid.uuid4(), host="here")
        let_pass(0.3)
        assert not new.done()
        may_commit.set()
        old.result(5)
        assert new.result(5) == Term(0, 2)
    with pytest.raises(LeadershipLostError):
        there.do(_fenced, term)


def _fenced(term: Term) -> None:
    with transaction.atomic():
        fence(term)


def test_a_silent_leader_is_ended_after_the_ttl_and_not_before(there: Elsewhere, settings: Settings) -> None:
    settings.BEATKEEPER = {"TERM_TRUST": 0.5, "TERM_TTL": 1.0}
    config.cache_clear()
    there.do(lead)
    end_silent()
    assert there.do(sql, "SELECT 1") == [(1,)]
    let_pass(1.1)
    end_silent()
    assert wait_until(lead, timeout=2) == Term(0, 2)
    with pytest.raises(OperationalError):
        there.do(sql, "SELECT 1")


def test_a_leader_that_has_won_but_not_yet_written_its_term_is_spared(there: Elsewhere, settings: Settings) -> None:
    settings.BEATKEEPER = {"TERM_TRUST": 0.5, "TERM_TTL": 1.0}
    config.cache_clear()
    Leader.objects.create(shard=0, term=7, renewed_at="2020-01-01T00:00Z")
    assert there.do(terms.try_lock, 0)
    end_silent()
    assert there.do(sql, "SELECT 1") == [(1,)]


def test_a_pooled_connection_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    require_direct()
    monkeypatch.setattr(terms, "is_pooled", lambda: True)
    with pytest.raises(DependencyError, match="pooler"):
        require_direct()


def test_the_watchdog_frees_a_leader_that_waits_for_a_server_in_vain(there: Elsewhere) -> None:
    """And the server, once it moves again, ends the statement of a client that is gone: the lock is free."""
    assert lead() == Term(0, 1)
    dog = Watchdog(connection.connection.fileno(), patience=0.5)
    dog.start()
    began = monotonic()
    with pytest.raises(OperationalError):
        sql("SELECT pg_sleep(20)")
    assert monotonic() - began < 3
    dog.stop()
    assert wait_until(lambda: there.do(lead), timeout=5) == Term(0, 2)


def test_a_fed_watchdog_lets_its_leader_be() -> None:
    connection.ensure_connection()
    dog = Watchdog(connection.connection.fileno(), patience=0.5)
    dog.start()
    for _ in range(8):
        dog.feed(monotonic())
        sql("SELECT pg_sleep(0.1)")
    dog.stop()
    assert sql("SELECT 1") == [(1,)]
