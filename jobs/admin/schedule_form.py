"""The schedule part of the job form, and its twin that only previews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms

from jobs import clock
from jobs.admin.fields import DatalistInput
from jobs.admin.formats import local_time
from jobs.admin.generics import ModelForm
from jobs.domain.schedules import ScheduleSpec, build, parse_wall, zone_names
from jobs.errors import InvalidScheduleError
from jobs.models import Job
from jobs.models.job import SCHEDULE_FIELDS

KINDS = [
    ("cron", "cron: at times of the calendar"),
    ("interval", "interval: every so many seconds"),
    ("calendar", "calendar: every so many days, weeks or months, at a wall time"),
    ("once", "once: at one instant"),
    ("manual", "manual: only when asked for"),
]
INSTANTS = ("anchor_at", "once_at", "start_at", "end_at")
_IN_ZONE = "Local time of the zone below, as 2026-10-25 02:30, or with an offset: 2026-10-25 02:30+01:00."


def _instant_field(label: str, help_text: str = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"size": 28, "placeholder": "YYYY-MM-DD HH:MM", "autocomplete": "off"})
    return forms.CharField(required=False, label=label, help_text=help_text or _IN_ZONE, widget=widget, max_length=40)


class ScheduleForm(ModelForm[Job]):
    """Instants are typed as wall times of the job's zone and shown with their offset, so that no second is unclear."""

    kind = forms.ChoiceField(choices=[("", "choose…"), *KINDS])
    anchor_at = _instant_field("Counted from", f"Fire k is here + k × interval. Empty: the time of saving. {_IN_ZONE}")
    once_at = _instant_field("At")
    start_at = _instant_field("Not before", "No slot before this: local time of the zone, or with an offset.")
    end_at = _instant_field("Not after", "No slot after this: local time of the zone, or with an offset.")

    class Meta:
        model = Job
        fields: Sequence[str] = SCHEDULE_FIELDS
        labels = {"interval_seconds": "Seconds", "anchor_date": "First day"}
        widgets: dict[str, forms.Widget] = {
            "cron": forms.TextInput(attrs={"size": 40, "spellcheck": "false", "autocomplete": "off"}),
            "timezone": DatalistInput(zone_names, attrs={"size": 40}),
            "anchor_date": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "wall_time": forms.TimeInput(attrs={"type": "time", "step": 1}),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in INSTANTS:
            if moment := getattr(self.instance, name):
                self.initial[name] = local_time(moment, self.instance.timezone).isoformat(" ")

    def clean(self) -> dict[str, Any]:
        super().clean()
        for name in INSTANTS:
            if name in self.cleaned_data:
                self._read_instant(name)
        return self.cleaned_data

    def _read_instant(self, name: str) -> None:
        text = self.cleaned_data[name]
        self.cleaned_data[name] = None
        try:
            if text:
                self.cleaned_data[name] = self._parse(name, text)
        except InvalidScheduleError as error:
            if error.field not in self.errors:
                self.add_error(error.field, str(error))

    def _parse(self, name: str, text: str) -> datetime:
        stored: datetime | None = getattr(self.instance, name)
        if stored is not None and text == self.initial.get(name):
            return stored  # to the microsecond: a save without a change moves nothing
        return parse_wall(text, self.cleaned_data.get("timezone", "UTC"), field=name)


class PreviewForm(ScheduleForm):
    """Reads a schedule and looks at nothing else: no name, no target, no database."""

    spec: ScheduleSpec

    def _post_clean(self) -> None:
        """In place of the whole model's validation."""
        if self.errors:
            return
        self.spec = ScheduleSpec(**{name: self.cleaned_data[name] for name in SCHEDULE_FIELDS})
        try:
            if self.spec.kind == "interval" and self.spec.anchor_at is None:
                self.spec = replace(self.spec, anchor_at=clock.utcnow().replace(microsecond=0))  # as saving does
            build(self.spec)
        except InvalidScheduleError as error:
            self.add_error(error.field, str(error))
