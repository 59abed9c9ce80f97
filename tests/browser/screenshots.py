"""Pictures of the admin on sample rows: ``python -m tests.browser.screenshots [--to DIR] [--theme dark]``.

A test database, a live server and Debian's Chromium; without options the pictures of the README are written anew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"]

_TALL = {"job-form": 1450}  # down to the end of the preview


def main() -> None:
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread
    django.setup()
    from django.db import connection

    from tests.support.sample import refresh

    with _site() as (url, cookie, pages), _window(options, url, cookie) as page:
        for name, address in pages.items():
            refresh()
            connection.close()  # one of its own in here, as Django sees it, and no one else would close it
            page.goto(url + address)
            if name == "job-form":
                _fill_in(page)
            _refuse_sideways_scroll(page, name)
            _shoot(page, options.to / f"{name}.png", max(options.height, _TALL.get(name, 0)))


def _shoot(page: Page, path: Path, height: int) -> None:
    """As much of the page as there is, up to the height; with pngquant installed in a third of the bytes."""
    tall, wide = page.evaluate("[document.documentElement.scrollHeight, window.innerWidth]")
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": wide, "height": min(tall, height)})
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext", ".png", "--strip", path], check=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=1060, help="where pages are cut off")
    return parser.parse_args()


@contextmanager
def _site() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """A served test database with the sample rows: its URL, an administrator's cookie, the pages by name."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.db import connections
    from django.test import Client
    from django.test.runner import DiscoverRunner
    from django.test.testcases import LiveServerThread

    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    databases = runner.setup_databases()
    connections["default"].settings_dict["CONN_MAX_AGE"] = 0  # the server's connections end with their requests
    settings.STATIC_ROOT = tempfile.mkdtemp()
    pages = _pages()
    client = Client()
    client.force_login(User.objects.create_superuser("admin", "", None))
    thread = LiveServerThread("127.0.0.1", StaticFilesHandler)
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    name = settings.SESSION_COOKIE_NAME
    url = f"http://127.0.0.1:{thread.port}"
    try:
        yield url, {"name": name, "value": client.cookies[name].value, "url": url}, pages
    finally:
        thread.terminate()
        connections.close_all()
        runner.teardown_databases(databases)
        shutil.rmtree(settings.STATIC_ROOT)


def _pages() -> dict[str, str]:
    from jobs.models import Job
    from tests.support.sample import lay_out

    runs = lay_out()
    job = Job.objects.get(name="billing.close-period")
    return {
        "job-list": "/admin/jobs/job/",
        "job-page": f"/admin/jobs/job/{job.pk}/change/",
        "job-form": "/admin/jobs/job/add/",
        "run-list": "/admin/jobs/jobrun/",
        "run-detail": f"/admin/jobs/jobrun/{runs['retried'].key}/change/",
        "run-dead": f"/admin/jobs/jobrun/{runs['dead'].key}/change/",
        "gap-list": "/admin/jobs/slotgap/",
        "platform": "/admin/jobs/",
    }


@contextmanager
def _window(options: argparse.Namespace, url: str, cookie: dict[str, str]) -> Iterator[Page]:
    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("No chromium on PATH. Install it: apt-get install --no-install-recommends chromium")
    options.to.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        size = {"width": options.width, "height": 800}
        context = browser.new_context(viewport=size, color_scheme=options.theme, reduced_motion="reduce")
        context.add_cookies([cookie])
        yield context.new_page()
        browser.close()


def _fill_in(page: Page) -> None:
    """A schedule whose next slots meet a clock change."""
    page.fill("#id_name", "billing.close-period")
    page.fill("#id_description", "Closes the half-month and writes the statements.")
    page.fill("#id_task", "billing.tasks.close_period")
    page.select_option("#id_kind", "cron")
    page.fill("#id_cron", "30 2 14,28 * *")
    page.fill("#id_timezone", "Europe/Berlin")
    page.wait_for_selector("#schedule-preview .jobs-clock-change")


def _refuse_sideways_scroll(page: Page, name: str) -> None:
    wide, seen = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    if wide > seen:
        raise SystemExit(f"{name} is {wide} pixels wide in a window of {seen}.")


if __name__ == "__main__":
    main()
