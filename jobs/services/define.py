"""Make a job, or change one's definition, from fields by name. The model judges; the planning trigger does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from jobs import log
from jobs.domain.json_value import text_fault
from jobs.errors import ChangedError, ConflictError, InvalidFieldError, NameTakenError
from jobs.models import Endpoint, Job


def create(fields: Mapping[str, Any], *, source: str, allow_past: bool = False) -> Job:
    """Store a new job; ValidationError by field, NameTakenError when nothing else is wrong.

    ``team``, ``endpoint`` and ``webhook`` are names. ``allow_past``: a once whose time has passed is due now instead of
    refused.
    """
    job = Job(source=source, **_resolved(fields))
    job.allow_past = allow_past
    try:
        with transaction.atomic():
            job.save()
    except ValidationError as error:
        if not _is_taken(error):
            raise
        raise NameTakenError(job.name) from error
    except IntegrityError as error:  # someone else was quicker between the look and the insert
        if "job_name_living" not in str(error):
            raise
        raise NameTakenError(job.name) from error
    job.refresh_from_db()
    log.event("job.created", job=job.name, source=source)
    return job


def _is_taken(error: ValidationError) -> bool:
    """Whether the name is all that is wrong, and only because a living job has it."""
    faults = error.error_dict
    return list(faults) == ["name"] and [fault.code for fault in faults["name"]] == ["unique"]


def edit(job: Job, changes: Mapping[str, Any], *, version: int | None = None) -> Job:
    """Change these fields of the job as it is now; ChangedError when it is no longer at ``version``.

    An edit fires no past slot: what it passes over is a gap.
    """
    with transaction.atomic():
        held = Job.objects.living().select_for_update(of=("self",)).filter(pk=job.pk).first()
        if held is None:
            raise ConflictError(f'Job "{job.name}" is archived and cannot be changed.')
        require_version(held, version)
        for name, value in _resolved(changes).items():
            setattr(held, name, value)
        held.save()
    held.refresh_from_db()
    log.event("job.edited", job=held.name, fields=",".join(sorted(changes)))
    return held


def require_version(job: Job, version: int | None) -> None:
    """ChangedError unless the job is at this version; any will do for None."""
    if version is not None and job.version != version:
        raise ChangedError(
            f'Job "{job.name}" is at version {job.version}, not {version}: someone else has changed it. '
            "Read it again, and send what you want changed with the new ETag."
        )


def _resolved(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(fields)
    if (team := found.get("team")) is not None:
        found["team"] = _named(Group, "team", team, "team")
    for field in ("endpoint", "webhook"):
        if (name := found.get(field)) is not None:
            found[field] = find_endpoint(field, name)
    return found


def find_endpoint(field: str, name: str) -> Endpoint:
    """The endpoint of this name, which a field names; InvalidFieldError when there is none."""
    endpoint: Endpoint = _named(Endpoint, field, name, "endpoint")
    return endpoint


def _named(model: Any, field: str, name: str, noun: str) -> Any:
    row = None if text_fault(name) else model.objects.filter(name=name).first()
    if row is None:
        raise InvalidFieldError(field, f'There is no {noun} "{name}". Name one that is registered.')
    return row
