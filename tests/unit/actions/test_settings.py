"""The BEATKEEPER setting: what cannot work is refused with key, value, what is allowed and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import override_settings

from jobs.checks import project_check, settings_check
from jobs.conf import Config, config, parse
from jobs.errors import InvalidFieldError


def test_an_empty_setting_gives_the_promised_defaults() -> None:
    found = parse({})
    assert (found.lease, found.heartbeat, found.term_trust, found.term_ttl) == (30, 5, 5, 10)
    assert (found.dispatch_window, found.marker, found.catch_up_grace, found.retention_days) == (5000, 15, 5, 30)
    assert (found.shards, found.queues) == (1, ("jobs.default", "jobs.fast", "jobs.http"))
    assert (found.result_max, found.log_max, found.error_max, found.payload_max) == (65536, 65536, 65536, 131072)


REFUSED = [
    (
        {"TERM_TRUST": 10},
        "TERM_TRUST",
        'BEATKEEPER["TERM_TRUST"]: 10 s must be below TERM_TTL (10 s), or a leader would trust a term that a standby '
        "may already take.",
    ),
    ({"LEASE": 0}, "LEASE", 'BEATKEEPER["LEASE"]: 0 must be a number above 0, at most 3,600.'),
    ({"LEASE": float("nan")}, "LEASE", 'BEATKEEPER["LEASE"]: nan must be a number above 0, at most 3,600.'),
    ({"LEASE": "30"}, "LEASE", "BEATKEEPER[\"LEASE\"]: '30' must be a number above 0, at most 3,600."),
    ({"SHARDS": 1.5}, "SHARDS", 'BEATKEEPER["SHARDS"]: 1.5 must be a whole number above 0, at most 64.'),
    ({"SHARDS": True}, "SHARDS", 'BEATKEEPER["SHARDS"]: True must be a whole number above 0, at most 64.'),
    ({"SHARDS": 65}, "SHARDS", 'BEATKEEPER["SHARDS"]: 65 must be a whole number above 0, at most 64.'),
    (
        {"RETENTION_DAYS": 401},
        "RETENTION_DAYS",
        'BEATKEEPER["RETENTION_DAYS"]: 401 must be a whole number above 0, at most 400.',
    ),
    (
        {"QUEUES": "reports"},
        "QUEUES",
        "BEATKEEPER[\"QUEUES\"]: 'reports' must be a list of queue names, to be had beside jobs.default, jobs.fast, "
        "jobs.http.",
    ),
    (
        {"QUEUES": ["jobs.dead"]},
        "QUEUES",
        "BEATKEEPER[\"QUEUES\"]: 'jobs.dead' must be 1 to 100 letters, digits, dots, underscores or hyphens, "
        "not be jobs.dead, and not begin with amq. or celery_delayed.",
    ),
]


@pytest.mark.parametrize(("raw", "key", "message"), REFUSED, ids=[f"{raw}" for raw, _, _ in REFUSED])
def test_a_setting_that_cannot_work_is_refused_in_words(raw: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(InvalidFieldError) as caught:
        parse(raw)
    assert (caught.value.field, str(caught.value)) == (key, message)


@pytest.mark.parametrize(("lease", "heartbeat"), [(30, 10.5), (30, 30), (6, 2.1)])
def test_b072_a_heartbeat_over_a_third_of_the_lease_is_refused(lease: float, heartbeat: float) -> None:
    with pytest.raises(InvalidFieldError) as caught:
        parse({"LEASE": lease, "HEARTBEAT": heartbeat})
    assert caught.value.field == "HEARTBEAT"
    assert str(caught.value) == (
        f'BEATKEEPER["HEARTBEAT"]: {heartbeat:g} s is over a third of LEASE ({lease:g} s): one lost renewal would end '
        f"a run. Set HEARTBEAT to at most {lease / 3:g} or raise LEASE."
    )
    assert parse({"LEASE": lease, "HEARTBEAT": lease / 3}).heartbeat == lease / 3


def test_an_unknown_setting_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(InvalidFieldError, match=r'BEATKEEPER\["LEASES"\]: no such setting. Known are API_RATE, '):
        parse({"LEASES": 30})


def test_a_setting_that_is_no_dict_is_refused() -> None:
    with pytest.raises(InvalidFieldError, match="it must be a dict of settings"):
        parse([("LEASE", 30)])  # type: ignore[arg-type]  # what a person may write


def test_a_teams_own_queue_comes_beside_ours() -> None:
    assert parse({"QUEUES": ["reports", "jobs.fast"]}).queues == ("jobs.default", "jobs.fast", "jobs.http", "reports")


@pytest.mark.parametrize(
    "name", ["reports.*", "reports.#", "my reports", "reports\n", "", "amq.gen-1", "celery_delayed_3", "q" * 101, 7]
)
def test_a_queue_that_the_broker_would_misread_or_that_is_anothers_is_refused(name: object) -> None:
    with pytest.raises(InvalidFieldError, match=r"must be 1 to 100 letters") as caught:
        parse({"QUEUES": [name]})
    assert caught.value.field == "QUEUES"


@pytest.mark.parametrize("token", ["short", "a space is in it, so no", "ümlaut-is-no-ascii", None, 1234567890123456])
def test_a_metrics_token_that_a_header_cannot_carry_or_anyone_could_guess_is_refused_unseen(token: object) -> None:
    with pytest.raises(InvalidFieldError, match=r"it must be 16 or more visible ASCII characters") as caught:
        parse({"METRICS_TOKEN": token})
    assert str(token) not in str(caught.value)


def test_the_metrics_token_is_in_no_text_of_the_configuration() -> None:
    found = parse({"METRICS_TOKEN": "0123456789abcdef"})
    assert found.metrics_token == "0123456789abcdef"
    assert "0123456789abcdef" not in repr(found)


@pytest.mark.parametrize(("window", "shards", "each"), [(5000, 1, 5000), (5000, 4, 1250), (3, 4, 1)])
def test_the_shards_divide_the_window_and_each_may_send_at_least_one(window: int, shards: int, each: int) -> None:
    assert parse({"DISPATCH_WINDOW": window, "SHARDS": shards}).shard_window == each


def test_a_heartbeat_of_exactly_a_third_is_allowed() -> None:
    assert Config(lease=30, heartbeat=10).heartbeat == 10


def test_a_refused_setting_is_a_system_check_error() -> None:
    with override_settings(BEATKEEPER={"LEASE": -1}):
        config.cache_clear()
        found = settings_check()
    assert [(item.id, item.msg) for item in found] == [
        ("jobs.E001", 'BEATKEEPER["LEASE"]: -1 must be a number above 0, at most 3,600.')
    ]


def test_a_sound_project_passes_the_checks() -> None:
    assert settings_check() == project_check() == []


def test_a_project_without_time_zones_is_refused() -> None:
    with override_settings(USE_TZ=False):
        assert [item.id for item in project_check()] == ["jobs.E003"]
