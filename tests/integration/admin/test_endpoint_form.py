"""The endpoint pages: what is saved and refused, and that no secret ever comes back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client

from jobs.admin import dead_letter, endpoint_try
from jobs.admin import endpoint as endpoint_admin
from jobs.admin.endpoint_form import fingerprint
from jobs.conf import config
from jobs.domain.answers import Failure, FailureKind
from jobs.models import DeadLetter, Endpoint, Job
from jobs.sealing import seal, unseal
from jobs.services.try_endpoint import Trial
from tests.integration.admin.conftest import errors
from tests.support.factories import make_endpoint, make_job
from tests.support.stack import ROOT

LIST, ADD = "/admin/jobs/endpoint/", "/admin/jobs/endpoint/add/"
SECRET = "whsec_" + "c2VjcmV0" * 4
HEADERS = '{"Authorization": "Bearer s3cr3t", "X-Api-Key": "k3y"}'


@pytest.fixture(autouse=True)
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs whose host was looked up; the name ``unknown.example`` is not known."""
    asked: list[str] = []

    def host_fault(url: str, **_: Any) -> str:
        asked.append(url)
        assert not connection.in_atomic_block or connection.atomic_blocks[-1]._from_testcase  # type: ignore[attr-defined]
        return 'The host "unknown.example" is not known.' if "unknown.example" in url else ""

    monkeypatch.setattr(endpoint_admin, "host_fault", host_fault)
    return asked


def form(**fields: Any) -> dict[str, Any]:
    """The form of an endpoint filled in, changed by ``fields``."""
    filled = {"name": "billing", "url": "https://api.example.com/hook", "enabled": "on", "timeout_seconds": "30"}
    return {**filled, "headers": "{}", "secret_deed": "keep", "secret_headers_deed": "keep", **fields}


def edit(endpoint: Endpoint, **fields: Any) -> dict[str, Any]:
    """The same as it is sent by who has just opened this endpoint."""
    return form(opened=fingerprint(Endpoint.objects.get(pk=endpoint.pk)), **fields)


def page(endpoint: Endpoint, verb: str = "change") -> str:
    return f"/admin/jobs/endpoint/{endpoint.pk}/{verb}/"


