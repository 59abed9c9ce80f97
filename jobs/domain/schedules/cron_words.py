"""A cron text in words: the common shapes, and the fields as written for the rest."""

from __future__ import annotations

import re

from .bits import members
from .cron_days import weekday_bits
from .cron_field import DAY_OF_WEEK, HOUR, MINUTE, MONTH, Field, parse_field
from .cron_text import parse_cron

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_MOST_TIMES = 4
_STAR_STEP = re.compile(r"\*/([0-9]+)")


def cron_in_words(text: str) -> str:
    """Time of day, then days, then months."""
    cron = parse_cron(text)
    minute, hour, day_of_month, month, day_of_week = (field.upper() for field in cron.fields)
    combined = " if also on " if cron.days.both_must_match else " or on "
    days = combined.join(_days(day_of_month, day_of_week))
    return _times(minute, hour) + (f" on {days}" if days else "") + _months(month)


def joined(parts: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _times(minute: str, hour: str) -> str:
    minutes, hours = members(parse_field(MINUTE, minute)), members(parse_field(HOUR, hour))
    if len(minutes) * len(hours) <= _MOST_TIMES:
        return "At " + joined([f"{at:02}:{past:02}" for at in hours for past in minutes])
    if hour == "*":
        return _each_hour(minute, minutes)
    if minute == "*":
        return f"Every minute of {_numbers(HOUR, hour)}"
    return f"At {_numbers(MINUTE, minute)} of {_numbers(HOUR, hour)}"


def _each_hour(minute: str, minutes: list[int]) -> str:
    if minute == "*":
        return "Every minute"
    step = _STAR_STEP.fullmatch(minute)
    if step and 60 % int(step[1]) == 0 and len(minutes) > 1:
        return f"Every {int(step[1])} minutes" if int(step[1]) > 1 else "Every minute"
    if minutes == [0]:
        return "Every hour"
    return f"At {_numbers(MINUTE, minute)} of every hour"


def _numbers(field: Field, text: str) -> str:
    numbers = members(parse_field(field, text))
    if len(numbers) == 1:
        return f"{field.name} {numbers[0]}"
    shown = text if len(numbers) > _MOST_TIMES else joined([str(each) for each in numbers])
    return f"{field.name}s {shown}"


def _days(day_of_month: str, day_of_week: str) -> list[str]:
    dates = [_dates(day_of_month)] if day_of_month != "*" else []
    weekdays = [_weekdays(day_of_week)] if day_of_week != "*" else []
    return dates + weekdays


def _dates(text: str) -> str:
    if text == "L":
        return "the last day of the month"
    if text == "LW":
        return "the last weekday (Monday to Friday) of the month"
    if not text.isdigit():
        return f"days {text} of the month"
    return f"day {int(text)} of the month"


def _weekdays(text: str) -> str:
    return joined([_weekday_item(item) for item in text.split(",")])


def _weekday_item(item: str) -> str:
    if item.endswith("L"):
        return f"the last {_weekday(item[:-1])} of the month"
    weekday, sharp, nth = item.partition("#")
    if sharp:
        return f"the {_ORDINALS[int(nth) - 1]} {_weekday(weekday)} of the month"
    if "/" in item:
        return joined([_WEEKDAYS[each] for each in members(weekday_bits(parse_field(DAY_OF_WEEK, item)))])
    return "every day" if item == "*" else " to ".join(_weekday(end) for end in item.split("-"))


def _weekday(text: str) -> str:
    return _WEEKDAYS[DAY_OF_WEEK.number(text)]


def _months(text: str) -> str:
    return "" if text == "*" else " in " + joined([_month_item(item) for item in text.split(",")])


def _month_item(item: str) -> str:
    if "/" in item:
        return joined([_MONTHS[each - 1] for each in members(parse_field(MONTH, item))])
    return "every month" if item == "*" else " to ".join(_MONTHS[MONTH.number(end) - 1] for end in item.split("-"))
