"""Names on the wire."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.messages import TASK_NAMESPACE, RunKey, task_id

moments = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))
keys = st.builds(RunKey, st.integers(0, 2**63 - 1), moments)


@given(keys)
def test_a_key_is_read_back_from_its_text(key: RunKey) -> None:
    assert RunKey.parse(str(key)) == RunKey.parse(f"{key}") == key
    assert hash(RunKey.parse(str(key))) == hash(key)


def test_keys_are_in_the_order_of_their_job_and_then_their_slot() -> None:
    first, second = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    ordered = [RunKey(2, first), RunKey(2, second), RunKey(10, first)]
    assert sorted({*ordered}) == ordered
    assert str(RunKey(2, first + timedelta(microseconds=7))) == "2-1767225600000007"


@pytest.mark.parametrize("text", ["", "7", "7-", "-7", "a-1", "1-1-1", "١-١", "1-99999999999999999999", " 1-1"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Run key"):
        RunKey.parse(text)


@given(keys, st.integers(0, 2**31))
def test_a_task_id_is_the_uuid5_of_the_run_and_its_token(key: RunKey, token: int) -> None:
    assert task_id(key, token) == str(uuid.uuid5(TASK_NAMESPACE, f"{key}/{token}"))
