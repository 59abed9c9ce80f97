"""A run that someone holds, in a transaction that stays open, is in the way of its own job alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from jobs.services.lead import take_term
from jobs.store import terms
from jobs.store.terms import Term
from tests.support.elsewhere import Elsewhere, sql
from tests.support.leading import emit, job_at, set_clock, slots
from tests.support.times import MINUTE, NOON

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def term() -> Iterator[Term]:
    won = take_term(0, holder=uuid.uuid4())
    assert won is not None
    yield won
    terms.unlock(0)
    set_clock(None)


def test_a_run_to_be_replaced_that_someone_holds_lets_other_jobs_be_emitted(term: Term) -> None:
    job, other = job_at(NOON, concurrency_policy="replace"), job_at(NOON)
    emit(term, NOON + MINUTE)
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE job_id = %s FOR UPDATE", job.pk)
        emit(term, NOON + 2 * MINUTE)
        assert slots(other) == [NOON + MINUTE, NOON + 2 * MINUTE]
        assert slots(job) == [NOON + MINUTE]
        there.do(sql, "ROLLBACK")
    emit(term, NOON + 2 * MINUTE)
    assert slots(job) == [NOON + 2 * MINUTE]
    assert slots(job, "cancelled") == [NOON + MINUTE]
