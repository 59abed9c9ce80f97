"""The test of an endpoint: what goes out, what is shown, who may."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client

from jobs.conf import config
from jobs.models import Endpoint
from jobs.sealing import seal
from jobs.services import try_endpoint as service
from jobs.targets.call import Call
from jobs.targets.signing import signature
from tests.support.factories import make_endpoint

SECRET = "whsec_" + "c2VjcmV0" * 4
TOKEN = "s3cr3t-of-the-endpoint"


class _Hook(BaseHTTPRequestHandler):
    """Notes what it is sent, and answers with it, secrets included."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append((dict(self.headers), body))  # type: ignore[attr-defined]
        answer = json.dumps({"seen": self.headers.get("X-Given", ""), "ok": "<b>yes</b>"}).encode()
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def hook(settings: Any) -> Iterator[Any]:
    """A receiver on this machine, which the settings allow to be called."""
    settings.BEATKEEPER = {"EGRESS_ALLOW": ["127.0.0.1/32"]}
    config.cache_clear()
    server: Any = HTTPServer(("127.0.0.1", 0), _Hook)
    server.calls, server.status, server.url = [], 200, f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def page(endpoint: Endpoint) -> str:
    return f"/admin/jobs/endpoint/{endpoint.pk}/try/"


@pytest.mark.django_db(transaction=True)
def test_b154_it_calls_as_a_run_does_and_shows_request_and_answer_without_secrets(
    admin_client: Client, hook: Any, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = make_endpoint(
        name="billing",
        url=hook.url,
        headers={"X-Team": "billing"},
        sealed_secret=seal(SECRET),
        sealed_headers=seal(json.dumps({"X-Given": TOKEN})),
    )
    assert page(endpoint) in admin_client.get(f"/admin/jobs/endpoint/{endpoint.pk}/change/").content.decode()
    response = admin_client.post(page(endpoint), {"body": '{"key": "{{ run }}"}'})

    ((headers, body),) = hook.calls
    key = headers["Idempotency-Key"]
    assert key.startswith("test-")
    assert json.loads(body) == {"key": key}
    assert (headers["X-Team"], headers["X-Given"]) == ("billing", TOKEN)
    assert headers["webhook-signature"] == signature(
        SECRET, message_id=key, timestamp=int(headers["webhook-timestamp"]), body=body
    )
    shown = response.content.decode()
    for word in (f"POST {hook.url}", "X-Team: billing", "X-Given: •••", key, "200 OK", "127.0.0.1", "application/json"):
        assert word in shown
    assert "&lt;b&gt;yes&lt;/b&gt;" in shown
    history = LogEntry.objects.get().change_message
    assert "Test call: HTTP 200 in" in history
    for word in (TOKEN, SECRET):
        assert word not in shown + history + caplog.text


@pytest.mark.parametrize("is_emptied", [True, False])
def test_the_standard_body_is_offered_and_sent_where_none_is_typed(
    admin_client: Client, hook: Any, is_emptied: bool
) -> None:
    endpoint = make_endpoint(url=hook.url, enabled=False)
    offered = admin_client.get(page(endpoint)).context["form"]["body"].value()
    admin_client.post(page(endpoint), {"body": "" if is_emptied else offered})
    ((headers, body),) = hook.calls
    assert json.loads(body).keys() == {"run", "job", "scheduled_for", "attempt"}
    assert (json.loads(body)["run"], json.loads(body)["attempt"]) == (headers["Idempotency-Key"], 1)
    assert headers["Beatkeeper-Job"] == "test"


def test_an_answer_that_is_no_success_is_shown_as_it_is(admin_client: Client, hook: Any) -> None:
    hook.status = 503
    response = admin_client.post(page(make_endpoint(url=hook.url)), {"body": "{}"})
    assert response.context["answer"].status == 503
    assert "Test call: HTTP 503 in" in LogEntry.objects.get().change_message


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/hook", "http://localhost:{port}/hook", "http://127.1:{port}/"]
)
def test_b136_an_address_that_is_not_allowed_is_not_called(
    admin_client: Client, hook: Any, settings: Any, url: str
) -> None:
    """B136, at the test button, for an endpoint written past the check."""
    endpoint = make_endpoint()
    Endpoint.objects.update(url=url.format(port=hook.server_port))
    settings.BEATKEEPER = {}
    config.cache_clear()
    response = admin_client.post(page(endpoint), {"body": "{}"})
    assert response.context["failure"].kind == "refused_address"
    assert "a loopback address" in response.content.decode()
    assert hook.calls == []


@pytest.mark.parametrize(
    ("body", "said"),
    [("{", "is not JSON"), ('{"a": "{{ order }}"}', "is no placeholder"), ("[NaN]", "is not a JSON number")],
)
def test_a_body_that_cannot_be_sent_is_refused_at_its_field(
    admin_client: Client, hook: Any, body: str, said: str
) -> None:
    response = admin_client.post(page(make_endpoint(url=hook.url)), {"body": body})
    assert said in response.context["form"].errors["body"][0]
    assert hook.calls == []


def test_unreadable_secrets_are_said_and_nothing_is_called(admin_client: Client, hook: Any) -> None:
    endpoint = make_endpoint(url=hook.url, sealed_secret="gAAAA-of-another-key")
    response = admin_client.post(page(endpoint), {"body": "{}"})
    assert "sealed with another SECRET_KEY" in response.context["refused"]
    assert hook.calls == []


def test_it_takes_the_permission_to_change_a_post_and_the_form_s_token(member: Any, admin_user: Any, hook: Any) -> None:
    endpoint = make_endpoint(url=hook.url)
    viewer = member("view_endpoint")
    assert viewer.get(page(endpoint)).status_code == 403
    assert viewer.post(page(endpoint), {"body": "{}"}).status_code == 403
    assert page(endpoint) not in viewer.get(f"/admin/jobs/endpoint/{endpoint.pk}/change/").content.decode()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    assert strict.get(page(endpoint)).status_code == 200
    assert strict.post(page(endpoint), {"body": "{}"}).status_code == 403
    assert hook.calls == []


@pytest.mark.django_db(transaction=True)
def test_the_call_is_made_outside_of_any_transaction_and_within_ten_seconds(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, hook: Any
) -> None:
    """I9."""
    calls: list[tuple[Call, bool]] = []

    def post(call: Call) -> Any:
        calls.append((call, connection.in_atomic_block))
        return real(call)

    real = service.post
    monkeypatch.setattr(service, "post", post)
    for seconds in (60, 4):
        admin_client.post(page(make_endpoint(url=hook.url, timeout_seconds=seconds)), {"body": "{}"})
    assert [(call.seconds, is_atomic) for call, is_atomic in calls] == [(10.0, False), (4.0, False)]
