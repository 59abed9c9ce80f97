"""What a leader does in a tick: bounded steps, each shielded from the failure of another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from django.db import connection

from jobs import log
from jobs.beat.clock_watch import Holds
from jobs.clock import monotonic
from jobs.errors import FencedError
from jobs.services.announce import announce
from jobs.services.count_gaps import count_gaps
from jobs.services.emit import LOCKED_FOR, emit_due, report_locked
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.plan import plan_waiting
from jobs.services.reap import reap_expired, sweep_missed
from jobs.services.replan import ZoneRules
from jobs.store.look import Look
from jobs.store.terms import Term

# The most a tick spends on one kind of work before it turns to the others.
STEP_SECONDS = 0.5
SWEEP_SECONDS = 60.0
REPORT_SECONDS = 10.0


class Steps:
    """The steps of one term. ``keep_term`` is called between batches and raises when the term is lost, ``on_emitted``
    after each batch that made runs.

    What belongs to no shard is the first one's leader's: leases, missed runs, webhooks, gaps to count, zone rules. A
    look at another shard shows nothing of them. The partitions are everyone's, since none can emit without them.
    """

    def __init__(
        self, term: Term, holds: Holds, *, keep_term: Callable[[], None], on_emitted: Callable[[], None]
    ) -> None:
        self._term = term
        self._holds = holds
        self._keep_term = keep_term
        self._on_emitted = on_emitted
        self._zone_rules = ZoneRules()
        self._partitions_made_on: date | None = None
        self._sweep_at: dict[str, float] = {}
        self._report_at = 0.0
        self._was_cut_short = False
        self.failed = False

    def run(self, seen: Look) -> int:
        """Do what the look showed; returns how much was done. ``failed`` tells whether a step did not work out."""
        self.failed = False
        done = self._step("partitions", lambda: self._ensure_partitions(seen))
        if self._term.is_first and self._zone_rules.is_open:
            done += self._step("replan", self._zone_rules.replan)
        if seen.is_unplanned:
            done += self._repeat("plan", lambda: plan_waiting(self._term))
        if self._holds.may_emit and (done or seen.is_due):
            done += self._emit(seen)
        return done + (self._keep_house(seen) if self._term.is_first else 0)

    def _keep_house(self, seen: Look) -> int:
        done = self._reap(seen) if self._holds.may_reap else 0
        done += self._announce(seen)
        if seen.is_uncounted:
            # Not a reason for the next tick to follow at once: after a long outage there is a lot to count.
            self._step("count_gaps", count_gaps)
        return done

    def _ensure_partitions(self, seen: Look) -> int:
        if self._partitions_made_on == seen.now.date():
            return 0
        total = 0
        while made := ensure_partitions(seen.now, within=STEP_SECONDS):
            total += made
            self._keep_term()
        self._partitions_made_on = seen.now.date()
        return total

    def _emit(self, seen: Look) -> int:
        done = self._repeat("emit", self._emit_batch)
        if self.failed:
            self._partitions_made_on = None  # a partition may have been dropped by hand: look again
            return done
        # While there is more to emit than a tick has time for, what is due for long need not be locked.
        is_overdue = seen.next_due is not None and seen.next_due < seen.now - LOCKED_FOR
        if is_overdue and not self._was_cut_short and monotonic() >= self._report_at:
            self._report_at = monotonic() + REPORT_SECONDS
            self._step("report_locked", lambda: report_locked(self._term, now=seen.now))
        return done

    def _emit_batch(self) -> int:
        emitted = emit_due(self._term)
        if emitted.runs:
            self._on_emitted()
        return emitted.cursors

    def _reap(self, seen: Look) -> int:
        """The recent partitions when something was seen in them; all of them once a minute."""
        everywhere = self._is_sweep_due("reap")
        done = 0
        if everywhere or seen.is_lease_lost:
            done += self._repeat("reap", lambda: reap_expired(everywhere=everywhere))
        if everywhere or seen.is_missed:
            done += self._repeat("sweep_missed", lambda: sweep_missed(everywhere=everywhere))
        return done

    def _announce(self, seen: Look) -> int:
        everywhere = self._is_sweep_due("announce")
        if not (everywhere or seen.is_unannounced):
            return 0
        return self._repeat("announce", lambda: announce(self._term, everywhere=everywhere))

    def _is_sweep_due(self, what: str) -> bool:
        """Whether all partitions are to be looked at: once a minute."""
        is_due = monotonic() >= self._sweep_at.get(what, 0.0)
        if is_due:
            self._sweep_at[what] = monotonic() + SWEEP_SECONDS
        return is_due

    def _repeat(self, name: str, batch: Callable[[], int]) -> int:
        """Do batches until none is left or the step's time is over."""
        stop_at = monotonic() + STEP_SECONDS
        total, self._was_cut_short = 0, False
        while not self._was_cut_short and (done := self._step(name, batch)):
            total += done
            self._was_cut_short = monotonic() >= stop_at
        return total

    def _step(self, name: str, do: Callable[[], int]) -> int:
        self._keep_term()
        try:
            return do()
        except FencedError:
            raise
        except Exception as error:
            if not connection.is_usable():
                raise
            self.failed = True
            log.error("beat.step_failed", step=name, error=repr(error))
            return 0
