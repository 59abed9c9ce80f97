"""The last look at a call before the wire."""

from __future__ import annotations

import pickle

import pytest

from jobs.targets.call import Call

URL = "https://endpoint.example/hook"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Team", "billing\r\nX-Admin: yes"),
        ("X-Team", "billing\nX-Admin: yes"),
        ("X-Team", "billing\rX"),
        ("X-Team", "billing\0"),
        ("X-Team", "half a pair \ud800"),
        ("X-Team: yes\r\nX-Admin", "billing"),
        ("X Team", "billing"),
        ("X-Team:", "billing"),
        ("", "billing"),
    ],
)
def test_a_header_that_could_end_its_line_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="header"):
        Call(URL, ((name, value),), b"", 1.0)


def test_the_refusal_does_not_show_the_value() -> None:
    with pytest.raises(ValueError, match="Authorization") as refused:
        Call(URL, (("Authorization", "Bearer s3cr3t\n"),), b"", 1.0)

    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize("url", [f"{URL}\r\nX: y", f"{URL}\0"])
def test_a_url_with_a_line_break_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        Call(url, (), b"", 1.0)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_call_without_a_deadline_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="deadline"):
        Call(URL, (), b"", seconds)


def test_the_repr_shows_neither_headers_nor_body_nor_secrets() -> None:
    call = Call(URL, (("Authorization", "Bearer s3cr3t"),), b"s3cr3t body", 1.0, ("s3cr3t",))

    assert repr(call) == f"Call(url={URL!r}, seconds=1.0, only_once=False)"


def test_a_call_goes_through_pickle() -> None:
    call = Call(URL, (("X-Team", "billing"),), b"{}", 1.0, ("s3cr3t",))

    assert pickle.loads(pickle.dumps(call)) == call
