"""How long a run waits before its next attempt."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.policies import Backoff, Jitter
from jobs.domain.retry import RetryPolicy, delay, longest_delay

attempts = st.integers(1, 10_000)
policies = st.builds(
    RetryPolicy,
    kind=st.sampled_from(Backoff),
    base=st.floats(0, 100),
    cap=st.floats(100, 2_592_000),
    jitter=st.sampled_from(Jitter),
)


def test_the_wait_doubles_up_to_the_cap() -> None:
    policy = RetryPolicy(base=2, cap=60, jitter=Jitter.NONE)
    assert [delay(policy, attempt) for attempt in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]


def test_a_fixed_wait_stays_the_same() -> None:
    policy = RetryPolicy(kind=Backoff.FIXED, base=7, jitter=Jitter.NONE)
    assert {delay(policy, attempt) for attempt in (1, 2, 500)} == {7}


@given(policies, attempts)
def test_no_wait_leaves_its_bounds(policy: RetryPolicy, attempt: int) -> None:
    assert 0 <= delay(policy, attempt) <= longest_delay(policy, attempt) <= policy.cap


def test_b115_runs_that_failed_together_do_not_come_back_together() -> None:
    """200 runs, base 2 s, cap 60 s: by the third wait no second holds more than a quarter of them."""
    policy, draw = RetryPolicy(base=2, cap=60), random.Random(115).random
    for attempt in (3, 4, 5, 6):
        waits = [delay(policy, attempt, draw) for _ in range(200)]
        assert max(Counter(int(wait) for wait in waits).values()) <= 50
        assert max(waits) > longest_delay(policy, attempt) * 0.9
        assert min(waits) < longest_delay(policy, attempt) * 0.1
