"""The policy that keeps a broker from giving up on runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest

from deploy.rabbitmq import policy
from jobs.conf import QUEUES
from tests.support.management import Management

VHOST = urlsplit(os.environ["BROKER_URL"]).path[1:] if "BROKER_URL" in os.environ else "/"
PATH = f"/api/policies/{quote(VHOST, safe='')}/{policy.NAME}"


@pytest.fixture
def management() -> Iterator[Management]:
    management = Management(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"])
    yield management
    management.call("DELETE", PATH)


def test_policy_is_set_where_the_environment_says_and_can_be_set_again(management: Management) -> None:
    assert policy.main() == ""
    assert policy.main() == ""

    found = management.call("GET", PATH)
    assert {key: found[key] for key in policy.POLICY} == policy.POLICY


def test_pattern_holds_our_queues_and_no_teams_queue() -> None:
    pattern = re.compile(str(policy.POLICY["pattern"]))

    assert all(pattern.search(queue) for queue in QUEUES)
    assert not any(pattern.search(queue) for queue in ("celery", "teams.jobs.default"))


def test_a_refusal_names_policy_and_virtual_host_and_hides_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    url = urlsplit(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"])
    monkeypatch.setenv("BEATKEEPER_RABBITMQ_MANAGEMENT_URL", f"http://stranger:wrong@{url.hostname}:{url.port}")

    problem = policy.main()

    assert all(told in problem for told in (policy.NAME, VHOST, "401"))
    assert "wrong" not in problem
