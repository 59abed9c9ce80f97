"""A real browser at a real server, watched all the time. Run by their own command, ``make browser``; needs Chromium.

Tests of a single page have Django's live server and its test database; flows have a whole site with its workers, one
for all of them, so each makes what it needs under a name of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, override_settings
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.site import Site, site
from tests.browser.watch import watched
from tests.support.http_server import HttpServer, answer, serving

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path, "No chromium on PATH: `make browser` installs it."
    # Playwright's loop runs in this thread, and Django takes that for asynchronous code.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session", autouse=True)
def _static_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """WhiteNoise wants its folder when the server starts; the files come from the packages."""
    with override_settings(STATIC_ROOT=str(tmp_path_factory.mktemp("static"))):
        yield


@pytest.fixture
def logged_in(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """A browser window of an administrator."""
    with _session(browser, live_server.url, scripts=True) as context:
        yield context


@pytest.fixture
def logged_in_without_scripts(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """The same with JavaScript switched off."""
    with _session(browser, live_server.url, scripts=False) as context:
        yield context


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with its workers."""
    with site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def admin(browser: Browser, running: Site) -> Iterator[Page]:
    """A page of the site's administrator."""
    with running.logged_in(browser, "admin") as context:
        yield context.new_page()


@pytest.fixture
def viewer(browser: Browser, running: Site) -> Iterator[Page]:
    """A page of somebody who may look at everything and change nothing."""
    with running.logged_in(browser, "viewer") as context:
        yield context.new_page()


@pytest.fixture
def receiver() -> Iterator[HttpServer]:
    """An endpoint's other side; it is content with everything."""
    with serving(answer("200 OK", b'{"taken": true}', "Content-Type: application/json")) as server:
        yield server


@contextmanager
def _session(browser: Browser, url: str, *, scripts: bool) -> Iterator[BrowserContext]:
    client = Client()
    client.force_login(User.objects.create_superuser("admin", "", None))
    context = browser.new_context(base_url=url, java_script_enabled=scripts)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])
    context.set_default_timeout(10_000)
    with watched(context, url):
        yield context
