"""The environment of the peers is built when it must be, and only then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.local import bench, config
from deploy.local.errors import LocalError


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """None at all, so that building asks no registry."""
    file = tmp_path / "bench.txt"
    file.write_text("# nothing\n")
    monkeypatch.setattr(bench, "REQUIREMENTS", file)
    return file


@pytest.fixture
def python(tmp_path: Path, requirements: Path) -> Callable[[], Path]:
    """Ask for the peers' Python."""
    return lambda: bench.peers_python(config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path / "local")}))


def test_environment_is_built_once_and_anew_when_its_requirements_change(
    requirements: Path, python: Callable[[], Path], capfd: pytest.CaptureFixture[str]
) -> None:
    marker = python().parent / "marker"
    marker.touch()
    python()
    assert marker.exists()

    requirements.write_text("# changed\n")
    python()

    assert not marker.exists()
    assert capfd.readouterr().out.count("Installing the peers") == 2


def test_environment_that_could_not_be_filled_is_not_taken_for_whole(
    requirements: Path, python: Callable[[], Path], capfd: pytest.CaptureFixture[str]
) -> None:
    requirements.write_text("unhashed\n")
    for _ in range(2):
        with pytest.raises(LocalError, match="could not be installed"):
            python()
