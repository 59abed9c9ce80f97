"""Field factories: a default that Django and raw SQL share, and choices from an enum."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db import models


def enum_field(kind: type[StrEnum], default: StrEnum, **options: Any) -> models.CharField[str, str]:
    """A CharField whose values are the enum's; :func:`enum_check` makes the matching CHECK."""
    return models.CharField(
        max_length=20,
        choices=[(item.value, item.value.replace("_", " ")) for item in kind],
        default=default.value,
        db_default=default.value,
        **options,
    )


def enum_check(table: str, column: str, kind: type[StrEnum]) -> models.CheckConstraint:
    """CHECK that a column holds one of the enum's values."""
    return models.CheckConstraint(
        name=f"{table}_{column}_known", condition=models.Q(**{f"{column}__in": [item.value for item in kind]})
    )


def text(**options: Any) -> models.TextField[str, str]:
    """A text that may be empty, never NULL."""
    return models.TextField(blank=True, default="", db_default="", **options)
