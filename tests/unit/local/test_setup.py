"""What ``make setup`` says when it cannot build ``.venv``, and what the lock files may not say."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest

from deploy.local import setup
from deploy.local.config import ROOT


def test_old_python_is_told_how_to_name_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))

    with pytest.raises(SystemExit, match=r"3\.11 or newer is needed.*make setup PYTHON="):
        setup._check_python()


def test_python_without_venv_is_told_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        setup._check_python()


@pytest.mark.parametrize("name", ["base.txt", "bench.txt", "dev.txt", "uv.txt"])
def test_lock_file_pins_and_hashes_everything_and_names_no_place(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()

    entries = re.split(r"\n(?=\w)", text)
    assert all(re.match(r"[\w.\[\],-]+==\S+", entry) and "--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"https?:|file:|--index|--find-links|(^|\s)/", text)
