"""The demo's receiver: what it trusts, and how it answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobs.targets.signing import new_secret
from scheduler_project.demo import received
from scheduler_project.demo.received import Received
from scheduler_project.demo.receiver import Receiver, application
from tests.unit.demo.signed import KEY, SECRET, environ, headers, now


class Client:
    """Calls a receiver without a server."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.receiver = Receiver(SECRET, pause=self.waits.append)
        self.status, self.headers = "", {}

    def __call__(self, path: str, given: dict[str, str] | None = None, **request: Any) -> str:
        def start_response(status: str, answer_headers: list[tuple[str, str]], *_: Any) -> Any:
            self.status, self.headers = status, dict(answer_headers)

        given = headers() if given is None else given
        return b"".join(self.receiver(environ(path, given, **request), start_response)).decode()

    def document(self, path: str, given: dict[str, str] | None = None, **request: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(path, given, **request))
        return found


@pytest.fixture
def client() -> Client:
    return Client()


def test_a_signed_call_has_its_effect_once_however_often_it_comes(client: Client) -> None:
    assert client.document("/ok") == {"key": KEY, "attempt": "1", "effect": "done"}
    assert client.document("/ok")["effect"] == "already done"
    assert client.document("/ok", headers("another"))["effect"] == "done"


def badly_signed() -> dict[str, dict[str, str]]:
    """Made when they are used: their timestamps grow old."""
    good = headers()
    return {
        "no headers": {},
        "no signature": {"idempotency-key": KEY},
        "wrong": good | {"webhook-signature": "v1,AAAA"},
        "no version": good | {"webhook-signature": good["webhook-signature"].removeprefix("v1,")},
        "another id": good | {"webhook-id": "another"},
        "another secret": headers(secret=new_secret()),
        "another body": headers(body=b"{}"),
        "no time": good | {"webhook-timestamp": "soon"},
        "endless time": good | {"webhook-timestamp": "9" * 5000},
        "too old": headers(timestamp=now() - 400),
        "from the future": headers(timestamp=now() + 400),
    }


@pytest.mark.parametrize("case", badly_signed())
def test_a_call_that_is_not_signed_as_it_should_be_is_refused_and_has_no_effect(client: Client, case: str) -> None:
    assert "signature" in client.document("/ok", badly_signed()[case])["error"]
    assert client.status == "401 Unauthorized"
    assert client.document("/ok")["effect"] == "done"


def test_one_good_signature_among_several_is_enough(client: Client) -> None:
    given = headers()
    client("/ok", given | {"webhook-signature": f"v1,AAAA {given['webhook-signature']} v1a,BBBB"})
    assert client.status == "200 OK"


def test_a_repeated_call_under_another_idempotency_key_is_the_same_call(client: Client) -> None:
    client("/ok")
    assert client.document("/ok", headers() | {"idempotency-key": "another"})["effect"] == "already done"


def test_the_flaky_path_refuses_twice_a_key_says_when_to_come_back_and_recovers(client: Client) -> None:
    for _ in range(2):
        client("/flaky")
        assert (client.status, client.headers["Retry-After"]) == ("503 Service Unavailable", "3")
    assert client.document("/flaky")["effect"] == "done"
    client("/flaky", headers("another"))
    assert client.status == "503 Service Unavailable"


def test_the_slow_path_takes_its_time(client: Client) -> None:
    assert client.document("/slow")["effect"] == "done"
    assert client.waits == [4.0]


def test_the_gone_path_is_gone(client: Client) -> None:
    client("/gone")
    assert client.status == "410 Gone"


@pytest.mark.parametrize(
    ("path", "request_", "status"),
    [
        ("/nowhere", {}, "404 Not Found"),
        ("/ok", {"method": "GET"}, "405 Method Not Allowed"),
        ("/ok", {"body": b"x" * 300_000}, "413 "),
    ],
)
def test_what_it_does_not_take_is_refused(client: Client, path: str, request_: dict[str, Any], status: str) -> None:
    assert client.document(path, **request_)["error"]
    assert client.status.startswith(status)


def test_the_page_lists_the_last_calls_and_obeys_no_strangers_text(client: Client) -> None:
    client("/ok")
    client("/ok", {"idempotency-key": "<script>"})
    page = client("/", {}, method="GET", body=b"")
    assert page.index("&lt;script&gt;") < page.index(KEY)
    assert "<script>" not in page
    assert 'class="unverified">unverified<td>401' in page
    assert 'class="verified">verified<td>200' in page


def test_one_line_a_call_is_logged_and_holds_no_secret(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    given = headers()
    client("/ok", given)
    client("/ok", {"idempotency-key": "a\nb"})
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"POST /ok key='{KEY}' attempt='1' verified: 200",
        r"POST /ok key='a\nb' attempt='' UNVERIFIED: 401",
    ]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received, "KEYS", 3)
    memory = Received()
    for number in range(100):
        call = memory.arrived("/ok", str(number), "1", is_verified=True)
        memory.take_effect(call.key)
        memory.answered(call, 200)
    assert len(memory.last()) == received.SHOWN
    assert memory.last()[0][0].key == "99"
    assert not memory.take_effect("99")
    assert memory.take_effect("1")


def test_without_a_secret_it_does_not_start_and_says_why() -> None:
    with pytest.raises(SystemExit, match="BEATKEEPER_DEMO_SECRET is not set"):
        application({})
