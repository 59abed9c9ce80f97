"""What ``make reset`` removes, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local import config, servers
from deploy.local.config import Config
from deploy.local.errors import LocalError
from deploy.local.reset import reset


@pytest.fixture
def local(tmp_path: Path) -> Config:
    """A folder laid out for servers."""
    made = config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path / "local")})
    servers.lay_out(made)
    return made


def test_what_benches_and_soaks_left_goes_too_and_the_folder_with_it(local: Config) -> None:
    for folder in ("bench/2026-11-30T200000Z", "bench-venv/bin", "soak-1.d", "postgres/data"):
        (local.local / folder).mkdir(parents=True)
    for file in ("bench-venv.lock", "soak-1.txt", "soak-12.txt", "soak-1.d/runs.csv", "secrets.json"):
        (local.local / file).touch()

    reset(local)

    assert not local.local.exists()


def test_what_someone_else_put_there_stays_and_is_named(local: Config) -> None:
    (local.local / "soak-notes.txt").touch()
    (local.local / "benchmarks").mkdir()

    with pytest.raises(LocalError, match=r"Not ours, left in .*: benchmarks, soak-notes.txt"):
        reset(local)

    assert not local.log.exists()


def test_a_folder_that_was_not_made_here_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()

    with pytest.raises(LocalError, match="nothing was removed"):
        reset(config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path)}))

    assert (tmp_path / "log").exists()
