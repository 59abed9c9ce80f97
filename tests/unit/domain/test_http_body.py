"""Bodies of HTTP jobs: what is filled in, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from jobs.domain.http_body import STANDARD, Facts, body_fault, rendered

FACTS = Facts(run="7-1", job="nightly", scheduled_for=datetime(2026, 3, 2, 12, tzinfo=UTC), attempt=2)
SENT = {"run": "7-1", "job": "nightly", "scheduled_for": "2026-03-02T12:00:00Z", "attempt": 2}
ALLOWED = "Allowed are {{ run }}, {{ job }}, {{ scheduled_for }}, {{ attempt }}."


def test_without_a_body_all_the_facts_are_sent() -> None:
    assert rendered(None, FACTS) == rendered(STANDARD, FACTS) == SENT


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({"a": "{{ run }}"}, {"a": "7-1"}),
        ({"a": "{{attempt}}"}, {"a": 2}),
        ({"a": "attempt {{ attempt }} of {{job}}"}, {"a": "attempt 2 of nightly"}),
        (["{{ scheduled_for }}", [{"b": "{{  run  }}"}]], ["2026-03-02T12:00:00Z", [{"b": "7-1"}]]),
        ("{{ job }}", "nightly"),
        ("{{ run }}{{ run }}", "7-17-1"),
        ({"{{ run }}": "{{ order }} {{"}, {"{{ run }}": "{{ order }} {{"}),
        ([1, 1.5, True, None, "", {}], [1, 1.5, True, None, "", {}]),
        (0, 0),
    ],
)
def test_placeholders_are_filled_in_within_texts_that_are_values(body: Any, sent: Any) -> None:
    result = rendered(body, FACTS)
    assert result == sent
    assert type(result) is type(sent)


def test_a_value_that_looks_like_a_placeholder_is_not_filled_in_again() -> None:
    assert rendered("{{ job }}!", FACTS._replace(job="{{ run }}")) == "{{ run }}!"


def test_the_instant_is_in_utc_with_the_microseconds_it_has() -> None:
    facts = FACTS._replace(scheduled_for=datetime(2026, 3, 2, 14, 0, 0, 5, tzinfo=timezone(timedelta(hours=2))))
    assert rendered("{{ scheduled_for }}", facts) == "2026-03-02T12:00:00.000005Z"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"a": "{{ order }}"}, f"{{{{ order }}}} is no placeholder. {ALLOWED}"),
        (["x {{ }} y"], f"{{{{  }}}} is no placeholder. {ALLOWED}"),
        ({"a": {"b": ["{{ run }} {{ Run }}"]}}, f"{{{{ Run }}}} is no placeholder. {ALLOWED}"),
        (
            {"a": [{"{{ run }}": 1}]},
            'The key "{{ run }}" holds a placeholder, and keys are not filled in. Put it into a value.',
        ),
        ("x" * 100, "The JSON has 102 bytes; 100 are allowed. Store the data elsewhere and pass a reference."),
        (["\x00"], "A text holds the character U+0000, which PostgreSQL cannot store. Remove it."),
        ({1: 2}, "A key of an object is not a text. Put it in quotes."),
    ],
)
def test_a_body_that_cannot_be_sent_as_meant_is_refused_with_the_way_out(body: Any, fault: str) -> None:
    assert body_fault(body, limit=100) == fault


@pytest.mark.parametrize(
    "body", [None, {"a": "{{ run }} {{job}}"}, ["{{ scheduled_for }}{{ attempt }}"], "{ {{ run }} }", 7]
)
def test_a_good_body_has_no_fault(body: Any) -> None:
    assert body_fault(body, limit=100) == ""
