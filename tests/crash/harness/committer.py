"""A program that asks for runs inside transactions that commit late, or never: ``python -m … JOB TRANSACTIONS``.

Every second one is rolled back. For each a line goes to a file: the run's key, and when it was committed (0: never).
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django

COMMITTED = "BEATKEEPER_TEST_COMMITTED"
_AT_ONCE = 10
_LATE = 0.2  # s between the request and the commit


class UnwantedError(Exception):
    """Rolls a transaction back."""


def main(name: str, transactions: int) -> None:
    django.setup()
    from tests.support import stack_app  # noqa: F401  # the app that has the bodies' tasks

    with ThreadPoolExecutor(_AT_ONCE) as threads, Path(os.environ[COMMITTED]).open("a", buffering=1) as told:
        for line in threads.map(lambda number: _transaction(name, is_wanted=number % 2 == 0), range(transactions)):
            told.write(line)


def _transaction(name: str, *, is_wanted: bool) -> str:
    from django.db import transaction

    from jobs.models import Job
    from jobs.services.run import run_job
    from tests.support.waiting import let_pass

    try:
        with transaction.atomic():
            key = run_job(Job.objects.get(name=name))
            let_pass(_LATE)
            if not is_wanted:
                raise UnwantedError
            before_commit = time.time()
    except UnwantedError:
        return f"{key} 0\n"
    return f"{key} {before_commit}\n"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
