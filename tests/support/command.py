"""``manage.py jobs``, called in this process."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command


def jobs(*arguments: str) -> str:
    """What the command writes."""
    out = StringIO()
    call_command("jobs", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def documents(*arguments: str) -> list[dict[str, Any]]:
    """The JSON documents that the command writes, one a line."""
    return [json.loads(line) for line in jobs(*arguments, "--json").splitlines()]


def refusal(*arguments: str) -> str:
    """The one line on stderr of a command that ends with 1."""
    err = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("jobs", *arguments, stdout=StringIO(), stderr=err)
    assert caught.value.code == 1
    assert err.getvalue().count("\n") == 1
    return err.getvalue().strip()
