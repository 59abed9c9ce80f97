"""What the demo finds out about the machine and its certificates."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from scheduler_project.demo import certificates, machine

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_disk_load_and_memory_are_those_of_this_machine() -> None:
    disk = machine.disk()
    assert 0 < disk["free"] < disk["total"]
    assert 0 < disk["used_percent"] < 100
    assert machine.load()["processors"] >= 1


def test_memory_is_read_from_meminfo_and_nothing_where_there_is_none(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:        1000 kB\nMemFree: 1 kB\nMemAvailable:     250 kB\nHugePages_Total:       0\n")
    assert machine.memory(meminfo) == {"total": 1_024_000, "available": 256_000, "used_percent": 75.0}
    meminfo.write_text("nonsense\n")
    assert machine.memory(meminfo) is None
    assert machine.memory(tmp_path / "missing") is None


def test_each_certificate_of_a_bundle_is_listed_soonest_first() -> None:
    bundle = certificates.find_bundle()
    assert bundle is not None, "no CA bundle here: apt-get install ca-certificates"
    found = certificates.report(bundle, NOW)
    assert found["count"] == len(found["certificates"]) > 50
    expiries = [item["expires"] for item in found["certificates"]]
    assert expiries == sorted(expiries)
    assert all(item["name"] for item in found["certificates"])
    assert found["expired"] == sum(item["expires"] < NOW.isoformat() for item in found["certificates"])


def test_a_bare_machine_without_a_bundle_is_told_what_to_install() -> None:
    problem = certificates.report(None, NOW)["problem"]
    assert problem == "No CA bundle found; on Debian: apt-get install ca-certificates."


def test_a_bundle_that_is_none_is_reported_and_no_crash(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_text("not a certificate")
    assert certificates.report(bundle, NOW)["problem"].startswith("The bundle cannot be read: ")
