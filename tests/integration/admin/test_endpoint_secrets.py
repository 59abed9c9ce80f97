"""The secrets of endpoints: sealed, shown once where they are made, and never again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client

from jobs.models import Endpoint
from jobs.sealing import seal, unseal
from tests.support.endpoint_pages import ADD, LIST, SECRET, edit, form, page, told
from tests.support.factories import make_endpoint
from tests.support.stack import ROOT

pytestmark = pytest.mark.usefixtures("looked_up")
HEADERS = '{"Authorization": "Bearer s3cr3t", "X-Api-Key": "k3y"}'


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


def stored_text() -> str:
    """The endpoints' rows and the history as they lie in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT json_agg(e)::text FROM jobs_endpoint e")
        rows = cursor.fetchone()[0]
    return str(rows) + json.dumps(list(LogEntry.objects.values_list("change_message", "object_repr")))
