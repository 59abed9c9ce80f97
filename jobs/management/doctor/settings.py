"""The settings of this process."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.checks import run_checks

from jobs.conf import config
from jobs.domain.schedules import tzdata_version
from jobs.management.doctor.finding import Finding, fault, ok


def findings() -> Iterator[Finding]:
    """Django's system checks, ours among them."""
    refused = [problem for problem in run_checks() if problem.is_serious()]
    for problem in refused:
        yield fault("settings", problem.msg, problem.hint or "Correct the setting and start every process again.")
    if not refused:
        yield ok("settings", f"The settings are valid; time zone rules {tzdata_version()} are installed here.")
        yield _egress()


def _egress() -> Finding:
    """Which addresses HTTP jobs may call beside public ones."""
    allowed = ", ".join(str(network) for network in config().egress_allow)
    return ok(
        "egress",
        f"HTTP jobs call public addresses{f', and those of {allowed} (EGRESS_ALLOW)' if allowed else ' only'}.",
    )
