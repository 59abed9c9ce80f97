"""Lay out the demo where it is missing. A second call changes nothing: what was edited or archived stays so.

One thing follows: an endpoint at the receiver moves with the receiver's port.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from jobs.models import Endpoint, Job
from jobs.sealing import seal
from jobs.services.run import run_job
from jobs.store.clock import database_now
from scheduler_project.demo.definitions import FIRST_RUNS, SOURCE, definitions
from scheduler_project.demo.http_jobs import ENDPOINTS


def ensure_endpoints(receiver: str, secret: str) -> Iterator[str]:
    """Make the endpoints at the receiver (its URL without a path); yields what was done, in words."""
    known = {endpoint.name: endpoint for endpoint in Endpoint.objects.filter(name__in=ENDPOINTS)}
    for name, fields in ENDPOINTS.items():
        url = receiver.rstrip("/") + fields["url"]
        if name not in known:
            Endpoint(**{**fields, "name": name, "url": url, "sealed_secret": seal(secret)}).save()
            yield f"Made the endpoint {name}."
        elif _has_moved(known[name].url, url):
            known[name].url = url
            known[name].save()
            yield f"The endpoint {name} now calls {url}."


def ensure_jobs() -> Iterator[str]:
    """Make the jobs, those that call an endpoint only if there is that endpoint; yields what was done, in words."""
    endpoints = {endpoint.name: endpoint for endpoint in Endpoint.objects.filter(name__in=ENDPOINTS)}
    wanted = definitions(database_now())
    known = set(Job.objects.filter(name__in=[fields["name"] for fields in wanted]).values_list("name", flat=True))
    for fields in wanted:
        if fields["name"] not in known and fields.get("endpoint") in (None, *endpoints):
            yield _make({**fields, "endpoint": endpoints.get(fields.get("endpoint", ""))})


def _make(fields: dict[str, Any]) -> str:
    job = Job(**fields, source=SOURCE)
    job.save()
    delay = FIRST_RUNS.get(job.name)
    if delay is not None:
        run_job(job, delay=delay or None)
    return f"Made the job {job.name}."


def _has_moved(before: str, after: str) -> bool:
    """Whether two URLs differ in nothing but the port."""
    old, new = urlsplit(before), urlsplit(after)
    return old.netloc != new.netloc and old._replace(netloc=new.netloc) == new and old.hostname == new.hostname
