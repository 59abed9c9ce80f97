"""What the undertaker makes of headers of any shape."""

from __future__ import annotations

import pytest

from jobs.domain.messages import RunKey
from jobs.worker.dead_letter import is_marker, read_run

RUN = {"key": "7-1767225600000000", "token": 3}


@pytest.mark.parametrize(
    ("word", "reason"),
    [("rejected", "poison"), ("delivery_limit", "delivery_limit"), ("expired", "expired"), ("something", "something")],
)
def test_the_reason_is_read_from_the_first_death(word: str, reason: str) -> None:
    dead = read_run({"jobs-run": RUN, "x-first-death-reason": word, "x-first-death-queue": "jobs.fast"})

    assert dead is not None
    assert (dead.key, dead.token, dead.reason) == (RunKey.parse(RUN["key"]), 3, reason)
    assert f"{word} from jobs.fast" in dead.message


def test_the_reason_is_read_from_the_list_of_deaths_where_there_is_no_first() -> None:
    dead = read_run({"jobs-run": RUN, "x-death": [{"reason": "rejected", "queue": "jobs.default", "count": 1}]})

    assert dead is not None
    assert dead.reason == "poison"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"jobs-run": None},
        {"jobs-run": "7-1"},
        {"jobs-run": {"key": "7-1"}},
        {"jobs-run": {"key": 7, "token": 1}},
        {"jobs-run": {"key": "no", "token": 1}},
        {"jobs-run": {"key": "7-1", "token": "x"}},
        {"jobs-run": {"key": "7-99999999999999999999", "token": 1}},
    ],
)
def test_what_names_no_run_is_not_ours(headers: dict[str, object]) -> None:
    assert read_run(headers) is None


@pytest.mark.parametrize("deaths", ["text", [], [None], [{}]])
def test_deaths_of_another_shape_do_no_harm(deaths: object) -> None:
    dead = read_run({"jobs-run": RUN, "x-death": deaths})

    assert dead is not None
    assert dead.reason == "dead_lettered"


def test_a_marker_is_known_by_its_header() -> None:
    assert is_marker({"jobs-marker": {"queue": "q"}})
    assert not is_marker({"jobs-run": RUN})
