"""API tokens in the admin: shown once, revoked and never edited, and given away only by who may."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client

from jobs import clock
from jobs.models import Token
from jobs.services.token import find_token, make_token, revoke
from tests.integration.admin.conftest import errors

LIST, ADD = "/admin/jobs/token/", "/admin/jobs/token/add/"
Member = Callable[..., Client]


def form(**fields: Any) -> dict[str, Any]:
    """The form filled in for a token that reads jobs, changed by ``fields``."""
    return {"name": "pipeline", "scopes": ["jobs:read"], "team": "", "expires_at": "", **fields}


def page(token: Token, verb: str = "change") -> str:
    return f"{LIST}{token.pk}/{verb}/"


@pytest.fixture
def team(db: None) -> Group:
    return Group.objects.create(name="billing")


def in_team(client: Client, team: Group) -> Client:
    User.objects.get(username="member").groups.add(team)
    return client


def test_a_new_token_is_shown_in_the_answer_to_the_save_and_nowhere_else(
    admin_client: Client, team: Group, caplog: pytest.LogCaptureFixture
) -> None:
    scopes = ["jobs:read", "runs:run"]
    response = admin_client.post(ADD, form(scopes=scopes, team=team.pk))

    token = Token.objects.get()
    assert response.status_code == 200
    [text] = re.findall(r"bk_[A-Za-z0-9_-]{20,}", response.content.decode())
    assert find_token(text) == token
    assert (token.name, token.scopes, token.team, token.expires_at) == ("pipeline", scopes, team, None)
    assert "no-store" in response["Cache-Control"]
    later = "".join(admin_client.get(path).content.decode() for path in (LIST, page(token), page(token, "history")))
    kept = str(admin_client.cookies) + str(dict(admin_client.session)) + str(list(LogEntry.objects.values()))
    assert text not in later + kept + caplog.text
    assert token.digest not in later + kept + caplog.text
    for shown in ("pipeline", f"{token.hint}…", "jobs:read, runs:run", "billing", "active"):
        assert shown in later


def test_an_expiry_is_kept_and_one_that_is_over_is_refused(admin_client: Client) -> None:
    assert "is over" in errors(admin_client.post(ADD, form(expires_at="2020-01-01T00:00")))["expires_at"][0]
    assert admin_client.post(ADD, form(expires_at="2099-01-01T12:00")).status_code == 200
    assert Token.objects.get().expires_at.isoformat() == "2099-01-01T12:00:00+00:00"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("field", "fields"), [("scopes", {"scopes": []}), ("scopes", {"scopes": ["all"]}), ("name", {"name": ""})]
)
def test_wrong_input_is_named_at_its_field_and_makes_nothing(
    admin_client: Client, field: str, fields: dict[str, Any]
) -> None:
    assert list(errors(admin_client.post(ADD, form(**fields)))) == [field]
    assert not Token.objects.exists()


def test_only_who_may_add_tokens_makes_one(member: Member) -> None:
    client = member("view_token", "change_token", "add_job")
    assert client.get(LIST).status_code == 200
    assert client.get(ADD).status_code == client.post(ADD, form()).status_code == 403
    assert not Token.objects.exists()


def test_who_is_no_superuser_makes_tokens_of_own_teams_only(member: Member, team: Group) -> None:
    other = Group.objects.create(name="payroll")
    client = in_team(member("add_token", "view_token"), team)
    assert "team" in errors(client.post(ADD, form()))
    assert "team" in errors(client.post(ADD, form(team=other.pk)))
    assert not Token.objects.exists()
    assert b"payroll" not in client.get(ADD).content
    assert client.post(ADD, form(team=team.pk)).status_code == 200
    assert Token.objects.get().team == team


def test_who_is_no_superuser_cannot_give_the_scope_admin_away(member: Member, team: Group) -> None:
    client = in_team(member("add_token"), team)
    assert b'value="admin"' not in client.get(ADD).content
    assert "scopes" in errors(client.post(ADD, form(scopes=["admin"], team=team.pk)))
    assert not Token.objects.exists()


def test_a_superuser_makes_a_token_for_everything(admin_client: Client) -> None:
    assert admin_client.post(ADD, form(scopes=["admin"])).status_code == 200
    assert (Token.objects.get().scopes, Token.objects.get().team) == (["admin"], None)


def test_a_token_is_neither_edited_nor_deleted(admin_client: Client) -> None:
    made = make_token("pipeline", scopes=["jobs:read"])
    assert b'name="name"' not in admin_client.get(page(made.token)).content
    assert admin_client.post(page(made.token), form(scopes=["admin"])).status_code == 403
    assert admin_client.post(page(made.token, "delete"), {"post": "yes"}).status_code == 403
    assert Token.objects.get().scopes == ["jobs:read"]


def test_a_revoked_token_lets_nobody_in_and_its_page_says_so(admin_client: Client) -> None:
    made = make_token("pipeline", scopes=["jobs:read"])
    assert "Revoke…" in admin_client.get(page(made.token)).content.decode()
    assert "Revoke pipeline" in admin_client.get(page(made.token, "revoke")).content.decode()
    assert find_token(made.text) is not None
    said = admin_client.post(page(made.token, "revoke"), follow=True).content.decode()
    assert "is revoked." in said
    assert "Revoke…" not in said
    assert find_token(made.text) is None
    assert LogEntry.objects.get().get_change_message() == "Revoked."


def test_a_second_revocation_is_told_of(admin_client: Client) -> None:
    token = make_token("pipeline", scopes=["jobs:read"]).token
    revoke(token)
    assert "is revoked already" in admin_client.post(page(token, "revoke"), follow=True).content.decode()


def test_only_who_may_change_tokens_revokes_one(member: Member) -> None:
    made = make_token("pipeline", scopes=["jobs:read"])
    client = member("view_token", "add_token")
    assert "Revoke…" not in client.get(page(made.token)).content.decode()
    assert client.post(page(made.token, "revoke")).status_code == 403
    assert find_token(made.text) is not None


def test_the_list_says_which_tokens_are_over(admin_client: Client) -> None:
    Token.objects.filter(pk=make_token("old", scopes=["admin"]).token.pk).update(
        expires_at=clock.utcnow() - timedelta(days=1)
    )
    revoke(make_token("gone", scopes=["admin"]).token)
    content = admin_client.get(LIST).content.decode()
    assert "jobs-badge-expired" in content
    assert "jobs-badge-revoked" in content
    assert "jobs-badge-active" not in content
