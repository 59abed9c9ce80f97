"""What the image holds and how its processes start."""

from __future__ import annotations

import os
import re
import stat

import pytest

from deploy.local.config import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]


def test_packages_are_installed_by_their_hashes_alone() -> None:
    assert "install --no-cache-dir --require-hashes -r /tmp/base.txt" in DOCKERFILE
    assert "index-url" not in DOCKERFILE


def test_base_image_is_pinned_and_needs_no_other_to_be_fetched() -> None:
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"python:3.13-slim"}
    assert not DOCKERFILE.startswith("# syntax")


def test_processes_start_directly_as_a_user_of_fixed_number() -> None:
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert re.findall(r"^CMD (.)", DOCKERFILE, re.MULTILINE) == ["["]
    assert "ENTRYPOINT" not in DOCKERFILE


def test_nothing_gets_into_the_image_but_what_is_named() -> None:
    assert IGNORED[0] == "*"
    named = {line.removeprefix("!") for line in IGNORED[1:] if line.startswith("!")}

    assert named == {
        *("jobs", "scheduler_project", "manage.py", "requirements/base.txt"),
        *("deploy/__init__.py", "deploy/docker", "deploy/rabbitmq"),
    }


@pytest.mark.parametrize("name", ["env", "prepare", "worker"])
def test_scripts_can_be_executed(name: str) -> None:
    path = ROOT / "deploy" / "docker" / name

    assert stat.S_IMODE(os.stat(path).st_mode) & 0o111
    assert path.read_text().startswith("#!/bin/sh\n")


def test_worker_becomes_celery_so_that_sigterm_reaches_it() -> None:
    assert re.search(r"^exec celery ", (ROOT / "deploy" / "docker" / "worker").read_text(), re.MULTILINE)
