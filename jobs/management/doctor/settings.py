"""The settings of this process."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.core.checks import run_checks

from jobs.conf import config
from jobs.domain.schedules import tzdata_version
from jobs.management.doctor.finding import Finding, fault, ok, warn


def findings() -> Iterator[Finding]:
    """Django's system checks, ours among them."""
    refused = [problem for problem in run_checks() if problem.is_serious()]
    for problem in refused:
        yield fault("settings", problem.msg, problem.hint or "Correct the setting and start every process again.")
    if not refused:
        yield ok("settings", f"The settings are valid; time zone rules {tzdata_version()} are installed here.")
        yield _egress()
        yield from _archive()


def _egress() -> Finding:
    """Which addresses HTTP jobs may call beside public ones."""
    allowed = ", ".join(str(network) for network in config().egress_allow)
    return ok(
        "egress",
        f"HTTP jobs call public addresses{f', and those of {allowed} (EGRESS_ALLOW)' if allowed else ' only'}.",
    )


def _archive() -> Iterator[Finding]:
    """Whether days below the retention can be archived, and so dropped, where this runs."""
    folder = config().archive_dir
    if not folder:
        return
    if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
        yield ok("archive", f"Runs are archived to {folder} before they are dropped (ARCHIVE_DIR).")
    else:
        yield warn(
            "archive",
            f"ARCHIVE_DIR is {folder}, which is no folder that this user can write to, here: nothing would be dropped.",
            "Mount or make it for the user of each beat, or correct ARCHIVE_DIR. Run the doctor where beat runs.",
        )
