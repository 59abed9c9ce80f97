"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from jobs.domain.problems import Code, Problem, Severity


class Level(StrEnum):
    """How it was found. A fault keeps runs from being made or executed, or endangers them."""

    OK = "ok"
    WARN = "warn"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """``mend`` says what to do; empty when all is well."""

    check: str
    level: Level
    text: str
    mend: str = ""


def ok(check: str, text: str) -> Finding:
    """All is well."""
    return Finding(check, Level.OK, text)


def warn(check: str, text: str, mend: str) -> Finding:
    """Runs are made and executed, but someone should look."""
    return Finding(check, Level.WARN, text, mend)


def fault(check: str, text: str, mend: str) -> Finding:
    """Someone must act."""
    return Finding(check, Level.FAULT, text, mend)


def of_problem(check: str, problem: Problem) -> Finding:
    """What is wrong with the platform, as a finding. Stuck runs are a fault, though others go on."""
    is_fault = problem.severity is Severity.DOWN or problem.code is Code.STUCK_RUNS
    return (fault if is_fault else warn)(check, problem.message, problem.what_to_do)
