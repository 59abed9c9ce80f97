"""The answers of ``jobs preview --stdin``."""

from __future__ import annotations

import json

import pytest

from jobs.domain.preview_lines import answer


def line(**changes: object) -> str:
    return json.dumps({"expr": "* * * * *", "tz": "UTC", "after": "2025-01-01T00:00:00+00:00", "count": 2} | changes)


def test_a_line_is_answered_in_the_offset_of_its_zone():
    assert answer(line()) == {"next": ["2025-01-01T00:01:00+00:00", "2025-01-01T00:02:00+00:00"]}
    tokyo = answer(line(expr="0 9 * * *", tz="Asia/Tokyo", count=1))
    assert tokyo == {"next": ["2025-01-02T09:00:00+09:00"]}
    assert len(answer(line(count=10_000))["next"]) == 10_000


EXAMPLE = '{"expr": "0 9 * * 1-5", "tz": "Europe/Berlin", "after": "2025-01-01T00:00:00+00:00", "count": 5}'


def test_the_example_of_the_error_texts_is_answered() -> None:
    assert len(answer(EXAMPLE)["next"]) == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", f"The line is not JSON: Expecting value, at column 1. Write a line such as {EXAMPLE}."),
        ("[1]", f"The line is [1]; it must be a JSON object, such as {EXAMPLE}."),
        ("{}", f"expr is missing. Write a line such as {EXAMPLE}."),
        (line(expr=5), 'expr is 5; it must be a text, such as "0 9 * * 1-5".'),
        (line(tz=None), 'tz is null; it must be a text, such as "Europe/Berlin".'),
        (
            line(after="yesterday"),
            'after "yesterday" is not a time. Write it in ISO 8601 with an offset, such as 2025-01-01T00:00:00+00:00.',
        ),
        (line(count=0), "count is 0; it must be a whole number from 1 to 10,000."),
        (line(count="x" * 50), f'count is "{"x" * 39}…; it must be a whole number from 1 to 10,000.'),
    ],
)
def test_an_error_says_the_value_what_is_allowed_and_what_to_write(text: str, told: str) -> None:
    assert answer(text) == {"error": told}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        '{"expr": "* * * * *"}',
        line(expr=None),
        line(expr="0 0 30 2 *"),
        line(expr="\ud800 * * * *"),
        line(tz=3),
        line(tz="\ud800"),
        line(tz="Mars/Olympus"),
        line(after="2025-01-01T00:00:00"),
        line(after="yesterday"),
        line(after=0),
        line(count=0),
        line(count=10_001),
        line(count=True),
        line(count=1.0),
        line(count="1"),
        line(count=10**400),
        '{"expr": "* * * * *", "tz": "UTC", "after": "2025-01-01T00:00:00Z", "count": ' + "9" * 5000 + "}",
    ],
)
def test_a_bad_line_is_answered_with_an_error(text):
    (key,) = answer(text)
    assert key == "error"
    assert json.dumps(answer(text))
