"""Which version of tzdata the jobs are planned by is noted once all of them are."""

from __future__ import annotations

import pytest

from jobs.domain.schedules import tzdata_version
from jobs.services.replan import ZoneRules
from jobs.store import state
from tests.support.factories import make_job

pytestmark = pytest.mark.django_db


def test_a_version_that_could_not_be_noted_is_noted_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a later leader with newer rules would not know that older ones had planned."""

    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    rules = ZoneRules()
    with monkeypatch.context() as patched:
        patched.setattr(state, "put", fail)
        with pytest.raises(RuntimeError):
            rules.replan()
    assert rules.is_open
    assert rules.replan() == 0
    assert state.get(state.TZDATA_VERSION) == tzdata_version()
    assert not rules.is_open


def test_where_another_version_was_noted_the_new_one_is_once_all_jobs_are_marked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "beatkeeper")
    make_job()
    state.put(state.TZDATA_VERSION, "1999a")
    rules = ZoneRules()
    assert rules.replan() == 1
    assert state.get(state.TZDATA_VERSION) == "1999a"
    assert rules.replan() == 0
    assert state.get(state.TZDATA_VERSION) == tzdata_version()
    assert caplog.text.count("schedules.replanned was=1999a") == 1


def test_a_first_leader_notes_its_version_and_speaks_of_no_change(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "beatkeeper")
    make_job()
    assert ZoneRules().replan() == 0
    assert state.get(state.TZDATA_VERSION) == tzdata_version()
    assert "schedules.replanned" not in caplog.text
