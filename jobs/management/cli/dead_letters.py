"""``jobs dead-letters``: messages in jobs.dead that were no runs; list them, send them back, discard them."""

from __future__ import annotations

import argparse
from typing import Any

from jobs.domain.letters import LetterState
from jobs.domain.masking import mask_json
from jobs.domain.preview_body import preview_body
from jobs.errors import CallerError, InvalidFieldError
from jobs.management.cli.arguments import add_json, rows
from jobs.management.cli.output import Output
from jobs.models import DeadLetter
from jobs.services.dispose_letter import discard, send_back
from jobs.store.letters import letters, with_body_start

HELP = "list messages of others from jobs.dead, send them back or discard them"
_COLUMNS = ("id", "received_at", "queue", "reason", "task", "size", "state")
_FIELDS = (*_COLUMNS, "exchange", "routing_key", "content_type", "content_encoding", "disposed_at")
_WHO = "command line"
_DEEDS = ("list", "send-back", "discard")
_HIGHEST_ID = 2**63 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "words", metavar="list|send-back|discard|ID", nargs="*", type=_word, help="what to do (list), then with which"
    )
    parser.add_argument("--state", choices=[state.value for state in LetterState], default="kept", help="list (kept)")
    parser.add_argument("--queue", help="list only what died in this queue")
    parser.add_argument("--limit", type=rows, default=20, help="list at most so many, newest first (20)")


def handle(options: dict[str, Any], out: Output) -> None:
    deed, ids = _read(options["words"])
    if deed == "list":
        _list(options, ids, out)
    elif ids:
        _dispose(deed, ids, out)
    else:
        raise InvalidFieldError("ids", f"`{deed}` wants the ids of dead letters; `jobs dead-letters` lists them.")


def _word(text: str) -> str | int:
    """A deed or an id; an argparse type."""
    if text in _DEEDS:
        return text
    if text.isascii() and text.isdigit() and int(text) <= _HIGHEST_ID:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither {', '.join(_DEEDS)} nor the id of a dead letter; `jobs dead-letters` lists them"
    )


def _read(words: list[str | int]) -> tuple[str, list[int]]:
    """What to do, and with which: ids alone are to be listed."""
    deed = words[0] if words and isinstance(words[0], str) else "list"
    rest = words[1:] if words and isinstance(words[0], str) else words
    ids = [word for word in rest if isinstance(word, int)]
    if len(ids) < len(rest):
        raise InvalidFieldError("deed", f"Name one of {', '.join(_DEEDS)}, once, and before the ids.")
    return deed, ids


def _list(options: dict[str, Any], ids: list[int], out: Output) -> None:
    chosen = letters().filter(state=options["state"])
    if ids:
        chosen = chosen.filter(pk__in=ids)
    if options["queue"] is not None:
        chosen = chosen.filter(queue=options["queue"])
    found = list(with_body_start(chosen).order_by("-pk")[: options["limit"]])
    if out.is_json:
        for letter in found:
            out.json(_document(letter))
    elif found:
        out.table(_COLUMNS, ([getattr(letter, column) for column in _COLUMNS] for letter in found))
    else:
        out.note("There are no such dead letters.")


def _document(letter: DeadLetter) -> dict[str, Any]:
    start: Any = letter.body_start  # type: ignore[attr-defined]  # annotated
    body = preview_body(bytes(start), size=letter.size, content_encoding=letter.content_encoding)
    return {
        **{field: getattr(letter, field) for field in _FIELDS},
        "headers": mask_json(letter.headers),
        "body": body,
    }


def _dispose(deed: str, ids: list[int], out: Output) -> None:
    """One by one; the first refusal ends it, since the next would most likely meet the same."""
    for letter_id in ids:
        try:
            where = _done(deed, letter_id)
        except CallerError as error:
            raise CallerError(f"{error} Not looked at: {_after(letter_id, ids)}.") from error
        if out.is_json:
            out.json({"id": letter_id, "deed": deed, "sent_to": where or None})
        else:
            out.line(
                f"Dead letter {letter_id} is sent back to {where}."
                if where
                else f"Dead letter {letter_id} is discarded."
            )


def _done(deed: str, letter_id: int) -> str:
    if deed == "send-back":
        return send_back(letter_id, who=_WHO)
    discard(letter_id, who=_WHO)
    return ""


def _after(letter_id: int, ids: list[int]) -> str:
    return ", ".join(map(str, ids[ids.index(letter_id) + 1 :])) or "none"
