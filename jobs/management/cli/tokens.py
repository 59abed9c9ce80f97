"""``jobs tokens``: who may use the API; make a token, revoke one."""

from __future__ import annotations

import argparse
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError

from jobs.documents import iso
from jobs.domain.scopes import Scope
from jobs.errors import InvalidFieldError, NotFoundError
from jobs.management.cli.arguments import add_json, row_id, rows, text
from jobs.management.cli.output import Output
from jobs.models import Token
from jobs.services.token import make_token, revoke
from jobs.store.clock import database_now

HELP = "list the API's tokens, make one or revoke one"
_COLUMNS = ("id", "name", "hint", "scopes", "team", "expires_at", "last_used_at", "revoked_at")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    deeds = parser.add_subparsers(dest="deed", metavar="list|make|revoke")
    add_json(deeds.add_parser("list", help="all tokens (the default)"))
    make = deeds.add_parser("make", help="make a token and show it, once")
    add_json(make)
    make.add_argument("name", type=text, help="who uses it")
    make.add_argument("--scope", action="append", choices=[str(scope) for scope in Scope], required=True)
    make.add_argument("--team", type=text, help="reaches the jobs of this team alone")
    make.add_argument("--days", type=rows, help="expires after so many days (never)")
    ended = deeds.add_parser("revoke", help="let nobody in with it from now on")
    add_json(ended)
    ended.add_argument("id", type=row_id)


def handle(options: dict[str, Any], out: Output) -> None:
    deeds = {"make": _make, "revoke": _revoke}
    deeds.get(options["deed"], _list)(options, out)


def _list(options: dict[str, Any], out: Output) -> None:
    documents = [_document(token) for token in Token.objects.select_related("team").order_by("pk")]
    if out.is_json:
        for document in documents:
            out.json(document)
    elif documents:
        out.table(_COLUMNS, ([document[column] for column in _COLUMNS] for document in documents))
    else:
        out.note("There are no tokens. Make one: jobs tokens make NAME --scope runs:run")


def _make(options: dict[str, Any], out: Output) -> None:
    expires_at = database_now() + timedelta(days=options["days"]) if options["days"] else None
    try:
        made = make_token(options["name"], scopes=options["scope"], team=_team(options["team"]), expires_at=expires_at)
    except ValidationError as error:
        raise InvalidFieldError("token", " ".join(error.messages)) from error
    if out.is_json:
        out.json({**_document(made.token), "token": made.text})
    else:
        out.line(made.text)
        out.note("Keep it now: it is not stored and cannot be shown again.")


def _revoke(options: dict[str, Any], out: Output) -> None:
    token = Token.objects.filter(pk=options["id"]).select_related("team").first()
    if token is None:
        raise NotFoundError(f"There is no token {options['id']}. `jobs tokens` lists them.")
    revoke(token)
    if out.is_json:
        out.json(_document(token))
    else:
        out.line(f"{token} is revoked.")


def _team(name: str | None) -> Group | None:
    team = Group.objects.filter(name=name).first() if name else None
    if name and team is None:
        raise NotFoundError(f'There is no team "{name}". Teams are the groups of Django\'s admin.')
    return team


def _document(token: Token) -> dict[str, Any]:
    times = {name: iso(getattr(token, name)) for name in ("expires_at", "last_used_at", "revoked_at")}
    return {
        "id": token.pk,
        "name": token.name,
        "hint": token.hint,
        "scopes": " ".join(token.scopes),
        "team": token.team.name if token.team else None,
        **times,
    }
