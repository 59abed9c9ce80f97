"""What can be asked of jobs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from jobs.client import sending
from jobs.client.documents import Job, Preview
from jobs.client.transport import Transport


class JobCalls:
    """``/v1/jobs`` and ``/v1/preview``"""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def jobs(
        self, *, prefix: str | None = None, team: str | None = None, enabled: bool | None = None, page_size: int = 100
    ) -> Iterator[Job]:
        """The living jobs by name; pages of ``page_size`` (1 to 1,000) are read as they are needed."""
        asked = {"prefix": prefix, "team": team, "enabled": enabled, "page_size": page_size}
        return map(Job.read, self._transport.items("/jobs", "jobs", asked))

    def job(self, name: str) -> Job:
        """The living job of this name."""
        return Job.read(self._transport.get(_path(name)).document)

    def create_job(self, name: str, kind: str, *, key: str | None = None, **definition: Any) -> Job:
        """A new job. ``kind`` is ``cron``, ``interval``, ``once``, ``manual`` …; the fields are those of the API.

        Times are given as datetime, date or time. InvalidRequestError names each field that cannot work; ConflictError:
        a living job has the name.
        """
        body = {"name": name, "kind": kind, **_plain(definition)}
        return Job.read(self._transport.post("/jobs", body, key=key).document)

    def edit_job(self, name: str, *, etag: str | None = None, **changes: Any) -> Job:
        """Change fields of a job. With the ``etag`` it was read with: ChangedError when someone else was quicker."""
        return Job.read(self._transport.write("PATCH", _path(name), _plain(changes), etag=etag).document)

    def archive_job(self, name: str, *, etag: str | None = None) -> None:
        """Take a job out of the living; its queued runs are cancelled, its history stays."""
        self._transport.write("DELETE", _path(name), etag=etag)

    def pause(self, name: str, *, until: datetime | None = None, reason: str = "", key: str | None = None) -> Job:
        """Stop making runs of a job, until it is resumed or until a time."""
        body = sending.given(until=until, reason=reason)
        return Job.read(self._transport.post(f"{_path(name)}:pause", body, key=key).document)

    def resume(self, name: str, *, catch_up: Literal["latest"] | None = None, key: str | None = None) -> Job:
        """End a pause. ``catch_up="latest"``: what it held back was missed, and the job's own policy decides."""
        return Job.read(
            self._transport.post(f"{_path(name)}:resume", sending.given(catch_up=catch_up), key=key).document
        )

    def preview(self, name: str, *, after: datetime | None = None, count: int = 10) -> Preview:
        """The coming slots of a job, 1 to 100, after now or another time."""
        return Preview.read(self._transport.get(f"{_path(name)}:preview", {"after": after, "count": count}).document)

    def preview_schedule(
        self, kind: str, *, after: datetime | None = None, count: int = 10, **schedule: Any
    ) -> Preview:
        """The coming slots of a schedule that is no job's, such as ``("cron", cron="0 9 * * 1-5")``."""
        body = {"kind": kind, "count": count, **sending.given(after=after), **_plain(schedule)}
        return Preview.read(self._transport.post("/preview", body).document)


def _path(name: str) -> str:
    return f"/jobs/{sending.name_in_path('job', name)}"


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """None is kept: it empties a field."""
    return {name: sending.plain(name, value) for name, value in fields.items()}
