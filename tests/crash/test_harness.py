"""Each of the five checks finds what it is for: rows and lines are tampered with, and the breach is named.

And the broker that tests break is the one that was asked for, under the pid that they send signals to.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kombu import Connection

from jobs.domain.messages import RunKey
from tests.crash.harness import messages
from tests.crash.harness.checks import Breach, breaches, check_all
from tests.crash.harness.effects import Allowance
from tests.crash.harness.live import DEAD, Live, live_on
from tests.crash.harness.load import asked_file, asked_keys, steady
from tests.crash.harness.servers import Servers
from tests.crash.harness.standing import LEASE_OVER, UNSENT
from tests.crash.harness.window import Window
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
_SCHEDULED = "FROM jobs_jobrun WHERE trigger = 'schedule' AND status = 'succeeded'"
STRICT = Allowance()
_RUN = "WHERE (job_id, scheduled_for) = (%s, %s)"


@pytest.fixture(scope="module")
def quiet(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Window]]:
    """A stack under load that went well, at rest, and its window."""
    with live_on(servers, tmp_path_factory.mktemp("quiet")) as live:
        live.beat()
        live.worker()
        with steady(live) as load:
            wait_until(lambda: _scheduled(live) > 10 and asked_keys(live), timeout=60, what="some runs to end")
        check_all(live, load.window)
        yield live, load.window


@pytest.fixture
def run(quiet: tuple[Live, Window]) -> Iterator[RunKey]:
    """A scheduled run that ended; rows, lines and promises are put back afterwards."""
    live, window = quiet
    live.sql("CREATE TABLE kept AS SELECT * FROM jobs_jobrun")
    files = {file: file.read_bytes() for file in (live.lines_file, asked_file(live))}
    query = f"SELECT job_id, scheduled_for {_SCHEDULED} AND scheduled_for > %s ORDER BY 2 LIMIT 1"
    yield RunKey(*live.sql(query, window.after)[0])
    columns = "id, job_id, scheduled_for, trigger, status, due_at, run_after, queue, finished_at"
    live.sql("DELETE FROM jobs_jobrun")
    live.sql(f"INSERT INTO jobs_jobrun ({columns}) SELECT {columns} FROM kept")
    live.sql("DROP TABLE kept")
    live.sql("DELETE FROM jobs_slotgap")
    for file, content in files.items():
        file.write_bytes(content)


def test_a_slot_without_a_row_or_gap_is_missing(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    live.sql(f"DELETE FROM jobs_jobrun {_RUN}", *run)
    _forget_lines(live.lines_file, run)
    assert _told(live, window) == [Breach("ledger", str(run), "is neither a run nor in a gap")]


def test_a_slot_in_a_gap_is_accounted_for(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    live.sql(f"DELETE FROM jobs_jobrun {_RUN}", *run)
    _forget_lines(live.lines_file, run)
    _add_gap(live, run)
    assert _told(live, window) == []


def test_a_slot_with_a_row_and_a_gap_is_accounted_for_twice(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    _add_gap(live, run)
    assert _told(live, window) == [Breach("ledger", str(run), "is accounted for twice")]


def test_a_run_off_the_schedule_is_not_in_the_preview(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    moved = run._replace(scheduled_for=run.scheduled_for + timedelta(milliseconds=500))
    live.sql(f"UPDATE jobs_jobrun SET scheduled_for = %s {_RUN}", moved.scheduled_for, *run)
    _rename_lines(live.lines_file, run, moved)
    assert _told(live, window) == [
        Breach("ledger", str(run), "is neither a run nor in a gap"),
        Breach("preview", str(moved), "ran, and the preview does not show it"),
    ]


@pytest.mark.parametrize(
    ("status", "says"), [("dead", "is dead"), ("missed", "is missed"), ("cancelled", "is cancelled")]
)
def test_a_run_that_ended_otherwise_is_told(quiet: tuple[Live, Window], run: RunKey, status: str, says: str) -> None:
    live, window = quiet
    live.sql(f"UPDATE jobs_jobrun SET status = %s {_RUN}", status, *run)
    assert _told(live, window) == [Breach("effects", str(run), says)]
    assert _told(live, window, Allowance(ends=("succeeded", status))) == []


def test_a_success_without_its_effect_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    _forget_lines(live.lines_file, run)
    assert _told(live, window) == [Breach("effects", str(run), "succeeded without its effect")]


def test_a_second_start_and_a_second_effect_are_told_unless_a_fault_held_the_run(
    quiet: tuple[Live, Window], run: RunKey
) -> None:
    live, window = quiet
    with live.lines_file.open("a") as file:
        file.write(f"started {run} 2 1 1.0\nended {run} 2 1 2.0\n")
    assert _told(live, window) == [
        Breach("effects", str(run), "has its effect 2 times"),
        Breach("effects", str(run), "started 2 times"),
    ]
    assert _told(live, window, Allowance(excused={str(run)})) == []


def test_a_promised_run_without_a_row_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    with asked_file(live).open("a") as file:
        file.write("999-1\n")
    assert _told(live, window) == [Breach("effects", "999-1", "was promised, and there is no such run")]


def test_an_effect_without_a_row_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    with live.lines_file.open("a") as file:
        file.write("started 999-1 1 1 1.0\n")
    assert _told(live, window) == [Breach("effects", "999-1", "started, and there is no such run")]


def test_a_lease_that_is_over_for_long_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    _stop_beats(live)
    change = "status = 'running', finished_at = NULL, locked_by = gen_random_uuid(), locked_until = clock_timestamp()"
    live.sql(f"UPDATE jobs_jobrun SET {change} - interval '46 seconds' {_RUN}", *run)
    assert Breach("standing", str(run), f"is running with {LEASE_OVER}") in _told(live, window)


def test_a_due_run_that_nobody_sends_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    _stop_beats(live)
    change = "status = 'queued', finished_at = NULL, dispatched_at = NULL, run_after = clock_timestamp()"
    live.sql(f"UPDATE jobs_jobrun SET {change} - interval '61 seconds' {_RUN}", *run)
    wait_until(
        lambda: Breach("standing", str(run), f"is {UNSENT}") in _told(live, window), what="the queue's consumer seen"
    )


def test_a_message_that_vanished_is_told(quiet: tuple[Live, Window], run: RunKey) -> None:
    live, window = quiet
    with Connection(live.environment["BROKER_URL"]) as broker:
        wait_until(lambda: broker.default_channel.basic_get("jobs.http", no_ack=True), what="a marker to take away")
    with pytest.raises(AssertionError, match=r"^messages: .*published="):
        check_all(live, window, patience=8)


def test_a_message_that_is_left_in_a_queue_is_told(quiet: tuple[Live, Window]) -> None:
    live, _ = quiet
    with Connection(live.environment["BROKER_URL"]) as broker:
        broker.Producer().publish({}, routing_key=DEAD)
        wait_until(lambda: DEAD in dict(messages.left_behind(live)), what="the message seen")
        got = wait_until(lambda: broker.default_channel.basic_get(DEAD))
        broker.default_channel.basic_ack(got.delivery_tag)
    wait_until(lambda: not list(messages.left_behind(live)), what="the message gone")


def test_the_broker_is_of_the_version_asked_for_and_signals_hit_the_node_itself(servers: Servers) -> None:
    broker = servers.broker

    assert broker.api("GET", "/api/overview")["rabbitmq_version"] == broker.version()
    assert Path(f"/proc/{broker.pid}/comm").read_text().strip() == "beam.smp"
    assert broker.control("eval", "os:getpid().").strip().strip('"') == str(broker.pid)


def _scheduled(live: Live) -> int:
    return int(live.sql(f"SELECT count(*) {_SCHEDULED}")[0][0])


def _told(live: Live, window: Window, allowance: Allowance = STRICT) -> list[Breach]:
    """All but the broker's account, in which a marker under way is missing."""
    return breaches(live, window, allowance, but=("messages",))


def _add_gap(live: Live, run: RunKey) -> None:
    query = "INSERT INTO jobs_slotgap (job_id, after, until, reason, version) VALUES (%s, %s, %s, 'catch_up', 1)"
    live.sql(query, run.job_id, run.scheduled_for - timedelta(milliseconds=1), run.scheduled_for)


def _forget_lines(file: Path, run: RunKey) -> None:
    kept = [line for line in file.read_text().splitlines(keepends=True) if f" {run} " not in line]
    file.write_text("".join(kept))


def _rename_lines(file: Path, run: RunKey, moved: RunKey) -> None:
    file.write_text(file.read_text().replace(f" {run} ", f" {moved} "))


def _stop_beats(live: Live) -> None:
    """A living beat would mend what the test breaks."""
    for process in live.processes:
        if "beat" in live.log_of(process).name and process.poll() is None:
            live.end(process)
