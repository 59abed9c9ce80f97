"""The public cases of ``tests/cases``: what each text means, and which are refused."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from jobs.errors import InvalidScheduleError

from .helpers import CASES, at, cron, following

ALL = [json.loads(line) for line in (CASES / "cron.jsonl").read_text().splitlines()]
VALID = [case for case in ALL if case.get("valid", True)]
REFUSED = [case for case in ALL if not case.get("valid", True)]
VECTORS = [line.split("\t") for line in (CASES / "clock.tsv").read_text().splitlines()]


def test_the_case_files_are_complete():
    assert (len(VALID), len(REFUSED), len(VECTORS)) == (151, 36, 34)


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["id"])
def test_valid_text_fires_when_the_case_says(case):
    schedule = cron(case["expr"], case["tz"])
    expected = [at(text) for text in case["next"]]
    assert following(schedule, at(case["after"]), len(expected)) == expected


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_invalid_text_is_refused(case):
    with pytest.raises(InvalidScheduleError) as caught:
        cron(case["expr"])
    assert caught.value.field == "cron"
    assert ("never fires" in str(caught.value)) == (case["kind"] == "never-fires")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector[0])
def test_clock_change_vector(vector):
    _, expression, zone, start, end, runs = vector
    moment = timedelta(seconds=1)
    slots = cron(expression, zone).between(at(start) - moment, at(end) - moment)
    assert slots == [at(run) for run in runs.split() if run != "(none)"]
