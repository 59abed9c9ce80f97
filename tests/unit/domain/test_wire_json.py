"""AMQP tables become JSON that PostgreSQL stores, and come back equal."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.domain.bounds import storable_text
from jobs.domain.wire_json import from_json, to_json

keys = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(["$bytes", "$table", "$", "$time"])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None), max_size=20)
    | st.binary(max_size=20)
    | st.datetimes(min_value=datetime(1970, 1, 1))
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-100, max_value=100),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(keys, values, max_size=5))
def test_any_table_comes_back_equal_by_way_of_json(table: dict[str, Any]) -> None:
    written = json.dumps(to_json(table), allow_nan=False, ensure_ascii=False)
    assert from_json(json.loads(written)) == table
    assert storable_text(written) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (b"\xff", {"$bytes": "/w=="}),
        (datetime(2026, 1, 2, 3), {"$time": "2026-01-02T03:00:00"}),
        (Decimal("1.50"), {"$decimal": "1.50"}),
        (float("inf"), {"$float": "inf"}),
        ("a\x00", {"$text": "YQA="}),
        ({"$bytes": "x"}, {"$table": [["$bytes", "x"]]}),
        ({"plain": "$bytes"}, {"plain": "$bytes"}),
    ],
)
def test_what_json_cannot_say_is_named(value: Any, written: Any) -> None:
    assert to_json(value) == written
    assert from_json(written) == value


def test_what_no_table_holds_is_refused() -> None:
    with pytest.raises(TypeError, match="A set in a message's headers cannot be kept"):
        to_json({"a": {1}})
