"""Pages of the admin and answers of the API, by the time that their statements take in the database."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.db import connection

from tests.bench.past import execute

if TYPE_CHECKING:
    from django.test import Client

TIMES = 5
OF_TEAM = 20
_RUNS, _JOBS, _DEAD = "/admin/jobs/jobrun/", "/admin/jobs/job/", "/admin/jobs/deadrun/"
_PAGES = {
    "admin: runs": _RUNS,
    "admin: runs, queued": f"{_RUNS}?status=queued",
    "admin: runs, dead": f"{_RUNS}?status=dead",
    "admin: runs, missed": f"{_RUNS}?status=missed",
    "admin: runs, all that are kept": f"{_RUNS}?since=all",
    "admin: runs of a job": f"{_RUNS}?job=JOB",
    "admin: runs by a job's name": f"{_RUNS}?q=NAME",
    "admin: a run": f"{_RUNS}KEY/change/",
    "admin: jobs": _JOBS,
    "admin: a job": f"{_JOBS}JOB/change/",
    "admin: dead runs by error": _DEAD,
    "admin: front page": "/admin/jobs/",
    "API: jobs": "/v1/jobs",
    "API: runs": "/v1/runs",
    "API: runs, dead": "/v1/runs?status=dead",
    "API: runs, missed": "/v1/runs?status=missed",
    "API: runs of a job": "/v1/jobs/NAME/runs",
    "API: runs of a team": "/v1/runs?team=few",
    "API: a run": "/v1/runs/KEY",
    "API: dead runs by error": "/v1/dead-letters",
    "API: the platform": "/v1/platform",
}


class Pages:
    """Someone who is logged in, and a program with a token."""

    def __init__(self, *, job: int) -> None:
        from django.contrib.auth.models import User
        from django.test import Client  # Django is set up by now

        from jobs.services.token import make_token

        user = User.objects.create_superuser("bench", "", None)
        token = make_token("bench", scopes=("jobs:read",), team=None).text
        self._client: Client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})
        self._client.force_login(user)
        self._job = job
        _make_team(job)

    def milliseconds(self) -> dict[str, float]:
        """By page, the median of what its statements took together."""
        return {name: self._median(address) for name, address in self._addresses().items()}

    def _addresses(self) -> Mapping[str, str]:
        [(name,)] = execute("SELECT name FROM jobs_job WHERE id = %(job)s", job=self._job)
        [(key,)] = execute(
            "SELECT job_id || '-' || (extract(epoch FROM scheduled_for) * 1000000)::bigint FROM jobs_jobrun "
            "WHERE job_id = %(job)s ORDER BY scheduled_for DESC LIMIT 1",
            job=self._job,
        )
        known = {"JOB": str(self._job), "NAME": name, "KEY": key}
        return {page: _filled(address, known) for page, address in _PAGES.items()}

    def _median(self, address: str) -> float:
        return statistics.median(self._once(address) for _ in range(TIMES))

    def _once(self, address: str) -> float:
        taken: list[float] = []
        with connection.execute_wrapper(_timing(taken)):
            response = self._client.get(address)
        assert response.status_code == 200, (address, response.status_code, response.content[:300])
        return 1000 * sum(taken)


def _make_team(first_job: int) -> None:
    """A team that has some of the jobs."""
    [(team,)] = execute("INSERT INTO auth_group (name) VALUES ('few') RETURNING id")
    execute(
        "UPDATE jobs_job SET team_id = %(team)s WHERE id BETWEEN %(first)s AND %(first)s + %(jobs)s - 1",
        team=team,
        first=first_job,
        jobs=OF_TEAM,
    )
    execute("ANALYZE jobs_job")


def _filled(address: str, known: Mapping[str, str]) -> str:
    for word, value in known.items():
        address = address.replace(word, value)
    return address


def _timing(taken: list[float]) -> Callable[..., Any]:
    def timed(run: Callable[..., Any], *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(*arguments)
        finally:
            taken.append(time.perf_counter() - began)

    return timed
