"""What probes and Prometheus ask: plain views, with no session, no user and no template.

``/healthz`` says that this process answers; ``/readyz`` that it reaches the database. Both stay well when beat, the
workers or the broker die: the admin and the API go on without them, and a restart of the web process mends none.
"""

from __future__ import annotations

import threading

from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from jobs import log
from jobs.api import rate
from jobs.api.answers_within import answers_within
from jobs.api.head import answers_head
from jobs.clock import monotonic
from jobs.conf import config
from jobs.metrics import families, uncounted_requests
from jobs.services.platform import platform_status

READY_SECONDS = 2.0
SCRAPE_SECONDS = 5.0
KEPT_SECONDS = 1.0
PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_DATABASE_ERRORS = (DatabaseError, InterfaceError)


@csrf_exempt
@answers_head
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers at all."""
    return _text("ok")


@csrf_exempt
@answers_head
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers, else 503. Which database that is and why it does not is in the log alone."""
    try:
        _ask()
    except _DATABASE_ERRORS as error:
        connection.close()
        log.warning("web.not_ready", error=error)
        return _text("The database does not answer.", status=503)
    return _text("ok")


@csrf_exempt
@answers_head
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The platform's metrics, for who brings the token of ``METRICS_TOKEN``; closed while none is set."""
    expected = config().metrics_token
    if not expected:
        return _text("Closed: set METRICS_TOKEN to open this page to Prometheus.", status=403)
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not constant_time_compare(given.strip(), expected):
        refused = _text("Send the header Authorization: Bearer TOKEN, with the token of METRICS_TOKEN.", status=401)
        refused["WWW-Authenticate"] = 'Bearer realm="metrics"'
        return refused
    try:
        return HttpResponse(_scrapes.read(), content_type=PROMETHEUS_TEXT)
    except _DATABASE_ERRORS as error:
        connection.close()
        log.warning("web.not_ready", error=error)
        return _text("The database does not answer.", status=503)


class _Scrapes:
    """Keeps what was read for a second, and lets one thread at a time read: scrapes cannot load the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._page = b""
        self._read_at = -KEPT_SECONDS

    def read(self) -> bytes:
        """The page; OperationalError when another thread waits for the database and does not come to an end."""
        if not self._lock.acquire(timeout=SCRAPE_SECONDS):
            raise OperationalError("another scrape waits for the database")
        try:
            if monotonic() - self._read_at >= KEPT_SECONDS:
                self._page = _page()
                self._read_at = monotonic()
            return self._page
        finally:
            self._lock.release()


_scrapes = _Scrapes()


class _Found(Collector):
    """What one scrape found, in the shape that the library's exposition takes."""

    def __init__(self, found: list[Metric]) -> None:
        self._found = found

    def collect(self) -> list[Metric]:
        return self._found


def _page() -> bytes:
    with answers_within(SCRAPE_SECONDS):
        status = platform_status()
    registry = CollectorRegistry()
    found = [*families(status.facts, status.problems), uncounted_requests(rate.uncounted())]
    registry.register(_Found(found))
    return generate_latest(registry)


def _ask() -> None:
    """Ask a connection that may be an old one: one that broke meanwhile is made anew, and then has to answer."""
    with answers_within(READY_SECONDS), connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _text(text: str, *, status: int = 200) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8")
