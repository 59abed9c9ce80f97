"""The form of a job."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from jobs.admin.fields import DatalistInput, StrictJSONField
from jobs.admin.schedule_form import ScheduleForm
from jobs.conf import config
from jobs.models import Job

# Fields with a default in fieldsets that the script switches off, and then does not send.
SWITCHED = {"task", "args", "kwargs", "headers", "cron", "calendar_unit"}
TARGET_KINDS = [("task", "Celery task"), ("endpoint", "HTTP endpoint")]
BODY_HELP = (
    'JSON to POST: {"order": 7, "run": "{{ run }}"}. In texts {{ run }}, {{ job }}, {{ scheduled_for }} and '
    "{{ attempt }} are filled in for each attempt. Empty: an object of these four."
)
HEADERS_HELP = 'Sent over the endpoint\'s own, readable by all who see this page: {"X-Team": "billing"}'


class JobForm(ScheduleForm):
    """What it accepts, ``Job.save`` accepts: both validate the whole definition."""

    target_kind = forms.ChoiceField(required=False, choices=TARGET_KINDS, label="What it calls")
    args = StrictJSONField("args", empty=list, label="Arguments", help_text='A JSON list: [1, "a"]')
    kwargs = StrictJSONField("kwargs", label="Keyword arguments", help_text='A JSON object: {"key": 1}')
    body = StrictJSONField("body", empty=lambda: None, rows=5, help_text=BODY_HELP)
    headers = StrictJSONField("headers", help_text=HEADERS_HELP)
    labels = StrictJSONField("labels", rows=1, help_text='A JSON object: {"service": "billing"}')
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)  # the definition that was opened

    class Meta(ScheduleForm.Meta):
        fields = [
            *ScheduleForm.Meta.fields,
            *("name", "description", "labels", "team", "enabled", "spread_seconds", "task", "args", "kwargs"),
            *("endpoint", "body", "headers", "webhook"),
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

    missed: frozenset[str] = frozenset()  # fields whose fault is said at another

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["version"] = self.instance.version
        for name in SWITCHED & self.fields.keys():
            self.fields[name].widget.value_omitted_from_data = _is_omitted
        self.initial["target_kind"] = "endpoint" if self.instance.endpoint_id else "task"

    def clean(self) -> dict[str, Any]:
        super().clean()
        if self.instance.pk:
            self._refuse_over_newer()
        self._require_endpoint()
        return self.cleaned_data

    def _require_endpoint(self) -> None:
        """Of neither target the one that was chosen is missed, and that alone is said. Else the fields decide: without
        the script both kinds are shown, and what stands chosen says nothing."""
        is_chosen = self.cleaned_data.get("target_kind") == "endpoint"
        if is_chosen and not any(self.cleaned_data.get(name) for name in ("task", "endpoint")):
            if "endpoint" not in self.errors:
                self.add_error("endpoint", "Choose the endpoint to POST to. A new one is registered under Endpoints.")
            self.missed = frozenset({"task", "body", "headers"})

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
            elif name not in self.errors and name not in self.missed:
                self.add_error(name, found[:1])


def _is_omitted(*_: Any) -> bool:
    """Never: what is not sent is empty, where Django would leave what is stored."""
    return False
