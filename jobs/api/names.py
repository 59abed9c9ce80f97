"""Parts of paths: a job's name, a run key, an operation's name. What is not of their form is not found."""

from __future__ import annotations

from typing import Annotated

from django.urls import register_converter
from ninja import Path

from jobs.documents import OPERATION_PREFIX
from jobs.domain.definition import NAME
from jobs.domain.messages import RunKey
from jobs.errors import NotFoundError


class _Name:
    regex = NAME.pattern

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class _Run(_Name):
    regex = "[0-9]{1,19}-[0-9]{1,19}"


class _Operation(_Name):
    regex = f"{OPERATION_PREFIX}{_Run.regex}"


class _Group(_Name):
    regex = "[0-9a-f]{12}"


for _converter, _type_name in ((_Name, "jobname"), (_Run, "runkey"), (_Operation, "operation"), (_Group, "group")):
    register_converter(_converter, _type_name)

JobName = Annotated[str, Path(pattern=f"^{_Name.regex}$", description="The job's name.", examples=["nightly-report"])]
RunName = Annotated[str, Path(pattern=f"^{_Run.regex}$", description="The run's key.", examples=["7-1767225600000000"])]
OperationName = Annotated[str, Path(pattern=f"^{_Operation.regex}$", examples=["op_7-1767225600000000"])]
GroupName = Annotated[str, Path(pattern=f"^{_Group.regex}$", description="The fingerprint of an error.")]


def run_key(text: str) -> RunKey:
    """The key that a path names; NotFoundError where there can be no such run."""
    try:
        key = RunKey.parse(text)
    except ValueError as error:
        raise NotFoundError(str(error)) from None
    if key.job_id >= 2**63:
        raise NotFoundError(f"There is no run {key}.")
    return key


def operation_key(name: str) -> RunKey:
    """The run of an operation."""
    return run_key(name.removeprefix(OPERATION_PREFIX))
