"""The receivers in ``docs/how-to/verify-signatures.md`` are taken from that page and given calls of the product."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.local.config import ROOT
from jobs.domain.http_body import Facts
from jobs.domain.messages import RunKey
from jobs.sealing import seal
from jobs.store.http_targets import Target
from jobs.targets.call import Call
from jobs.targets.compose import compose
from jobs.targets.signing import new_secret
from scheduler_project.demo import verify as ours
from tests.unit.demo.signed import KEY, SECRET, now

PAGE = (ROOT / "docs" / "how-to" / "verify-signatures.md").read_text()
Verify = Callable[[str, Mapping[str, str], bytes], bool]


def snippet(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, name
    return found[1]


def call(*, seconds_ago: int = 0, secret: str = SECRET) -> Call:
    """As a worker composes it, with a text that is not ASCII in its body."""
    target = Target("e", "https://example.org/", True, 30.0, (), {"note": "Grüße, {{ run }}"}, "", seal(secret))
    facts = Facts(KEY, "a-job", RunKey.parse(KEY).scheduled_for, 1)
    return compose(target, facts, timestamp=now() - seconds_ago)


def received(made: Call) -> tuple[dict[str, str], bytes]:
    return {name.lower(): text for name, text in made.headers}, made.body


def cases() -> dict[str, tuple[bool, dict[str, str], bytes]]:
    """Whether to be trusted, headers, body. Made when they are used: their timestamps grow old."""
    headers, body = received(call())
    unsigned = {name: text for name, text in headers.items() if not name.startswith("webhook-")}
    return {
        "good": (True, headers, body),
        "four minutes old": (True, *received(call(seconds_ago=240))),
        "several signatures": (True, headers | {"webhook-signature": f"v1,AAAA {headers['webhook-signature']}"}, body),
        "too old": (False, *received(call(seconds_ago=360))),
        "from the future": (False, *received(call(seconds_ago=-360))),
        "another secret": (False, *received(call(secret=new_secret()))),
        "another body": (False, headers, body + b" "),
        "another id": (False, headers | {"webhook-id": "another"}, body),
        "another time": (False, headers | {"webhook-timestamp": str(now() - 30)}, body),
        "no time": (False, headers | {"webhook-timestamp": "1e9"}, body),
        "no signature": (False, headers | {"webhook-signature": ""}, body),
        "signature not ASCII": (False, headers | {"webhook-signature": "v1,Grüße"}, body),
        "no headers": (False, unsigned, body),
    }


@pytest.fixture
def python() -> Verify:
    names: dict[str, Any] = {}
    exec(compile(snippet("python: verify"), "verify-signatures.md", "exec"), names)
    verify: Verify = names["verify"]
    return verify


@pytest.mark.parametrize("case", cases())
def test_the_python_receiver_trusts_what_is_signed_and_nothing_else(python: Verify, case: str) -> None:
    is_good, headers, body = cases()[case]
    assert python(SECRET, headers, body) is is_good


def test_the_demos_receiver_has_the_python_function_of_the_page() -> None:
    function = snippet("python: verify").partition("\n\n\n")[2]
    assert ours.__file__ is not None
    assert function in Path(ours.__file__).read_text()


def test_each_receiver_is_ten_lines_long_at_most() -> None:
    for name, head in (("python: verify", "def verify"), ("node: verify", "function verify")):
        assert len((head + snippet(name).partition(head)[2]).strip().splitlines()) <= 10
