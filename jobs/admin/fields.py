"""Form fields that say what is wrong and lose nothing of what was typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.domain.json_value import parse_json
from jobs.errors import InvalidFieldError


class StrictJSONField(forms.JSONField):
    """JSON as every write path reads it. Empty text means the empty list or object, or None where that is empty."""

    def __init__(self, field: str, *, empty: Callable[[], Any] = dict, rows: int = 2, **options: Any) -> None:
        self.field_name = field
        self.make_empty = empty
        widget = forms.Textarea(attrs={"rows": rows, "cols": 80, "spellcheck": "false", "class": "jobs-json"})
        super().__init__(required=False, initial=empty, widget=widget, **options)

    def to_python(self, value: Any) -> Any:
        if value is None or not value.strip():
            return self.make_empty()
        try:
            return parse_json(value, self.field_name)
        except InvalidFieldError as error:
            raise ValidationError(str(error)) from None

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was typed, to the letter, also when it is not JSON."""
        return initial if self.disabled else _Typed(data or "")

    def prepare_value(self, value: Any) -> Any:
        if value is None and self.make_empty() is None:
            return ""
        return value if isinstance(value, _Typed) else json.dumps(value, ensure_ascii=False)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != initial)
        except ValidationError:
            return True


class _Typed(str):
    """Text from a form, told apart from a stored JSON text."""

    __slots__ = ()


class DatalistInput(forms.TextInput):
    """A text input with suggestions: nothing is lost that is not among them, unlike in a select."""

    def __init__(self, suggestions: Callable[[], Iterable[str]], attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.suggestions = suggestions

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        list_id = f"{name}-suggestions"
        field = super().render(name, value, {**(attrs or {}), "list": list_id, "autocomplete": "off"}, renderer)
        options = format_html_join("", '<option value="{}">', ((text,) for text in self.suggestions()))
        return format_html('{}<datalist id="{}">{}</datalist>', field, list_id, options)
