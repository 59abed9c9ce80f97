"""What is valid but probably not meant."""

from __future__ import annotations

from .bits import members
from .cron_field import FIELDS, HOUR, MINUTE, Field, parse_field, step_of
from .cron_text import parse_cron
from .spec import ScheduleSpec

_CLOCK_FIELDS = (MINUTE, HOUR)


def warnings(spec: ScheduleSpec) -> list[str]:
    """Sentences to show when a valid definition is saved; each says what the text really means."""
    if spec.kind != "cron":
        return []
    found: list[str] = []
    for field, text in zip(FIELDS, parse_cron(spec.cron).fields, strict=True):
        for item in text.upper().split(","):
            found.extend(_of_item(field, item))
    return found


def _of_item(field: Field, item: str) -> list[str]:
    step = step_of(item)
    if step is None:
        return []
    chosen = members(parse_field(field, item))
    numbers = ", ".join(str(number) for number in chosen)
    if len(chosen) == 1 and step > 1:
        return [f'{field.name} "{item}": the step is larger than the field, so it means {numbers} alone.']
    if field in _CLOCK_FIELDS and item.startswith("*") and (field.high + 1) % step:
        return [f'{field.name} "{item}" starts again at {field.low} each time: it means {numbers}.']
    return []
