"""``jobs --server``: what is refused before anything is sent. No database is at hand here."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from django.core.management import call_command

URL = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEATKEEPER_TOKEN", "bk_token")


def refusal(*arguments: str) -> str:
    """The one line on stderr of a command that ends with 1."""
    err = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("jobs", "--server", *arguments, stdout=StringIO(), stderr=err)
    assert caught.value.code == 1
    assert err.getvalue().count("\n") == 1
    return err.getvalue()


@pytest.mark.parametrize("verb", [["tokens"], ["dead"], ["dead-letters"]])
def test_a_verb_of_the_database_says_where_to_run_it(verb: list[str]) -> None:
    assert f"`{verb[0]}` does not go with --server: run it where the database is" in refusal(URL, *verb)


def test_without_a_token_it_says_where_to_put_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEATKEEPER_TOKEN")
    assert "environment variable BEATKEEPER_TOKEN; there, `jobs tokens make" in refusal(URL, "list")


def test_without_the_extra_it_says_which_one_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("jobs.client")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert 'Install the extra "client": pip install "/path/to/beatkeeper[client]"' in refusal(URL, "list")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "--after", "a"), "raise --limit"),
        (("preview", "--stdin"), "leave --server out"),
        (("preview", "job", "--tz", "UTC"), "--tz UTC goes with --cron"),
        (("replay",), "Name runs by their keys, or a group"),
        (("run", "job", "--kwargs", "{"), "kwargs"),
        (("cancel", "7"), "'7' is not the key of a run"),
        (("show", "Nightly"), "'Nightly' is not the name of a job"),
    ],
)
def test_what_cannot_be_asked_of_a_server_says_what_to_do(arguments: tuple[str, ...], words: str) -> None:
    assert words in refusal(URL, *arguments)


def test_an_address_that_is_none_is_named() -> None:
    assert "'localhost' is no server's address" in refusal("localhost", "list")
