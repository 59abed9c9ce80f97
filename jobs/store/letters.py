"""Dead letters to look at: without their bodies, of which a letter's page reads the beginning."""

from __future__ import annotations

from typing import Any

from django.db.models import BinaryField, F, Func, QuerySet, Value

from jobs.domain.preview_body import MAX_PREVIEW
from jobs.models import DeadLetter


def letters() -> QuerySet[DeadLetter]:
    """All letters, bodies left where they are."""
    return DeadLetter.objects.defer("body")


def with_body_start(found: QuerySet[DeadLetter]) -> QuerySet[Any]:
    """Each with the first bytes of its body as ``body_start``."""
    start = Func(F("body"), Value(1), Value(MAX_PREVIEW), function="substring", output_field=BinaryField())
    return found.annotate(body_start=start)
