"""PostgreSQL's array text."""

from __future__ import annotations

from datetime import UTC, datetime

from jobs.store.arrays import array


def test_values_of_all_kinds() -> None:
    assert array([1, None, 2]) == "{1,NULL,2}"
    assert array([True, False]) == "{True,False}"
    assert array([datetime(2026, 3, 2, tzinfo=UTC)]) == "{2026-03-02T00:00:00+00:00}"
    assert array([]) == "{}"


def test_texts_cannot_end_their_element() -> None:
    assert array(["", "NULL", 'a"b', "a\\b", "a,b", "{}"]) == '{"","NULL","a\\"b","a\\\\b","a,b","{}"}'
