"""What team code returns or raises never harms the run beside it."""

from __future__ import annotations

import pytest

from tests.support.worker_stack import WorkerStack


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("nul", "a\N{REPLACEMENT CHARACTER}b"),
        ("surrogate", "\N{REPLACEMENT CHARACTER}"),
        ("nan", ["NaN", "inf"]),
    ],
)
def test_a_result_that_postgresql_refuses_is_stored_as_near_as_can_be(
    shared: WorkerStack, kind: str, stored: object
) -> None:
    row = shared.until(shared.start("returns_made", kind))
    assert (row.status, row.result) == ("succeeded", stored)


def test_a_result_that_is_no_json_is_stored_as_text(shared: WorkerStack) -> None:
    assert shared.until(shared.start("returns_made", "object")).result.startswith("<object object")


def test_a_large_result_leaves_its_size_and_its_head(shared: WorkerStack) -> None:
    result = shared.until(shared.start("returns_made", "large")).result
    assert (result["truncated"], result["bytes"]) == (True, 1_000_002)


def test_a_large_error_text_is_bounded(shared: WorkerStack) -> None:
    row = shared.until(shared.start("fails", "NULé", 300_000, job={"max_attempts": 1}))
    assert row.status == "dead"
    assert len(row.last_error.encode()) <= 5000
    assert len(row.errors[0]["traceback"].encode()) <= 17_000
