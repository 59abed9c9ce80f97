"""Two beats lead two shards, under load; one is killed, one freezes, the number changes (I1, I2, I6)."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from jobs.domain.messages import RunKey
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)
# s from the end, or the freezing, of a shard's leader to the start of one of its slots due after it
KILLED_GOAL, FROZEN_GOAL = 3.0, 15.0
BUSY = 2.0  # by how much a machine that does other things besides may be slower
FROZEN_SECONDS = 15
_LED = "SELECT shard, holder::text FROM jobs_leader WHERE renewed_at > clock_timestamp() - interval '3 seconds'"


def test_a_killed_beat_s_shard_goes_to_the_other_within_twice_the_goal(live: Live) -> None:
    beats = _two_beats(live)
    with _busy(live) as load:
        victim, at = beats[1], time.time()
        faults.kill(victim)
        seconds = _until_started(live, shard=1, after=at, timeout=KILLED_GOAL * BUSY)
        print(f"recovered after {seconds:.1f} s")
        wait_until(lambda: len(set(_led(live).values())) == 1 and len(_led(live)) == 2, what="one beat to lead both")
        back = _beat(live, shards=2)
        wait_until(lambda: _leads(live, back) == 1, timeout=20, what="the next beat to be given its share")
    check_all(live, load.window)
    assert live.end(back) == 0


def test_a_frozen_beat_s_shard_goes_to_the_other_and_it_is_given_one_when_it_wakes(live: Live) -> None:
    beats = _two_beats(live)
    with _busy(live) as load:
        at = time.time()
        with faults.frozen(beats[0]):
            seconds = _until_started(live, shard=0, after=at, timeout=FROZEN_GOAL * BUSY)
            print(f"recovered after {seconds:.1f} s")
            wait_until(lambda: _leads(live, beats[1]) == 2, what="the other to lead both")
            let_pass(max(0.0, at + FROZEN_SECONDS - time.time()))
        wait_until(lambda: _leads(live, beats[0]) == 1, timeout=20, what="the one that woke to be given its share")
    assert "leader.silent_ended shard=0" in live.log_of(beats[1]).read_text()
    check_all(live, load.window)


def test_the_number_changes_under_load_and_beats_of_the_old_one_stand_by(live: Live) -> None:
    old, new = _beat(live, shards=1), _beat(live, shards=2)
    wait_until(lambda: _told(live, new, "beat.shards_differ here=2 written=1"), timeout=30)
    wait_until(lambda: _leads(live, old) == 1, timeout=20)
    with _busy(live) as load:
        told = json.loads(live.manage("jobs", "reshard", "2", "--json"))
        assert told["is_complete"], told
        wait_until(lambda: _leads(live, new) == 2, timeout=20, what="the beat of the new number to lead both shards")
        wait_until(lambda: _told(live, old, "beat.shards_differ here=1 written=2"), timeout=20)
        at = time.time()
        assert _until_started(live, shard=0, after=at, timeout=20) > 0
        assert _until_started(live, shard=1, after=at, timeout=20) > 0
    check_all(live, load.window)
    assert [live.end(beat) for beat in (old, new)] == [0, 0]


def _beat(live: Live, *, shards: int) -> subprocess.Popen[bytes]:
    return live.beat(BEATKEEPER_TEST_SETTINGS=json.dumps({"SHARDS": shards}))


def _two_beats(live: Live) -> dict[int, subprocess.Popen[bytes]]:
    """Started together; each by the shard that it leads."""
    live.manage("jobs", "reshard", "2")
    started = [_beat(live, shards=2) for _ in range(2)]
    wait_until(lambda: all(_leads(live, beat) == 1 for beat in started), timeout=40, what="one shard each")
    led = _led(live)
    return {shard: next(beat for beat in started if _told(live, beat, led[shard])) for shard in led}


@contextmanager
def _busy(live: Live) -> Iterator[Load]:
    """A worker, and a load of jobs in both shards that has come into its stride."""
    live.worker()
    with steady(live, per_second=4) as load:
        live.until_started(10)
        yield load


def _led(live: Live) -> dict[int, str]:
    """The holder of each shard's term."""
    return dict(live.sql(_LED))


def _leads(live: Live, beat: subprocess.Popen[bytes]) -> int:
    """How many shards a beat leads."""
    return sum(_told(live, beat, f"holder={holder}") for holder in _led(live).values())


def _told(live: Live, beat: subprocess.Popen[bytes], text: str) -> bool:
    return text in live.log_of(beat).read_text()


def _until_started(live: Live, *, shard: int, after: float, timeout: float) -> float:
    """Seconds from then until a body of the shard started whose slot is later."""

    def starts() -> list[float]:
        return [line.at for line in live.lines("started") if _is_slot_of(line.key, shard, after)]

    return min(wait_until(starts, timeout, what=f"a slot of shard {shard}", every=0.02)) - after


def _is_slot_of(key: str, shard: int, after: float) -> bool:
    """Runs by hand are at no whole second."""
    run = RunKey.parse(key)
    slot = run.scheduled_for.timestamp()
    return run.job_id % 2 == shard and slot.is_integer() and slot > after
