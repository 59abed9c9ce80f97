"""A standby that streams without being waited for becomes the primary, under load (I1, I2, I3)."""

from __future__ import annotations

import time

import pytest

from jobs.domain.messages import RunKey
from tests.crash import scenarios
from tests.crash.harness.checks import check_all
from tests.crash.harness.database import standby_of
from tests.crash.harness.live import Live
from tests.crash.harness.load import asked_file, asked_keys, steady
from tests.support.waiting import let_pass

pytestmark = pytest.mark.timeout(300)
_LATEST = 1.0  # s before the end of the old primary: what it did then may not have reached the standby


@pytest.mark.parametrize("how", ["is stopped", "is killed"])
def test_a_promoted_standby_goes_on_with_all_that_it_has(live: Live, how: str) -> None:
    """A stopped primary has sent all it had; a killed one at least what it did a second ago."""
    primary = live.servers.database
    line = live.proxy_to("DATABASE_URL")
    live.environment |= line.environment
    with standby_of(primary) as standby:
        live.beats(2)
        live.worker()
        with steady(live, kwargs={"seconds": 0.3}) as load:
            live.until_started(5)
            term, at = live.term(), time.time()
            (primary.kill if how == "is killed" else primary.stop)()
            standby.promote()
            line.lead_to(standby.url("postgres"))
            live.database_url = standby.url(live.vhost)
            back = scenarios.until_next_slot(live, time.time())
            let_pass(5)
        print(f"recovered after {back:.1f} s")
        assert live.term() > term
        late = _latest(live, at) if how == "is killed" else set()
        _forget_promises(live, late)
        check_all(live, load.window, excused=late)
    live.database_url = primary.url(live.vhost)


def _latest(live: Live, at: float) -> set[str]:
    """The runs that something happened to just before."""
    told = {line.key for line in live.lines() if at - _LATEST < line.at <= at}
    asked = {key for key in asked_keys(live) if RunKey.parse(key).scheduled_for.timestamp() > at - _LATEST}
    return told | asked


def _forget_promises(live: Live, late: set[str]) -> None:
    """A promise that went down with the old primary is no breach: nobody waited for the standby."""
    kept = [f"{key}\n" for key in asked_keys(live) if key not in late]
    asked_file(live).write_text("".join(kept))
