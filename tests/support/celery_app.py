"""The Celery app of the worker's tests: the project's own, with bodies that end in every way a body can."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from celery import Task, shared_task
from celery.exceptions import Ignore, Reject, SoftTimeLimitExceeded

from jobs import current_run
from scheduler_project.celery import app
from tests.support.waiting import let_pass, wait_until

EFFECTS = "BEATKEEPER_TEST_EFFECTS"


def effect(word: str) -> None:
    """Tell in a file that a body got here: ``word key attempt pid retries``."""
    run = current_run()
    line = f"{word} {run.key if run else '-'} {run.attempt if run else 0} {os.getpid()}\n"
    with open(os.environ[EFFECTS], "a") as file:
        file.write(line)


class OwnBase(Task):
    """A base class of the team's own."""

    abstract = True


@shared_task
def noop() -> None:
    """Nothing."""


@shared_task
def returns(value: Any = None) -> Any:
    effect("returns")
    return value


@shared_task
def returns_made(kind: str) -> Any:
    """Results that JSON or PostgreSQL cannot take as they are."""
    made: dict[str, Any] = {
        "nul": "a\x00b",
        "surrogate": "\ud800",
        "nan": [float("nan"), float("inf")],
        "large": "x" * 1_000_000,
        "object": object(),
    }
    return made[kind]


@shared_task
def fails(message: str = "told to fail", repeat: int = 1) -> None:
    effect("fails")
    raise RuntimeError(message.replace("NUL", "\0") * repeat)


class OwnError(Exception):
    """A team's own, which cannot be made again from its arguments, as pickle would."""

    def __init__(self, code: int, *, reason: str) -> None:
        super().__init__(f"{code}: {reason}")


@shared_task(dont_autoretry_for=(OwnError,))
def fails_in_its_own_way() -> None:
    raise OwnError(7, reason="out of paper")


@shared_task(bind=True, base=OwnBase)
def fails_until(self: Any, attempt: int) -> dict[str, Any]:
    effect("fails_until")
    run = current_run()
    if run.attempt < attempt:
        raise RuntimeError("not yet")
    return {"retries": self.request.retries, "attempt": run.attempt, "key": str(run.key), "job": run.job}


@shared_task(soft_time_limit=1, time_limit=20)
def sleeps_softly(catches: bool = False) -> str:
    try:
        let_pass(15)
    except SoftTimeLimitExceeded:
        if not catches:
            raise
    return "caught"


@shared_task(time_limit=1)
def sleeps_hard() -> None:
    effect("sleeps_hard")
    while True:
        with contextlib.suppress(BaseException):  # the hard limit must end it all the same
            let_pass(15)


@shared_task
def out_of_memory() -> None:
    raise MemoryError("too much")


@shared_task(bind=True, max_retries=2)
def asks_to_retry(self: Any, countdown: float | None = 30, max_retries: int | None = None) -> None:
    effect("asks_to_retry")
    raise self.retry(exc=RuntimeError("again"), countdown=countdown, max_retries=max_retries)


@shared_task(autoretry_for=(OSError,), retry_backoff=7, retry_jitter=False, dont_autoretry_for=(KeyError,))
def autoretries(final: bool = False) -> None:
    effect("autoretries")
    raise KeyError("final") if final else OSError("again")


@shared_task
def dies(how: str) -> None:
    effect("dies")
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "exit":
        os._exit(3)
    raise SystemExit(4)


@shared_task
def ignores() -> None:
    raise Ignore("nothing to do")


@shared_task
def rejects(requeue: bool) -> None:
    raise Reject("no", requeue=requeue)


@shared_task
def sleeps(seconds: float) -> str:
    effect("begins")
    let_pass(seconds)
    effect("ends")
    return "slept"


@shared_task
def waits_to_be_asked() -> str:
    """Cooperative: for pools without processes."""
    effect("begins")
    wait_until(lambda: current_run().cancelled, timeout=20, what="the request to end")
    return "asked"


@shared_task(bind=True)
def is_replaced(self: Any) -> None:
    return self.replace(tells_headers.s("replacement").set(queue="celery"))


@shared_task
def starts_others() -> None:
    (tells_headers.si("chained") | tells_headers.si("chained")).apply_async(queue="celery", ignore_result=True)


@shared_task(bind=True, ignore_result=True)
def tells_headers(self: Any, word: str) -> None:
    """An ordinary task: what it was started by must not show."""
    headers = self.request.headers or {}
    effect(f"{word}:{'leaked' if 'jobs-run' in headers or self.request.get('jobs-run') else 'clean'}")


@shared_task(bind=True, ignore_result=True, max_retries=1)
def ordinary_retry(self: Any) -> None:
    """An ordinary task's retry is Celery's."""
    effect(f"ordinary:{self.request.retries}")
    if not self.request.retries:
        raise self.retry(countdown=0)


__all__ = ["app"]
