"""The endpoint pages: what is saved and refused, and that no secret ever comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from jobs.admin import dead_letter, endpoint_try
from jobs.admin import endpoint as endpoint_admin
from jobs.admin.endpoint_form import fingerprint
from jobs.conf import config
from jobs.domain.answers import Failure, FailureKind
from jobs.models import DeadLetter, Endpoint, Job
from jobs.services.try_endpoint import Trial
from tests.integration.admin.conftest import errors
from tests.support.endpoint_pages import ADD, LIST, SECRET, edit, form, page, told
from tests.support.factories import make_endpoint, make_job

pytestmark = pytest.mark.usefixtures("looked_up")


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
