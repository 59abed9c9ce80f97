"""A whole site for a browser: web server, beat, a default and an HTTP worker on a database and a vhost of their own.

Endpoints on 127.0.0.1 may be called, for the receivers of the tests; nothing else that is not public.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext

from tests.browser.watch import watched
from tests.support.stack import Stack, stack
from tests.support.waiting import wait_until

HOST = "127.0.0.1"
PASSWORD = "correct-horse-battery"
SETTINGS = json.dumps({"EGRESS_ALLOW": [f"{HOST}/32"]})
PEOPLE = f"""
from django.contrib.auth.models import Permission, User
User.objects.create_superuser("admin", password="{PASSWORD}")
viewer = User.objects.create_user("viewer", password="{PASSWORD}", is_staff=True)
viewer.user_permissions.set(Permission.objects.filter(content_type__app_label="jobs", codename__startswith="view_"))
"""


class Site:
    """Where it is, and its stack."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.port = _free_port()
        self.url = f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Everything at once; ready when the pages and the workers are."""
        options = [f"--bind={HOST}:{self.port}", "--workers=1", "--threads=4", "--no-control-socket"]
        web = self.stack.start("web", [sys.executable, "-m", "gunicorn", "scheduler_project.wsgi", *options])
        self.stack.beat()
        self.stack.manage("shell", "-v", "0", "-c", PEOPLE)
        for queue in ("jobs.default", "jobs.http"):
            self.stack.worker(queue, concurrency=2)
        wait_until(self._answers, timeout=60, what=f"the pages, see {self.stack.log_of(web)}")

    def count(self, table: str, name: str) -> int:
        """How many rows of a table have this name."""
        return int(self.stack.sql(f"SELECT count(*) FROM {table} WHERE name = %s", name)[0][0])

    @contextmanager
    def logged_in(self, browser: Browser, name: str) -> Iterator[BrowserContext]:
        """A watched browser window of somebody who has gone through the login page."""
        context = browser.new_context(base_url=self.url)
        context.set_default_timeout(15_000)
        with watched(context, self.url):
            page = context.new_page()
            page.goto("/admin/login/?next=/admin/")
            page.fill("#id_username", name)
            page.fill("#id_password", PASSWORD)
            page.click("input[type=submit]")
            page.wait_for_selector("#user-tools")
            page.close()
            yield context

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), timeout=5):
            return True
        return False


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """A running site; it and its data are gone afterwards."""
    with stack(folder) as made:
        made.environment["DJANGO_SETTINGS_MODULE"] = "tests.support.web_settings"
        made.environment["BEATKEEPER_TEST_SETTINGS"] = SETTINGS
        made.environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # the browser's, in this process alone
        running = Site(made)
        running.start()
        yield running


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])
