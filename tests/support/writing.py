"""Every way in which a job's definition is changed, at a time that the test sets."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.test import Client

from jobs.models import Job
from tests.support.elsewhere import sql
from tests.support.leading import set_clock

Write = Callable[[Client, Job, datetime, dict[str, Any]], None]


def by_form(client: Client, job: Job, now: datetime, fields: dict[str, Any]) -> None:
    """Open the job's page, change what is to be changed, and save."""
    set_clock(now)
    address = f"/admin/jobs/job/{job.pk}/change/"
    shown = client.get(address).context["adminform"].form
    typed = {name: shown[name].value() for name in shown.fields} | fields
    sent = {name: _as_sent(value) for name, value in typed.items() if value is not None and value is not False}
    answer = client.post(address, sent)
    assert answer.status_code == 302, answer.context["adminform"].form.errors


def _as_sent(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def by_save(client: Client, job: Job, now: datetime, fields: dict[str, Any]) -> None:
    """Load, change and save."""
    set_clock(now)
    fresh = Job.objects.get(pk=job.pk)
    for name, value in fields.items():
        setattr(fresh, name, value)
    fresh.save()


def by_bulk_update(client: Client, job: Job, now: datetime, fields: dict[str, Any]) -> None:
    """Django's ``bulk_update``, also of what stays as it is."""
    set_clock(now)
    fresh = Job.objects.get(pk=job.pk)
    for name, value in fields.items():
        setattr(fresh, name, value)
    Job.objects.bulk_update([fresh], [*fields, "cron", "timezone"])


def by_queryset(client: Client, job: Job, now: datetime, fields: dict[str, Any]) -> None:
    """``QuerySet.update``."""
    set_clock(now)
    Job.objects.filter(pk=job.pk).update(**(fields or {"name": job.name}))


def by_sql(client: Client, job: Job, now: datetime, fields: dict[str, Any]) -> None:
    """Raw SQL."""
    set_clock(now)
    columns = fields or {"cron": job.cron}
    sql(f"UPDATE jobs_job SET {', '.join(f'{name} = %s' for name in columns)} WHERE id = %s", *columns.values(), job.pk)


WAYS: dict[str, Write] = {
    "form": by_form,
    "save": by_save,
    "bulk_update": by_bulk_update,
    "QuerySet.update": by_queryset,
    "SQL": by_sql,
}


def by_action(client: Client, job: Job, now: datetime, action: str) -> None:
    """An action on the ticked job of the list."""
    set_clock(now)
    answer = client.post("/admin/jobs/job/", {"action": action, "_selected_action": [job.pk]}, follow=True)
    assert any("Done for 1 job" in str(message) for message in answer.context["messages"])
