"""``manage.py beatkeeper_demo``: lay out the demo's jobs and the admin user, where they are missing."""

from __future__ import annotations

import os
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from jobs.models import Job
from scheduler_project.demo.definitions import JOBS

ADMIN = "admin"
PASSWORD_VARIABLE = "BEATKEEPER_ADMIN_PASSWORD"  # noqa: S105  # the variable's name


class Command(BaseCommand):
    """A second call changes nothing: what was edited or archived stays so."""

    help = "Create the demo jobs and the admin user, unless they exist."

    def handle(self, *_: Any, **__: Any) -> None:
        known = set(Job.objects.filter(name__in=[fields["name"] for fields in JOBS]).values_list("name", flat=True))
        for fields in JOBS:
            if fields["name"] not in known:
                Job(**fields).save()
                self.stdout.write(f"Made the job {fields['name']}.")
        self.stdout.write(_ensure_admin(os.environ.get(PASSWORD_VARIABLE, "")))


def _ensure_admin(password: str) -> str:
    """Make the admin user if there is none; returns what was done, in words."""
    users = get_user_model().objects
    if users.filter(username=ADMIN).exists():
        return f'The user "{ADMIN}" exists and stays as it is.'
    if not password:
        return f'No user "{ADMIN}" was made: {PASSWORD_VARIABLE} holds no password. Use manage.py createsuperuser.'
    users.create_superuser(username=ADMIN, password=password)
    return f'Made the user "{ADMIN}".'
