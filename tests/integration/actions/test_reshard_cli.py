"""``manage.py jobs reshard``: what it says, and what is left to do."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command

from jobs.models import JobCursor
from tests.support.factories import make_job

pytestmark = pytest.mark.django_db(transaction=True)


def reshard(*arguments: str) -> tuple[str, str]:
    """What the command writes, and its notes."""
    out, err = StringIO(), StringIO()
    call_command("jobs", "reshard", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_it_moves_the_jobs_and_names_the_setting_that_the_beats_need() -> None:
    for _ in range(4):
        make_job()
    out, err = reshard("2")
    assert out == "The jobs are divided into 2 (1 before); 2 were moved.\n"
    assert err == (
        'BEATKEEPER["SHARDS"] is 1 here: set it to 2 and start every beat again. One with another number stands by.\n'
    )
    assert all(cursor.shard == cursor.pk % 2 for cursor in JobCursor.objects.all())


def test_again_it_moves_nothing_and_with_json_it_is_one_document() -> None:
    assert reshard("1") == ("The jobs are divided into 1 (as before); 0 were moved.\n", "")
    out, _ = reshard("3", "--json")
    assert json.loads(out) == {"before": 1, "shards": 3, "moved": 0, "is_complete": True}


def test_a_number_that_cannot_be_is_refused_in_words() -> None:
    err = StringIO()
    with pytest.raises(SystemExit):
        call_command("jobs", "reshard", "0", stdout=StringIO(), stderr=err)
    assert err.getvalue() == "0 is no number of shards: choose one from 1 to 64.\n"
