"""A program that asks for runs by hand, as a web process would: ``python -m … JOB RUNS_PER_SECOND``.

The key of each run that it was promised goes to a file. A request that fails is not repeated: nothing was promised.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django

ASKED = "BEATKEEPER_TEST_ASKED"


def main(name: str, per_second: float) -> None:
    """Ask until killed."""
    django.setup()
    from tests.support import stack_app  # noqa: F401  # the app that has the bodies' tasks
    from tests.support.waiting import let_pass

    with Path(os.environ[ASKED]).open("a", buffering=1) as promised:
        while True:
            if key := _ask(name):
                promised.write(f"{key}\n")
            let_pass(1 / per_second)


def _ask(name: str) -> str:
    from django.db import DatabaseError, connection

    from jobs.models import Job
    from jobs.services.run import run_job

    try:
        return str(run_job(Job.objects.get(name=name)))
    except DatabaseError as error:
        print(f"not asked: {error!r}", flush=True)
        connection.close()
        return ""


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
