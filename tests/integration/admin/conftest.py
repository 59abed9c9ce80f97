"""People at the admin, and the form as a browser sends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client

from jobs.admin import endpoint as endpoint_admin

ADD = "/admin/jobs/job/add/"
PREVIEW = "/admin/jobs/job/preview/"


@pytest.fixture(autouse=True)
def _static_root(settings: Any, tmp_path: Any) -> None:
    """WhiteNoise wants its folder; no test reads from it."""
    settings.STATIC_ROOT = str(tmp_path)


@pytest.fixture
def admin_user(db: None) -> User:
    """Without a password: to hash one takes longer than most tests."""
    return User.objects.create_superuser("admin", "", None)


@pytest.fixture
def member(db: None) -> Callable[..., Client]:
    """A client logged in as a staff user with just these permissions of ours, such as ``view_job``."""

    def logged_in(*codenames: str) -> Client:
        user = User.objects.create_user("member", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(content_type__app_label="jobs", codename__in=codenames))
        client = Client()
        client.force_login(user)
        return client

    return logged_in


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs whose host was looked up; the name ``unknown.example`` is not known."""
    asked: list[str] = []

    def host_fault(url: str, **_: Any) -> str:
        asked.append(url)
        assert not connection.in_atomic_block or connection.atomic_blocks[-1]._from_testcase  # type: ignore[attr-defined]
        return 'The host "unknown.example" is not known.' if "unknown.example" in url else ""

    monkeypatch.setattr(endpoint_admin, "host_fault", host_fault)
    return asked


def form(**fields: Any) -> dict[str, Any]:
    """The job form filled in for a job that runs every minute, changed by ``fields``."""
    return {
        "name": "nightly",
        "enabled": "on",
        "task": "tests.noop",
        "args": "[]",
        "kwargs": "{}",
        "labels": "{}",
        "kind": "cron",
        "cron": "" if fields.get("kind", "cron") != "cron" else "* * * * *",
        "timezone": "UTC",
        "spread_seconds": "0",
        "priority": "0",
        "concurrency_policy": "allow",
        "catch_up": "latest",
        "catch_up_limit": "100",
        "max_attempts": "5",
        "backoff_kind": "exponential",
        "backoff_base_seconds": "1.0",
        "backoff_cap_seconds": "600.0",
        "jitter": "full",
        "delivery": "at_least_once",
        **fields,
    }


def errors(response: Any) -> dict[str, list[str]]:
    """The messages of a form that came back, by field."""
    assert response.status_code == 200, "the form was accepted"
    found: dict[str, list[str]] = response.context["adminform"].form.errors
    return found
