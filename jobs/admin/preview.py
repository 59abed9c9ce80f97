"""The preview of a schedule: the same slots that the leader will emit (I7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from jobs import clock
from jobs.admin.formats import relative, wall
from jobs.admin.schedule_form import PreviewForm
from jobs.domain.schedules import PreviewSlot, ScheduleSpec, clock_change, describe, preview, warnings
from jobs.errors import InvalidScheduleError

TEMPLATE = "admin/jobs/job/preview.html"
COUNT = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One slot as it is shown."""

    local: str
    offset: str
    utc: str
    relative: str
    note: str


def answer(request: HttpRequest) -> HttpResponse:
    """The preview of the schedule fields in a POST, as HTML. Reads and writes nothing (I8)."""
    form = PreviewForm(request.POST)
    if form.is_valid():
        return HttpResponse(panel(form.spec))
    errors = [(form.fields[name].label or name, found) for name, found in form.errors.items()]
    return render(request, TEMPLATE, {"errors": errors})


def panel(spec: ScheduleSpec) -> SafeString:
    """Words, warnings and the next slots."""
    try:
        now = clock.utcnow()
        slots = preview(spec, now, COUNT)
        context = {
            "words": describe(spec),
            "warnings": warnings(spec),
            "clock_change": clock_change(spec, now),
            "rows": list(rows(slots)),
            "zone": spec.timezone,
        }
    except InvalidScheduleError as error:
        context = {"errors": [(error.field, [str(error)])]}
    return SafeString(render_to_string(TEMPLATE, context))


def fires(spec: ScheduleSpec, after: datetime) -> list[Row]:
    """The next slots after an instant; none where the schedule is invalid or over."""
    try:
        return list(rows(preview(spec, after, COUNT)))
    except InvalidScheduleError:
        return []


def next_clock_change(spec: ScheduleSpec, after: datetime) -> str:
    """Which rule holds when the clocks change next; nothing where the schedule is invalid."""
    try:
        return clock_change(spec, after)
    except InvalidScheduleError:
        return ""


def rows(slots: list[PreviewSlot]) -> Iterator[Row]:
    """Each slot, with a note where a clock change shows."""
    now, before = clock.utcnow(), None
    for slot in slots:
        offset = _offset(slot)
        note = f"clocks changed: {_offset(before)} to {offset}" if before and _offset(before) != offset else ""
        if slot.moved:
            note = "moved: the clocks skip its wall time"
        local = f"{slot.local:%a} {wall(slot.local)}"
        yield Row(local, offset, wall(slot.instant), relative(slot.instant, now), note)
        before = slot


def _offset(slot: PreviewSlot) -> str:
    return slot.local.isoformat()[19:]
