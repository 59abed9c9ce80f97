"""Form fields for secrets: they take a value and never give one back, neither what is stored nor what was typed."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django import forms


class SecretDeed(StrEnum):
    """What becomes of a secret when the form is saved."""

    KEEP = "keep"
    REPLACE = "replace"
    GENERATE = "generate"
    REMOVE = "remove"


# What can be done, by whether a secret is set.
_WORDS = {
    False: {
        SecretDeed.KEEP: "none",
        SecretDeed.REPLACE: "set to the value below",
        SecretDeed.GENERATE: "generate one and show it once",
    },
    True: {
        SecretDeed.KEEP: "keep",
        SecretDeed.REPLACE: "replace by the value below",
        SecretDeed.GENERATE: "generate a new one and show it once",
        SecretDeed.REMOVE: "remove",
    },
}


class BlindTextarea(forms.Textarea):
    """Renders empty, whatever it holds; a form that comes back wants the secret typed again."""

    def format_value(self, value: Any) -> str:
        return ""


def deed_field(label: str) -> forms.ChoiceField:
    """Which deed; :func:`offer` says which there are. A form that does not say keeps the secret."""
    choices = [(deed.value, deed.value) for deed in SecretDeed]
    return forms.ChoiceField(required=False, label=label, choices=choices, initial=SecretDeed.KEEP.value)


def value_field(label: str, *, help_text: str, rows: int = 1) -> forms.CharField:
    """The new value; empty where none is given."""
    attrs = {"rows": rows, "cols": 80, "spellcheck": "false", "autocomplete": "off", "class": "jobs-json"}
    return forms.CharField(required=False, label=label, help_text=help_text, widget=BlindTextarea(attrs=attrs))


def offer(field: forms.Field, *, is_set: bool, can_generate: bool) -> None:
    """The deeds that fit a secret that is set or not."""
    words = {deed: text for deed, text in _WORDS[is_set].items() if can_generate or deed is not SecretDeed.GENERATE}
    field.choices = [(deed.value, text) for deed, text in words.items()]  # type: ignore[attr-defined]  # a ChoiceField
