"""B130: JSON is refused with words, or comes back equal; never something in between."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobs.domain.json_value import json_fault, parse_json
from jobs.errors import InvalidFieldError


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


GOOD = [[], {}, [None], [1, 2.5, True], ["café ☃ 🎈"], {"a": {"b": [1]}}, nested(49), [10**4000], ["'\"\\\n"]]
BAD = [
    (["\x00"], "A text holds the character U+0000, which PostgreSQL cannot store. Remove it."),
    ({"a\x00": 1}, "A text holds the character U+0000, which PostgreSQL cannot store. Remove it."),
    ([float("nan")], "NaN, Infinity and numbers of over 4,300 digits are not JSON. Send null or a text instead."),
    ([float("inf")], "NaN, Infinity and numbers of over 4,300 digits are not JSON. Send null or a text instead."),
    ([10**5000], "NaN, Infinity and numbers of over 4,300 digits are not JSON. Send null or a text instead."),
    (["\ud800"], "A text holds half of a surrogate pair, which is no character. Remove it."),
    (nested(10_000), "The JSON is nested deeper than 50 levels. Flatten it, or pass a reference."),
    (
        ["x" * 1_000_000],
        "The JSON has 1,000,004 bytes; 131,072 are allowed. Store the data elsewhere and pass a reference.",
    ),
    ({1: 2}, "A key of an object is not a text. Put it in quotes."),
    (
        [(1, 2)],
        "A tuple is not JSON. Allowed are lists, objects, texts, numbers, true, false and null.",
    ),
    ([b"x"], "A bytes is not JSON. Allowed are lists, objects, texts, numbers, true, false and null."),
]


@pytest.mark.parametrize("value", GOOD)
def test_json_that_can_be_stored_has_no_fault(value: object) -> None:
    assert json_fault(value, limit=131_072) == ""


@pytest.mark.parametrize(("value", "message"), BAD)
def test_what_cannot_be_stored_is_refused_in_words(value: object, message: str) -> None:
    assert json_fault(value, limit=131_072) == message


def test_a_value_that_holds_itself_is_refused_quickly() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    assert "nested deeper" in json_fault(loop, limit=100)


def test_the_limit_counts_bytes_of_utf_8() -> None:
    assert json_fault("☃" * 10, limit=32) == ""
    assert json_fault("☃" * 10, limit=31).startswith("The JSON has 32 bytes; 31 are allowed.")


REFUSED_TEXTS = [
    ("[135L]", "args [135L] is not JSON: Expecting ',' delimiter at line 1, column 5"),
    ("{'a': 1}", "args {'a': 1} is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    ('{"a": 1, "a": 2}', 'args {"a": 1, "a": 2} is not JSON: the key "a" occurs twice in one object'),
    ("[NaN]", "args [NaN] is not JSON: NaN is not a JSON number"),
    ("[-Infinity]", "args [-Infinity] is not JSON: -Infinity is not a JSON number"),
    ("[" * 10_000 + "]" * 10_000, "is not JSON: it is nested deeper than 50 levels"),
    ("", "args  is not JSON: Expecting value at line 1, column 1"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED_TEXTS)
def test_text_that_is_not_json_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(InvalidFieldError) as caught:
        parse_json(text, "args")
    assert caught.value.field == "args"
    assert message in str(caught.value)
    assert str(caught.value).endswith('Write for example [1, "a"] or {"key": 1}.')
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("value", GOOD[:6])
def test_good_text_is_read_as_it_stands(value: object) -> None:
    assert parse_json(json.dumps(value), "args") == value
