"""What holds of every page: nothing in the console, nothing from another host, all of it named, and within the width.

``watched`` looks on while a window is used; ``inspect`` looks at a page as it stands.
With ``BEATKEEPER_PICTURES`` in the environment each inspected page leaves its pictures in that folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request

WIDE, NARROW = 1280, 400
HEIGHT = 900
# As Playwright's snapshot of the accessibility tree writes what has no name: "- button", "- textbox: typed".
_NAMELESS = re.compile(
    r"\s*- (?:button|link|textbox|searchbox|spinbutton|combobox|checkbox|radio)(?: \[[^]]*\])*(?::.*)?"
)
_UNLABELLED = """
    Array.from(document.querySelectorAll("input, select, textarea"))
        .filter((field) => !["hidden", "submit", "button"].includes(field.type) && field.checkVisibility())
        .filter((field) => !field.labels.length && !field.ariaLabel && !field.getAttribute("aria-labelledby"))
        .map((field) => field.outerHTML.slice(0, 200))
"""
_TOO_WIDE = """
    document.documentElement.scrollWidth <= innerWidth ? [] : Array.from(document.querySelectorAll("body *"))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => element.outerHTML.slice(0, 120)).slice(0, 5)
"""
# Django's admin draws some fields by jQuery's ready, which may come after the load of the page.
_READY = "new Promise((ready) => window.django?.jQuery ? django.jQuery(() => setTimeout(ready)) : ready())"


@contextmanager
def watched(context: BrowserContext, url: str) -> Iterator[None]:
    """Fail at the end when a page of the window said something, or asked another host for anything."""
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(f"{message.text} ({message.location.get('url')})")

    def see(request: Request) -> None:
        if not request.url.startswith((f"{url}/", "data:")):
            said.append(f"{request.url} was asked for something")

    def catch(error: Error) -> None:
        said.append(f"uncaught: {error.message}")

    context.on("console", hear)
    context.on("request", see)
    context.on("weberror", lambda found: catch(found.error))
    try:
        yield
    finally:
        context.close()
    assert not said, said


def inspect(page: Page) -> None:
    """Fail when a field has no label, a button no name, or the page scrolls sideways, wide or narrow."""
    page.wait_for_load_state()
    page.evaluate(_READY)
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        found = faults(page)
        _keep_picture(page, width)
        assert not found, f"{page.url} at {width} pixels: {found}"


def _keep_picture(page: Page, width: int) -> None:
    if folder := os.environ.get("BEATKEEPER_PICTURES"):
        address = urlsplit(page.url).path.strip("/").replace("/", "-")
        number = len(list(Path(folder).iterdir()))
        page.screenshot(path=Path(folder) / f"{number:03}-{address}-{width}.png", full_page=True)


def faults(page: Page) -> list[str]:
    """What is wrong at the width that the window has."""
    tree = page.locator("body").aria_snapshot().splitlines()
    nameless = [f"no name: {line.strip()}" for line in tree if _NAMELESS.fullmatch(line)]
    unlabelled = [f"no label: {field}" for field in page.evaluate(_UNLABELLED)]
    return [*nameless, *unlabelled, *(f"too wide: {element}" for element in page.evaluate(_TOO_WIDE))]
