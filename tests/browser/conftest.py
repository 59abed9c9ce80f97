"""A real browser at a real server. Run by their own command: ``pytest tests/browser``; needs Debian's chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, override_settings
from playwright.sync_api import Browser, BrowserContext, sync_playwright

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
    assert path, "No chromium on PATH. Install it: apt-get install --no-install-recommends chromium"
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


def _session(browser: Browser, url: str, *, scripts: bool) -> BrowserContext:
    client = Client()
    client.force_login(User.objects.create_superuser("admin", "", None))
    context = browser.new_context(base_url=url, java_script_enabled=scripts)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])
    context.set_default_timeout(10_000)
    return context
