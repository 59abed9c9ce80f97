"""Days below retention go to a file before they are dropped, or stay."""

from __future__ import annotations

import csv
import gzip
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings

from jobs.conf import config, parse
from jobs.errors import InvalidFieldError
from jobs.management.doctor.finding import Level
from jobs.management.doctor.settings import findings
from jobs.models import JobRun
from jobs.services import prune
from jobs.services.archive_partition import archive_partition
from jobs.services.prune import prune_partitions
from jobs.store import partitions
from jobs.store.runs import NewRun, insert_runs
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job

OLD = datetime(2018, 3, 4, 12, 0, tzinfo=UTC)
NOW = OLD + timedelta(days=40)
NAME = "jobs_jobrun_p20180304"


@pytest.fixture
def folder(committed: None, tmp_path: Path) -> Iterator[Path]:
    """An old day, and the folder that such days are archived to."""
    partitions.ensure(OLD.date(), OLD.date(), wide=False)
    with override_settings(BEATKEEPER={"ARCHIVE_DIR": str(tmp_path)}):
        config.cache_clear()
        yield tmp_path
    for partition in partitions.partitions():
        if partition.upper < datetime(2019, 1, 1, tzinfo=UTC):
            if partition.state != "detached":
                partitions.detach(partition)
            partitions.drop(partition)


def ended_run(**fields: Any) -> JobRun:
    job = make_job()
    insert_runs([NewRun(job.pk, OLD, OLD, "jobs.default")])
    JobRun.objects.filter(job=job).update(**{"status": "succeeded", "finished_at": OLD, **fields})
    return JobRun.objects.get(job=job)


def rows(file: Path) -> list[dict[str, str]]:
    with gzip.open(file, "rt", newline="") as lines:
        return list(csv.DictReader(lines))


def is_there() -> bool:
    return any(partition.name == NAME for partition in partitions.partitions())


def test_a_day_is_archived_whole_and_then_dropped(folder: Path) -> None:
    runs = [ended_run(result={"text": 'with "quotes", commas\nand lines'}), ended_run(status="dead", last_error="boom")]
    assert prune_partitions(NOW) == [NAME]
    assert not is_there()
    [file] = folder.iterdir()
    assert file.name == f"{NAME}.csv.gz"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = {int(row["id"]): row for row in rows(file)}
    assert set(found) == {run.pk for run in runs}
    assert found[runs[0].pk]["result"] == '{"text": "with \\"quotes\\", commas\\nand lines"}'
    assert found[runs[1].pk]["last_error"] == "boom"


def test_an_archive_can_be_loaded_again(folder: Path) -> None:
    run = ended_run(status="dead", last_error="boom")
    before = sql("SELECT * FROM jobs_jobrun WHERE id = %s", run.pk)
    prune_partitions(NOW)
    partitions.ensure(OLD.date(), OLD.date(), wide=False)
    with connection.cursor() as cursor, cursor.copy(f"COPY {NAME} FROM STDIN (FORMAT csv, HEADER)") as copy:
        copy.write(gzip.decompress((folder / f"{NAME}.csv.gz").read_bytes()))
    assert sql("SELECT * FROM jobs_jobrun WHERE id = %s", run.pk) == before


def test_a_day_that_cannot_be_archived_stays_and_that_is_told(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    ended_run()
    with override_settings(BEATKEEPER={"ARCHIVE_DIR": str(folder / "missing")}):
        config.cache_clear()
        assert prune_partitions(NOW) == []
    assert is_there()
    assert "partitions.archive_failed" in caplog.text
    config.cache_clear()
    assert prune_partitions(NOW) == [NAME]


def test_a_full_disk_leaves_the_day_and_no_half_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended_run()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        assert prune_partitions(NOW) == []
    assert is_there()
    assert list(folder.iterdir()) == []


def test_a_day_that_takes_longer_than_a_statement_may_is_archived(folder: Path) -> None:
    sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, log)"
        " SELECT n, %s, now(), now(), 'jobs.default', 'succeeded', %s, repeat(md5(n::text), 50)"
        " FROM generate_series(1, 20000) AS n",
        OLD,
        OLD,
    )
    [old_day] = [partition for partition in partitions.partitions() if partition.name == NAME]
    with Elsewhere() as there:
        there.do(sql, "SET statement_timeout = '200ms'")
        file = there.do(archive_partition, old_day, folder)
    assert file is not None
    assert len(rows(file)) == 20_000


def test_a_day_without_runs_is_dropped_without_a_file(folder: Path) -> None:
    assert prune_partitions(NOW) == [NAME]
    assert list(folder.iterdir()) == []


def test_a_day_made_anew_gets_a_file_of_its_own(folder: Path) -> None:
    first = ended_run()
    prune_partitions(NOW)
    partitions.ensure(OLD.date(), OLD.date(), wide=False)
    second = ended_run()
    prune_partitions(NOW)
    archived = {file.name: [int(row["id"]) for row in rows(file)] for file in folder.iterdir()}
    assert archived == {f"{NAME}.csv.gz": [first.pk], f"{NAME}-2.csv.gz": [second.pk]}


def test_a_drop_that_was_cut_off_after_the_archive_makes_no_second_file(folder: Path) -> None:
    ended_run()
    sql(f"CREATE VIEW in_the_way AS SELECT id FROM {NAME}")
    with pytest.raises(Exception, match="depend"):
        prune_partitions(NOW)
    sql("DROP VIEW in_the_way")
    assert is_there()
    assert prune_partitions(NOW) == [NAME]
    assert [file.name for file in folder.iterdir()] == [f"{NAME}.csv.gz"]


def test_the_doctor_says_whether_the_folder_can_be_written_to(folder: Path) -> None:
    assert [found.level for found in findings() if found.check == "archive"] == [Level.OK]
    with override_settings(BEATKEEPER={"ARCHIVE_DIR": str(folder / "missing")}):
        config.cache_clear()
        [warned] = [found for found in findings() if found.check == "archive"]
    assert warned.level is Level.WARN
    assert str(folder / "missing") in warned.text


@pytest.mark.parametrize("value", ["archive", "./archive", 7, None])
def test_a_folder_that_is_no_absolute_path_is_refused(value: object) -> None:
    with pytest.raises(InvalidFieldError, match="ARCHIVE_DIR"):
        parse({"ARCHIVE_DIR": value})


def test_what_a_killed_process_left_behind_is_removed(folder: Path) -> None:
    ended_run()
    (folder / f".{NAME}.0123").write_text("half a file")
    assert prune_partitions(NOW) == [NAME]
    assert [file.name for file in folder.iterdir()] == [f"{NAME}.csv.gz"]


def test_a_day_that_takes_longer_to_examine_than_a_statement_may_is_examined(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [old_day] = [partition for partition in partitions.partitions() if partition.name == NAME]
    monkeypatch.setattr(partitions, "_EXAMINE", "SELECT false, NULL FROM pg_sleep(0.4)")
    with Elsewhere() as there:
        there.do(sql, "SET statement_timeout = '200ms'")
        assert there.do(prune._is_over, old_day, NOW)
