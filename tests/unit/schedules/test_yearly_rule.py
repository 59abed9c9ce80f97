"""The parts of POSIX TZ strings; whole zones are compared with ``zoneinfo`` in ``test_zones``."""

from __future__ import annotations

import pytest

from jobs.domain.schedules.instants import to_datetime
from jobs.domain.schedules.yearly_rule import parse_footer

from .helpers import at


def first_change(footer: str, year: int):
    rule = parse_footer(footer)
    assert rule is not None
    return to_datetime(rule.changes(year)[0][0])


@pytest.mark.parametrize(
    ("footer", "year", "instant"),
    [
        ("EST5EDT,M3.2.0,M11.1.0", 2026, "2026-03-08T07:00"),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2024, "2024-03-31T01:00"),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, "2026-03-28T00:00"),
        ("AAA0BBB,J60/0,J300", 2023, "2023-03-01T00:00"),
        ("AAA0BBB,J60/0,J300", 2024, "2024-03-01T00:00"),
        ("AAA0BBB,59/0,300", 2023, "2023-03-01T00:00"),
        ("AAA0BBB,59/0,300", 2024, "2024-02-29T00:00"),
        ("AAA0BBB,M3.1.0/1:30:15,300", 2026, "2026-03-01T01:30:15"),
    ],
)
def test_first_change_of_a_year(footer, year, instant):
    assert first_change(footer, year) == at(instant)


def test_offsets_count_east_of_greenwich_and_summer_is_an_hour_more():
    rule = parse_footer("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
    assert (rule.standard, rule.summer) == (37_800, 39_600)
    assert parse_footer("AAA5BBB,J1,J2").summer == -4 * 3600


@pytest.mark.parametrize("footer", ["", "UTC0", "<+0545>-5:45"])
def test_a_fixed_zone_has_no_rule(footer):
    assert parse_footer(footer) is None