def stored_text() -> str:
    """The endpoints' rows and the history as they lie in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT json_agg(e)::text FROM jobs_endpoint e")
        rows = cursor.fetchone()[0]
    return str(rows) + json.dumps(list(LogEntry.objects.values_list("change_message", "object_repr")))


def test_an_endpoint_is_saved(admin_client: Client, looked_up: list[str]) -> None:
    response = admin_client.post(ADD, form(url="https://Bücher.example/hook", headers='{"X-Team": "billing"}'))

    assert response.status_code == 302
    endpoint = Endpoint.objects.get()
    assert (endpoint.url, endpoint.headers) == ("https://xn--bcher-kva.example/hook", {"X-Team": "billing"})
    assert (endpoint.sealed_secret, endpoint.sealed_headers) == ("", "")
    assert looked_up == [endpoint.url]


@pytest.mark.parametrize(
    ("field", "fields", "said"),
    [
        ("name", {"name": "Bad Name"}, 'Name "Bad Name" may hold only a-z'),
        ("url", {"url": ""}, "required"),
        ("url", {"url": "ftp://example.com/"}, "must begin with https:// or http://"),
        ("url", {"url": "https://me:s3cr3t@example.com/"}, "holds credentials"),
        ("url", {"url": "http://127.1/"}, 'Host "127.1" is an address: 127.0.0.1 is a loopback address'),
        ("url", {"url": "http://169.254.169.254/latest"}, "a metadata address of a cloud"),
        ("url", {"url": "https://unknown.example/"}, 'The host "unknown.example" is not known.'),
        ("timeout_seconds", {"timeout_seconds": "0"}, "0 is outside 1 to 3,600"),
        ("headers", {"headers": '{"X": "a\\r\\nB: c"}'}, "holds the character"),
        ("headers", {"headers": '{"Authorization": "x"}'}, "Enter it under Secret headers"),
        ("headers", {"headers": "{'a'}"}, "is not JSON"),
        ("secret_value", {"secret_deed": "replace"}, "Type the new value."),
        ("secret_value", {"secret_deed": "replace", "secret_value": "s3cr3t"}, "does not begin with whsec_"),
        ("secret_value", {"secret_value": SECRET}, "was typed, but not chosen above"),
        ("secret_deed", {"secret_deed": "remove"}, "not one of the available choices"),
        (
            "secret_headers_value",
            {"secret_headers_deed": "replace", "secret_headers_value": "s3cr3t"},
            "no JSON object",
        ),
        (
            "secret_headers_value",
            {"secret_headers_deed": "replace", "secret_headers_value": '{"Host": "s3cr3t"}'},
            "belongs to the transfer",
        ),
        ("secret_headers_deed", {"secret_headers_deed": "generate"}, "not one of the available choices"),
    ],
)
def test_wrong_input_is_named_at_its_field(admin_client: Client, field: str, fields: dict[str, str], said: str) -> None:
    response = admin_client.post(ADD, form(**fields))

    found = errors(response)
    assert list(found) == [field]
    assert len(found[field]) == 1
    assert said in found[field][0]
    assert not Endpoint.objects.exists()
    is_secret = field.startswith("secret")
    assert not (is_secret and ("s3cr3t" in response.content.decode() or SECRET in response.content.decode()))


def test_a_typed_secret_is_sealed_and_never_comes_back(admin_client: Client) -> None:
    typed = {"secret_deed": "replace", "secret_value": SECRET}
    headers = {"secret_headers_deed": "replace", "secret_headers_value": HEADERS}
    saved = admin_client.post(ADD, form(**typed, **headers), follow=True)

    endpoint = Endpoint.objects.get()
    assert unseal(endpoint.sealed_secret) == SECRET
    assert json.loads(unseal(endpoint.sealed_headers)) == json.loads(HEADERS)
    opened = admin_client.get(page(endpoint))
    said = opened.content.decode()
    assert "set: calls are signed" in said
    assert "set: Authorization, X-Api-Key" in said
    history = admin_client.get(page(endpoint, "history"))
    everything = "".join(response.content.decode() for response in (saved, opened, history, admin_client.get(LIST)))
    for word in (SECRET, "s3cr3t", "k3y"):
        assert word not in everything + stored_text()
    for sealed in (endpoint.sealed_secret, endpoint.sealed_headers):
        assert sealed not in everything


def test_secrets_are_kept_replaced_and_removed(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing", sealed_secret=seal(SECRET), sealed_headers=seal(HEADERS))
    before = (endpoint.sealed_secret, endpoint.sealed_headers)

    def after(**fields: Any) -> tuple[str, str]:
        assert admin_client.post(page(endpoint), edit(endpoint, **fields)).status_code == 302
        endpoint.refresh_from_db()
        return endpoint.sealed_secret, endpoint.sealed_headers

    assert after(description="moved") == before
    replaced = after(secret_headers_deed="replace", secret_headers_value='{"X-Token": "n3w"}')
    assert (replaced[0], unseal(replaced[1])) == (before[0], '{"X-Token": "n3w"}')
    assert after(secret_deed="remove") == ("", replaced[1])
    assert after(secret_headers_deed="remove") == ("", "")


@pytest.mark.parametrize("is_new", [True, False])
def test_a_generated_secret_is_shown_in_the_answer_to_the_save_and_nowhere_else(
    admin_client: Client, is_new: bool, caplog: pytest.LogCaptureFixture
) -> None:
    filled, address = form(secret_deed="generate"), ADD
    if not is_new:
        endpoint = make_endpoint(name="billing")
        filled, address = edit(endpoint, **filled), page(endpoint)
    response = admin_client.post(address, filled)

    endpoint = Endpoint.objects.get()
    secret = unseal(endpoint.sealed_secret)
    assert response.status_code == 200
    assert response.content.decode().count(secret) == 1
    assert "no-store" in response["Cache-Control"]
    cookies = str(admin_client.cookies) + str(dict(admin_client.session))
    later = "".join(admin_client.get(path).content.decode() for path in (page(endpoint), page(endpoint, "history")))
    assert secret not in later + cookies + stored_text() + caplog.text


def test_the_host_is_looked_up_only_when_the_url_is_new(admin_client: Client, looked_up: list[str]) -> None:
    """So that an endpoint can be disabled while the resolver is away."""
    endpoint = make_endpoint(name="billing")
    admin_client.post(page(endpoint), edit(endpoint, enabled=""))
    assert looked_up == []
    assert not Endpoint.objects.get().enabled
    assert "url" in errors(admin_client.post(page(endpoint), edit(endpoint, url="https://unknown.example/")))
    admin_client.post(page(endpoint), edit(endpoint, url="http://10.0.0.1/"))
    assert looked_up == ["https://unknown.example/"]


@pytest.mark.django_db(transaction=True)
def test_the_look_up_is_over_before_the_save_s_transaction_begins(
    admin_client: Client, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """I9."""
    in_transaction: list[bool] = []
    monkeypatch.setattr(
        endpoint_admin, "host_fault", lambda *_, **__: in_transaction.append(connection.in_atomic_block) or ""
    )
    assert admin_client.post(ADD, form()).status_code == 302
    assert in_transaction == [False]


def test_who_may_not_save_cannot_make_us_look_anything_up(member: Any, looked_up: list[str]) -> None:
    viewer = member("view_endpoint")
    endpoint = make_endpoint(name="billing")
    assert viewer.post(page(endpoint), form(url="https://unknown.example/")).status_code == 403
    assert viewer.post(ADD, form(url="https://unknown.example/")).status_code == 403
    assert looked_up == []
    assert "secret_value" not in viewer.get(page(endpoint)).content.decode()


def test_an_endpoint_that_jobs_call_is_not_deleted(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing")
    make_job(task="", endpoint=endpoint)
    old = make_job(task="", endpoint=endpoint)
    Job.objects.filter(pk=old.pk).update(archived_at=datetime(2026, 1, 1, tzinfo=UTC))

    for response in (
        admin_client.get(page(endpoint, "delete"), follow=True),
        admin_client.post(page(endpoint, "delete"), {"post": "yes"}, follow=True),
    ):
        said = " ".join(str(message) for message in response.context["messages"])
        assert 'Endpoint "billing" was not deleted: 2 jobs (archived ones count)' in said
        assert "or disable this one" in said
    admin_client.post(LIST, {"action": "delete_selected", "_selected_action": [endpoint.pk], "post": "yes"})
    assert Endpoint.objects.exists()


def test_an_endpoint_that_no_job_calls_is_deleted(admin_client: Client) -> None:
    endpoint = make_endpoint()
    assert admin_client.post(page(endpoint, "delete"), {"post": "yes"}).status_code == 302
    assert not Endpoint.objects.exists()


def test_the_list_counts_the_living_jobs_of_each_in_one_statement(
    admin_client: Client, django_assert_max_num_queries: Any
) -> None:
    busy = make_endpoint(name="busy")
    for name in "abc":
        make_endpoint(name=f"idle-{name}")
        job = make_job(task="", endpoint=busy)
    Job.objects.filter(pk=job.pk).update(archived_at=datetime(2026, 1, 1, tzinfo=UTC))

    with django_assert_max_num_queries(8):
        shown = admin_client.get(LIST)
    assert {e.name: e.users for e in shown.context["cl"].result_list}["busy"] == 2


def test_disabling_an_endpoint_that_jobs_call_is_pointed_out(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing")
    make_job(task="", endpoint=endpoint)
    response = admin_client.post(page(endpoint), edit(endpoint, enabled=""), follow=True)
    assert 'Endpoint "billing" is disabled' in " ".join(str(message) for message in response.context["messages"])


def test_secrets_that_no_key_opens_are_told_of_and_can_be_entered_anew(admin_client: Client, settings: Any) -> None:
    endpoint = make_endpoint(name="billing", sealed_secret=seal(SECRET), sealed_headers=seal(HEADERS))
    Endpoint.objects.update(sealed_secret="gAAAA-of-another-key", sealed_headers="gAAAA-of-another-key")
    assert "set, but unreadable. The endpoint&#x27;s secrets were sealed with another SECRET_KEY." in (
        admin_client.get(page(endpoint)).content.decode()
    )
    admin_client.post(
        page(endpoint), edit(endpoint, secret_deed="replace", secret_value=SECRET, secret_headers_deed="remove")
    )
    endpoint.refresh_from_db()
    assert (unseal(endpoint.sealed_secret), endpoint.sealed_headers) == (SECRET, "")


def test_of_two_editors_the_later_one_is_refused_and_keeps_what_was_typed(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing")
    hidden = f'<input type="hidden" name="opened" value="{fingerprint(endpoint)}"'
    assert hidden in admin_client.get(page(endpoint)).content.decode()
    mine = edit(endpoint, description="mine", secret_deed="replace", secret_value=SECRET)
    assert admin_client.post(page(endpoint), edit(endpoint, secret_deed="generate")).status_code == 200
    theirs = Endpoint.objects.get().sealed_secret

    response = admin_client.post(page(endpoint), mine)

    assert errors(response)["__all__"][0].startswith("This endpoint was changed meanwhile by someone else.")
    assert response.context["adminform"].form["description"].value() == "mine"
    assert hidden in response.content.decode(), "sent again, refused again"
    assert SECRET not in response.content.decode()
    stored = Endpoint.objects.get()
    assert (stored.description, stored.sealed_secret) == ("", theirs)


def test_a_form_that_does_not_say_what_it_was_opened_with_changes_nothing(admin_client: Client) -> None:
    endpoint = make_endpoint(name="billing")
    assert "__all__" in errors(admin_client.post(page(endpoint), form(description="mine")))
    assert Endpoint.objects.get().description == ""


def told(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_an_endpoint_whose_address_may_not_be_called_any_more_can_be_disabled_and_is_told_of(
    admin_client: Client, settings: Any
) -> None:
    settings.BEATKEEPER = {"EGRESS_ALLOW": ["10.1.0.0/16"]}
    config.cache_clear()
    endpoint = make_endpoint(name="billing", url="http://10.1.2.3/hook")
    settings.BEATKEEPER = {"EGRESS_ALLOW": ["10.2.0.0/16"]}
    config.cache_clear()

    saved = admin_client.post(page(endpoint), edit(endpoint, url=endpoint.url, enabled=""), follow=True)

    assert "The URL is as it was, but may not be called now: 10.1.2.3 is a private address" in told(saved)
    assert not Endpoint.objects.get().enabled
    moved = errors(admin_client.post(page(endpoint), edit(endpoint, url="http://10.1.2.4/hook")))
    assert "10.1.2.4 is a private address" in moved["url"][0]


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://api.example.com/hook?x=1&token=abc", "token"),
        ("https://api.example.com/?api_key=a&code=b&api_key=c", "api_key, code"),
        ("https://api.example.com/hook?x=1&token=", ""),
        ("https://api.example.com/hook?order=1&monkey=2", ""),
    ],
)
def test_a_url_that_carries_a_secret_is_pointed_out(admin_client: Client, url: str, names: str) -> None:
    said = told(admin_client.post(ADD, form(url=url), follow=True))
    assert ("The URL carries what looks like a secret" in said) == bool(names)
    assert f"({names})" in said or not names


@pytest.mark.parametrize("how", [{"secret_headers_deed": "remove"}, {"secret_headers_value": " { } "}])
def test_the_removal_of_all_secret_headers_is_said(admin_client: Client, how: dict[str, str]) -> None:
    endpoint = make_endpoint(name="billing", sealed_headers=seal(HEADERS))
    saved = admin_client.post(page(endpoint), edit(endpoint, **{"secret_headers_deed": "replace", **how}), follow=True)
    assert "billing has no secret headers any more: all of them were removed." in told(saved)
    assert Endpoint.objects.get().sealed_headers == ""
    assert "no secret headers" not in told(admin_client.post(page(endpoint), edit(endpoint), follow=True))


@pytest.fixture
def atomic_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A team's own project may have it."""
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)


