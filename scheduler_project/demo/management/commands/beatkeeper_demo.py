"""``manage.py beatkeeper_demo``: lay out the demo's jobs and the admin user, where they are missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from scheduler_project.demo.lay_out import ensure_endpoints, ensure_jobs
from scheduler_project.demo.receiver import SECRET_VARIABLE

ADMIN = "admin"
PASSWORD_VARIABLE = "BEATKEEPER_ADMIN_PASSWORD"  # noqa: S105  # the variable's name
RECEIVER_VARIABLE = "BEATKEEPER_RECEIVER_URL"


class Command(BaseCommand):
    """A second call changes nothing: what was edited or archived stays so."""

    help = "Create the demo endpoints, the demo jobs and the admin user, unless they exist."

    def handle(self, *_: Any, **__: Any) -> None:
        for line in (*_endpoints(), *ensure_jobs()):
            self.stdout.write(line)
        self.stdout.write(_ensure_admin(os.environ.get(PASSWORD_VARIABLE, "")))


def _endpoints() -> Iterator[str]:
    receiver, secret = os.environ.get(RECEIVER_VARIABLE, ""), os.environ.get(SECRET_VARIABLE, "")
    if receiver and secret:
        yield from ensure_endpoints(receiver, secret)
    else:
        yield f"No endpoints were made: {RECEIVER_VARIABLE} and {SECRET_VARIABLE} say where the receiver is."


def _ensure_admin(password: str) -> str:
    """Make the admin user if there is none; returns what was done, in words."""
    users = get_user_model().objects
    if users.filter(username=ADMIN).exists():
        return f'The user "{ADMIN}" exists and stays as it is.'
    if not password:
        return f'No user "{ADMIN}" was made: {PASSWORD_VARIABLE} holds no password. Use manage.py createsuperuser.'
    users.create_superuser(username=ADMIN, password=password)
    return f'Made the user "{ADMIN}".'
