"""No beat for 40 days, and another version of the zones' rules when one is back (I1, I2)."""

from __future__ import annotations

import importlib.resources
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load
from tests.crash.harness.window import Window
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)
_DAYS = 40
_LATER_PARTITIONS = """
    SELECT format('DROP TABLE %%I', relid::regclass::text) FROM pg_partition_tree('jobs_jobrun')
    WHERE isleaf AND substring(relid::regclass::text FROM '\\d{8}$') > to_char(now() - interval '25 days', 'YYYYMMDD')
"""


def test_after_40_days_without_a_beat_each_slot_is_a_run_or_in_a_gap_within_seconds(live: Live) -> None:
    """The days it would have made are not there; retention is 30 days."""
    began = live.now().replace(microsecond=0) - timedelta(days=_DAYS)
    jobs = {
        "latest": live.save_job("latest", **_EACH_MINUTE),
        "skip": live.save_job("skip", catch_up="skip", **_EACH_MINUTE),
        "all": live.save_job("all", catch_up="all", catch_up_limit=7, **_EACH_MINUTE),
        "once": live.save_job("once", kind="once", once_at=began + timedelta(days=35)),
        "too-old": live.save_job("too-old", kind="once", once_at=began + timedelta(days=2)),
    }
    live.sql("UPDATE jobs_cursor SET plan_from = %s", began)
    for (drop,) in live.sql(_LATER_PARTITIONS):
        live.sql(drop)
    assert not live.sql("SELECT to_regclass('jobs_jobrun_p' || to_char(now(), 'YYYYMMDD'))")[0][0]
    live.worker()

    live.beat()

    latest = f"{jobs['latest']}-"
    wait_until(
        lambda: [line for line in live.lines() if line.key.startswith(latest)], timeout=30, what="the latest slot"
    )
    wait_until(lambda: len(live.lines("ended")) >= 9, timeout=90, what="old slots, which are looked for each minute")
    Load(live).end()
    ran = dict(live.sql("SELECT job_id, count(*) FROM jobs_jobrun GROUP BY job_id"))
    assert ran[jobs["once"]] == 1
    assert jobs["too-old"] not in ran
    later = ran[jobs["latest"]] - 1
    assert ran[jobs["all"]] == 7 + later, "the oldest seven that are kept, and the minutes since"
    skipping = ran.get(jobs["skip"], 0)
    assert later <= skipping <= 1 + later, "the minutes since; and the newest that was missed, when it is seconds old"
    floor = live.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=30)
    check_all(live, Window(floor - timedelta(seconds=1), live.now()))


def test_new_rules_of_a_zone_move_the_slots_ahead_and_lose_none_of_the_outage(live: Live, tmp_path: Path) -> None:
    """The beat before knew other rules of Berlin, an hour off; slots of the outage are by the new ones."""
    earlier = live.beat(PYTHONPATH=_other_rules(tmp_path / "rules"))
    live.leader()
    live.worker()
    load = Load(live)
    soon = live.now() + timedelta(seconds=12)
    job = live.save_job("daily", **_daily_at(soon))
    [(planned,)] = wait_until(lambda: live.sql("SELECT next_run_at FROM jobs_cursor WHERE next_run_at IS NOT NULL"))
    assert planned - soon.replace(microsecond=0) == timedelta(hours=1), "as it was"
    assert live.end(earlier) == 0
    wait_until(lambda: live.now() > soon + timedelta(seconds=2), timeout=20, what="the slot to fall into the outage")

    beat = live.beat()

    wait_until(lambda: live.lines("ended"), timeout=20, what="the run")
    assert "schedules.replanned" in live.log_of(beat).read_text()
    assert live.sql("SELECT scheduled_for FROM jobs_jobrun WHERE job_id = %s", job) == [(soon.replace(microsecond=0),)]
    tomorrow = live.sql("SELECT next_run_at FROM jobs_cursor")[0][0] - soon
    assert timedelta(hours=22) < tomorrow < timedelta(hours=26)
    let_pass(2)
    assert len(live.lines("started")) == 1
    load.end()
    check_all(live, load.window)


_EACH_MINUTE = {"kind": "cron", "cron": "* * * * *"}


def _daily_at(instant: datetime) -> dict[str, Any]:
    """Each day at this second by Berlin's clock."""
    local = instant.astimezone(ZoneInfo("Europe/Berlin"))
    return {
        "kind": "calendar",
        "calendar_every": 1,
        "calendar_unit": "day",
        "anchor_date": local.date() - timedelta(days=3),
        "wall_time": local.time().replace(microsecond=0),
        "timezone": "Europe/Berlin",
    }


def _other_rules(folder: Path) -> str:
    """A package of zones, newer by its number, in which Berlin keeps London's time; its place for PYTHONPATH."""
    zones = folder / "tzdata"
    shutil.copytree(Path(str(importlib.resources.files("tzdata"))), zones)
    shutil.copy(zones / "zoneinfo/Europe/London", zones / "zoneinfo/Europe/Berlin")
    about = folder / "tzdata-2099.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tzdata\nVersion: 2099.1\n")
    return str(folder)
