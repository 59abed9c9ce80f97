"""Look at everything at once, each subject in a thread of its own, so that a silent server costs seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator

from django.db import OperationalError, connection, connections

from jobs import clock
from jobs.management.doctor import broker, database, endpoints, letters, scheduling, schema, settings
from jobs.management.doctor.finding import Finding, fault

PATIENCE_SECONDS = 8.0
_CONNECT_SECONDS = 3


def examine(*, is_mending: bool = False) -> list[Finding]:
    """All findings, in the order of the subjects. Over in about ``PATIENCE_SECONDS``."""
    refused = list(settings.findings())
    if any(finding.level == "fault" for finding in refused):
        return refused
    subjects = {
        "database": lambda: database_findings(is_mending=is_mending),
        "broker": broker.broker_findings,
        "redis": broker.redis_findings,
    }
    deadline = clock.monotonic() + PATIENCE_SECONDS
    looks = [_Look(name, subject) for name, subject in subjects.items()]
    return refused + [finding for look in looks for finding in look.findings(deadline)]


def database_findings(*, is_mending: bool) -> Iterator[Finding]:
    """What needs the database, as far as it goes: no tables without migrations."""
    connection.settings_dict.setdefault("OPTIONS", {})["connect_timeout"] = _CONNECT_SECONDS
    try:
        connection.ensure_connection()
    except OperationalError as error:
        text = f"PostgreSQL does not answer: {' '.join(str(error).split())}"
        yield fault("database", text, "Start it, or correct DATABASE_URL.")
        return
    yield from database.findings()
    missing = schema.unapplied()
    yield schema.migration_finding(missing)
    if not missing:
        yield from schema.findings(is_mending=is_mending)
        yield from scheduling.findings()
        yield from letters.findings()
        yield from endpoints.findings()


class _Look:
    """A subject being looked at; a daemon, so that what hangs does not keep the process."""

    def __init__(self, name: str, subject: Callable[[], Iterable[Finding]]) -> None:
        self._name, self._subject = name, subject
        self._found: list[Finding] = []
        self._thread = threading.Thread(target=self._run, name=f"doctor-{name}", daemon=True)
        self._thread.start()

    def findings(self, deadline: float) -> list[Finding]:
        """What was found by then (monotonic seconds)."""
        self._thread.join(max(0.0, deadline - clock.monotonic()))
        found = list(self._found)
        if self._thread.is_alive():
            text = f"No answer within {PATIENCE_SECONDS:g} s."
            found.append(fault(self._name, text, "The server or the way to it is stuck: look there."))
        return found

    def _run(self) -> None:
        try:
            for finding in self._subject():
                self._found.append(finding)
        except Exception as error:  # a look that fails is itself a finding
            self._found.append(fault(self._name, f"The look failed: {error!r}", "See the error."))
        finally:
            connections.close_all()
