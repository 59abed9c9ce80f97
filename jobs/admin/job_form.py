"""The form of a job."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from jobs.admin.fields import DatalistInput, StrictJSONField
from jobs.admin.schedule_form import ScheduleForm
from jobs.conf import config
from jobs.models import Job


class JobForm(ScheduleForm):
    """What it accepts, ``Job.save`` accepts: both validate the whole definition."""

    args = StrictJSONField("args", empty=list, label="Arguments", help_text='A JSON list: [1, "a"]')
    kwargs = StrictJSONField("kwargs", label="Keyword arguments", help_text='A JSON object: {"key": 1}')
    labels = StrictJSONField("labels", rows=1, help_text='A JSON object: {"service": "billing"}')
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)  # the definition that was opened

    class Meta(ScheduleForm.Meta):
        fields = [
            *ScheduleForm.Meta.fields,
            *("name", "description", "labels", "team", "enabled", "spread_seconds", "task", "args", "kwargs"),
            *("concurrency_policy", "starting_deadline_seconds", "catch_up", "catch_up_limit"),
            *("queue", "priority", "timeout_seconds", "soft_timeout_seconds", "max_attempts"),
            *("backoff_kind", "backoff_base_seconds", "backoff_cap_seconds", "jitter", "delivery"),
        ]
        widgets = {
            **ScheduleForm.Meta.widgets,
            "description": forms.Textarea(attrs={"rows": 2, "cols": 80}),
            "task": forms.TextInput(attrs={"size": 60, "spellcheck": "false"}),
            "queue": DatalistInput(lambda: config().queues, attrs={"size": 30}),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["version"] = self.instance.version

    def clean(self) -> dict[str, Any]:
        super().clean()
        if self.instance.pk:
            self._refuse_over_newer()
        return self.cleaned_data

    def _refuse_over_newer(self) -> None:
        """The row's lock holds until the save, in the admin's transaction: of two editors the later one is refused."""
        stored = Job.objects.select_for_update(no_key=True).values_list("version", flat=True).get(pk=self.instance.pk)
        opened = self.cleaned_data.get("version")
        if opened != stored:
            self.add_error(
                None,
                f"This job was changed meanwhile: you opened definition {opened or 'unknown'}, it is now at {stored}. "
                "Nothing was saved, and what you typed is still here. Open the job anew, look at what changed, "
                "and enter yours there.",
            )

    def _get_validation_exclusions(self) -> set[str]:
        """Leave out only what is known to be wrong; Django would also skip constraints on fields not shown here."""
        return set(self.errors) - {NON_FIELD_ERRORS}

    def _update_errors(self, errors: ValidationError) -> None:
        """One message a field, the first; what concerns no field of the form stands at its head."""
        for name, found in errors.update_error_dict({}).items():
            if name not in self.fields:
                self.add_error(None, found)
            elif name not in self.errors:
                self.add_error(name, found[:1])
