"""Random valid definitions for the property tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from jobs.domain.schedules.instants import to_datetime
from jobs.domain.schedules.zones import timeline_of

_ZONES = st.sampled_from(
    [
        "UTC", "Europe/Berlin", "America/New_York", "America/Havana", "America/Sao_Paulo", "Asia/Gaza",
        "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Antarctica/Troll",
        "Asia/Kathmandu", "America/Nuuk", "Pacific/Kwajalein", "Asia/Manila", "Africa/Monrovia",
    ]
)  # fmt: skip
_ANY_INSTANT = st.datetimes(datetime(1850, 1, 1), datetime(2900, 1, 1), timezones=st.just(UTC))


def _near_a_change(zone: str) -> st.SearchStrategy[datetime]:
    changes = [to_datetime(start) for start in timeline_of(zone).starts[1:]]
    if not changes:
        return _ANY_INSTANT
    margin = st.timedeltas(timedelta(hours=-30), timedelta(hours=5))
    return st.builds(datetime.__add__, st.sampled_from(changes), margin)


# Pairs of a zone and an instant: half of them close to one of the zone's clock changes of all times.
PLACES = _ZONES.flatmap(lambda zone: st.tuples(st.just(zone), _ANY_INSTANT | _near_a_change(zone)))


def _item(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    step = st.integers(1, high + 1)
    span = st.tuples(number, number).map(lambda ends: f"{min(ends)}-{max(ends)}")
    return st.one_of(
        number.map(str),
        span,
        st.tuples(number, step).map("{0[0]}/{0[1]}".format),
        step.map("*/{}".format),
        st.tuples(span, step).map("{0[0]}/{0[1]}".format).filter(lambda text: len(set(_ends(text))) == 2),
    )


def _ends(text: str) -> list[str]:
    return text.partition("/")[0].split("-")


def _field(low: int, high: int, *extra: str) -> st.SearchStrategy[str]:
    items = _item(low, high) | st.sampled_from(extra) if extra else _item(low, high)
    return st.just("*") | st.lists(items, min_size=1, max_size=3).map(",".join)


def _expressions(days: tuple[str, ...], weekdays: tuple[str, ...]) -> st.SearchStrategy[str]:
    fields = _field(0, 59), _field(0, 23), _field(1, 31, *days), _field(1, 12), _field(0, 7, *weekdays)
    return st.tuples(*fields).map(" ".join)


PLAIN = _expressions(("L",), ("5L", "2#3", "0#1"))
EXPRESSIONS = _expressions(("L", "LW", "1W", "15W", "31W"), ("5L", "2#3", "0#1", "6#5"))