@pytest.mark.django_db(transaction=True)
def test_with_atomic_requests_too_nobody_waits_for_the_network_in_a_transaction(
    admin_client: Client, atomic_requests: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I9."""
    seen: list[tuple[str, bool]] = []

    def watch(module: Any, name: str, answer: Any) -> None:
        monkeypatch.setattr(module, name, lambda *_, **__: seen.append((name, connection.in_atomic_block)) or answer)

    watch(endpoint_admin, "host_fault", "")
    watch(endpoint_try, "try_endpoint", Trial("https://a", (), "{}", Failure(FailureKind.TIMED_OUT, "No.", 1.0, "")))
    watch(dead_letter, "send_back", "team")
    letter = DeadLetter.objects.create(queue="team", body=b"{}", size=2)
    endpoint = make_endpoint(name="billing")

    assert admin_client.post(ADD, form(name="other")).status_code == 302
    assert admin_client.post(page(endpoint), edit(endpoint, url="https://b.example/")).status_code == 302
    assert admin_client.post(page(endpoint, "try"), {"body": "{}"}).status_code == 200
    assert admin_client.post(f"/admin/jobs/deadletter/{letter.pk}/send-back/").status_code == 302
    ticked = {"action": "send_back_selected", "_selected_action": [letter.pk]}
    assert admin_client.post("/admin/jobs/deadletter/", ticked).status_code == 302

    assert [name for name, _ in seen] == ["host_fault", "host_fault", "try_endpoint", "send_back", "send_back"]
    assert not any(is_in_transaction for _, is_in_transaction in seen)


def test_the_templates_of_the_endpoint_pages_name_no_stored_secret() -> None:
    templates = list((ROOT / "jobs/templates/admin/jobs/endpoint").iterdir())
    assert templates
    for path in templates:
        assert "sealed" not in path.read_text()


def test_a_secret_made_in_a_popup_is_shown_before_the_popup_goes(admin_client: Client) -> None:
    response = admin_client.post(ADD, form(secret_deed="generate", _popup="1"))

    endpoint = Endpoint.objects.get()
    assert unseal(endpoint.sealed_secret) in response.content.decode()
    assert json.loads(response.context["popup_response"]) == {"value": str(endpoint.pk), "obj": "billing"}
    changed = admin_client.post(page(endpoint), edit(endpoint, secret_deed="generate", _popup="1"))
    assert json.loads(changed.context["popup_response"])["action"] == "change"
