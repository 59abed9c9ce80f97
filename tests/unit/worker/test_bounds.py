"""Whatever team code returns or raises becomes something that PostgreSQL stores."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.bounds import bounded_json, bounded_text

LIMIT = 2000
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
texts = st.text(st.characters(codec=None), max_size=50)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.binary() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(texts | st.integers() | st.floats(), inner) | st.tuples(inner),
)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


@given(values, st.integers(200, LIMIT))
def test_any_value_becomes_json_within_the_limit_that_jsonb_takes(value: Any, limit: int) -> None:
    encoded = bounded_json(value, limit)
    assert len(encoded.encode()) <= limit
    json.loads(encoded, parse_constant=lambda name: pytest.fail(name))
    assert "\\u0000" not in encoded.replace("\\\\", "")


@given(texts, st.integers(50, 300), st.sampled_from(["head", "tail"]))
def test_any_text_is_cut_to_bytes_without_breaking_a_character(text: str, limit: int, keep: str) -> None:
    cut = bounded_text(text * 5, limit, keep=keep)
    assert len(cut.encode()) <= limit
    assert "\x00" not in cut


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, None),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({1: "x", None: "y"}, {"1": "x", "null": "y"}),
        ([float("nan"), -float("inf")], ["NaN", "-inf"]),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (Decimal("1.10"), "1.10"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("a\x00\ud800b", f"a{REPLACEMENT}{REPLACEMENT}b"),
        ({"\x00": "\\u0000"}, {REPLACEMENT: "\\u0000"}),
        (b"bytes", "b'bytes'"),
        (Unprintable(), "<Unprintable>"),
        ({("a", 1): 2}, {"('a', 1)": 2}),
        ("\N{GRINNING FACE}", "\N{GRINNING FACE}"),
    ],
)
def test_a_value_is_stored_as_near_as_can_be(value: Any, stored: Any) -> None:
    assert json.loads(bounded_json(value, LIMIT)) == stored


def test_what_holds_itself_is_stored_as_text() -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert json.loads(bounded_json(loop, LIMIT)) == "[[...]]"
    assert isinstance(json.loads(bounded_json(deep, LIMIT)), str)


def test_a_long_value_leaves_its_size_and_its_head() -> None:
    stored = json.loads(bounded_json("é" * 5000, LIMIT))
    assert (stored["truncated"], stored["bytes"]) == (True, 10_002)
    assert stored["head"].startswith('"éé')
