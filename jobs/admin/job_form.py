"""The form of a job."""

from __future__ import annotations

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

    def clean_name(self) -> str:
        """Say at the field what the unique constraint would say at the form's head."""
        name: str = self.cleaned_data["name"]
        if Job.objects.living().filter(name=name).exclude(pk=self.instance.pk).exists():
            raise ValidationError(
                f'A job named "{name}" exists. Choose another name, or edit or archive that job.', code="unique"
            )
        return name

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
