"""A value of another type than its field is a fault, and no crash; good JSON comes back equal."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from jobs.models import Job
from tests.support.factories import make_job

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
