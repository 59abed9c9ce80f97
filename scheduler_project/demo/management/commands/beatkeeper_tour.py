"""``manage.py beatkeeper_tour``: what there is to see in the demo, with links into the admin."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from scheduler_project.demo.tour import is_led, tour

WEB_VARIABLE = "BEATKEEPER_WEB_URL"


class Command(BaseCommand):
    """Reads alone."""

    help = "Say what there is to see in the demo, with links into the admin."

    def handle(self, *_: Any, **__: Any) -> None:
        try:
            lines, led = list(tour(os.environ.get(WEB_VARIABLE, "http://127.0.0.1:8000"))), is_led()
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            raise CommandError(f"The database is not the one that `make up` uses, or not there: {reason}") from None
        if not led:
            raise CommandError("Nothing happens here now: no beat has ticked in the last 30 s. `make up` runs one.")
        self.stdout.write("\n".join(lines))
