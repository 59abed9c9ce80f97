"""A value of another type than its field is a fault, and no crash; good JSON comes back equal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from jobs.models import Job
from tests.support.factories import make_job

pytestmark = pytest.mark.django_db
PLACEHOLDERS = "Allowed are {{ run }}, {{ job }}, {{ scheduled_for }}, {{ attempt }}."
PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"name": "Daily Report"},
        "name",
        'Name "Daily Report" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.',
    ),
    ({"name": ""}, "name", 'Name "" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.'),
    *(
        (
            {"name": name},
            "name",
            f'Name "{name}" is of dots alone, which a URL takes for a way up. Add a letter, digit, _ or -.',
        )
        for name in (".", "..", "." * 100)
    ),
    ({"name": None}, "name", "name None must be a text."),
    ({"cron": "61 * * * *"}, "cron", 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'),
    (
        {"kind": "hourly"},
        "kind",
        'Kind "hourly" is unknown; allowed are cron, interval, calendar, once, manual.',
    ),
    (
        {"start_at": FUTURE, "end_at": PAST},
        "end_at",
        "end_at 2020-01-01T00:00:00+00:00 is before start_at 2999-01-01T00:00:00+00:00; make it later.",
    ),
    (
        {"catch_up_limit": 0},
        "catch_up_limit",
        "catch_up_limit 0 is outside 1 to 10,000. To run no missed slot, choose catch_up skip.",
    ),
    ({"priority": 10}, "priority", "priority 10 is outside 0 to 9. Higher goes first."),
    ({"priority": "9"}, "priority", "priority '9' is not a whole number in 0 to 9. Higher goes first."),
    ({"max_attempts": 0}, "max_attempts", "max_attempts 0 is outside 1 to 1,000. 1 means no retry."),
    (
        {"timeout_seconds": 0},
        "timeout_seconds",
        "timeout_seconds 0 is outside 1 to 2,592,000. Empty means the task's own, else 1,800; of an HTTP job the "
        "endpoint's.",
    ),
    (
        {"timeout_seconds": 60, "soft_timeout_seconds": 60},
        "soft_timeout_seconds",
        "The soft limit (60 s) must be below the hard one (60 s), or it never comes. Lower it.",
    ),
    (
        {"starting_deadline_seconds": 0},
        "starting_deadline_seconds",
        "starting_deadline_seconds 0 is outside 1 to 31,622,400. Empty means no deadline.",
    ),
    (
        {"spread_seconds": 86_401},
        "spread_seconds",
        "spread_seconds 86,401 is outside 0 to 86,400. 0 starts every run at its slot.",
    ),
    (
        {"backoff_base_seconds": 10.0, "backoff_cap_seconds": 5.0},
        "backoff_cap_seconds",
        "5 s is outside 10 (the base) to 2,592,000 s (30 days). Raise the cap or lower the base.",
    ),
    (
        {"backoff_base_seconds": float("nan")},
        "backoff_base_seconds",
        "nan s is outside 0 to 2,592,000 s (30 days).",
    ),
    (
        {"concurrency_policy": "queue"},
        "concurrency_policy",
        'concurrency_policy "queue" is unknown; allowed are allow, forbid, replace.',
    ),
    ({"catch_up": "none"}, "catch_up", 'catch_up "none" is unknown; allowed are skip, latest, all.'),
    (
        {"queue": "nowhere"},
        "queue",
        'Queue "nowhere" is not one of jobs.default, jobs.fast, jobs.http. '
        'Choose one, or add it to BEATKEEPER["QUEUES"].',
    ),
    (
        {"task": " "},
        "task",
        "Name the Celery task to run, for example myapp.tasks.report, or choose an endpoint to POST to.",
    ),
    ({"task": "a.b "}, "task", 'Task "a.b " has blanks around its name. Remove them.'),
    ({"task": "a" * 256}, "task", "The task's name has 256 characters; 255 are allowed."),
    ({"args": {"a": 1}}, "args", 'Arguments must be a JSON list such as [1, "a"], not an object.'),
    ({"args": None}, "args", 'Arguments must be a JSON list such as [1, "a"], not null.'),
    ({"args": "[1]"}, "args", 'Arguments must be a JSON list such as [1, "a"], not a text.'),
    ({"kwargs": [1]}, "kwargs", 'Keyword arguments must be a JSON object such as {"key": 1}, not a list.'),
    ({"args": ["\x00"]}, "args", "A text holds the character U+0000, which PostgreSQL cannot store. Remove it."),
    ({"labels": {"tier": 1}}, "labels", 'Labels must be a JSON object of texts such as {"tier": "gold"}.'),
    (
        {"description": "\x00"},
        "description",
        "description holds the character U+0000, which PostgreSQL cannot store. Remove it.",
    ),
    (
        {"description": "\ud800"},
        "description",
        "description holds half of a surrogate pair, which is no character. Remove it.",
    ),
    (
        {"body": {"a": 1}},
        "body",
        "A body is what an endpoint is sent. Choose an endpoint in place of the task, or empty this field.",
    ),
    (
        {"headers": {"X-Team": "billing"}},
        "headers",
        "Headers are what an endpoint is sent. Choose an endpoint in place of the task, or empty this field.",
    ),
    (
        {"endpoint_id": 999_999, "task": ""},
        "endpoint",
        "There is no endpoint 999999. Choose one that is registered.",
    ),
    (
        {"paused_until": FUTURE},
        "paused_until",
        "An end of a pause needs the pause itself: tick paused, or empty this field.",
    ),
    (
        {"paused": True, "paused_until": datetime(2999, 1, 1)},
        "paused_until",
        "2999-01-01 00:00:00 has no offset from UTC. Add one, for example +00:00.",
    ),
]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "fields", [{"args": "x"}, {"args": {"a": 1}}, {"kwargs": [1]}, {"labels": [1]}, {"headers": 3}]
)
def test_json_of_another_shape_is_refused_by_the_table_too(fields: dict[str, Any]) -> None:
    """Celery would spread a text or an object that is given as arguments."""
    job = make_job()
    with pytest.raises(IntegrityError, match="job_json_shapes"), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(**fields)


@pytest.mark.parametrize("seconds", [1.5, True])
def test_a_whole_number_is_not_cut_out_of_another(seconds: Any) -> None:
    with pytest.raises(ValidationError, match="must be a whole number"):
        make_job(kind="interval", interval_seconds=seconds)


@pytest.mark.parametrize("fields", [{"interval_seconds": "abc"}, {"start_at": "soon"}, {"interval_seconds": [1]}])
def test_a_value_of_another_type_is_a_fault_and_no_crash(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(**fields)
    assert set(fields) <= set(caught.value.message_dict)


@pytest.mark.parametrize(
    "args", [[None], ["café ☃"], [{"a": [1.5, True, "x"]}], ["x" * 100_000], [2**70], ["\u2028\u202e"]]
)
def test_b130_good_json_comes_back_equal(args: list[Any]) -> None:
    job = make_job(args=args, kwargs={"a": args})
    stored = Job.objects.get(pk=job.pk)
    assert (stored.args, stored.kwargs, stored.enabled) == (args, {"a": args}, True)
