"""deploy/docker/env makes the passwords, once."""

from __future__ import annotations

import base64
import re
import stat
import subprocess
from pathlib import Path

from deploy.local import envfile
from deploy.local.config import ROOT


def _make(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "deploy" / "docker" / "env", file], capture_output=True, text=True)


def test_makes_every_secret_that_compose_asks_for(tmp_path: Path) -> None:
    _make(tmp_path / ".env")

    made = envfile.parse((tmp_path / ".env").read_text())
    asked = re.findall(r"\$\{(BEATKEEPER_\w*(?:PASSWORD|SECRET_KEY|SECRET))", (ROOT / "docker-compose.yml").read_text())
    assert made.keys() - {"COMPOSE_PROFILES"} == set(asked)


def test_secrets_are_long_and_all_different(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _make(tmp_path / name)

    one, two = (envfile.parse((tmp_path / name).read_text()) for name in ("one", "two"))
    secrets = [value for made in (one, two) for name, value in made.items() if name.startswith("BEATKEEPER_")]
    assert len(set(secrets)) == len(secrets)
    assert min(map(len, secrets)) >= 16
    assert len(base64.b64decode(one["BEATKEEPER_DEMO_SECRET"].removeprefix("whsec_"), validate=True)) == 32


def test_is_readable_by_its_owner_alone_and_leaves_no_draft(tmp_path: Path) -> None:
    _make(tmp_path / ".env")

    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [".env"]


def test_an_existing_file_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    _make(file)
    before = file.read_bytes()

    again = _make(file)

    assert again.returncode == 0
    assert "stays as it is" in again.stdout
    assert file.read_bytes() == before


def test_an_existing_file_that_lacks_a_secret_is_left_alone_and_the_secret_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("BEATKEEPER_SECRET_KEY=mine\nBEATKEEPER_REDIS_PASSWORD=\n")

    result = _make(file)

    assert result.returncode == 1
    assert "BEATKEEPER_REDIS_PASSWORD" in result.stderr
    assert "BEATKEEPER_SECRET_KEY" not in result.stderr
    assert file.read_text() == "BEATKEEPER_SECRET_KEY=mine\nBEATKEEPER_REDIS_PASSWORD=\n"


def test_git_does_not_see_it() -> None:
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()
