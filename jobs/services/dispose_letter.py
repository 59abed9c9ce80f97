"""Dispose of a dead letter: send it back to the queue it died in, or discard it.

Sending back publishes first, with confirm and ``mandatory``, outside any transaction, and marks afterwards. Whoever
dies between the two leaves the letter kept: it may be sent twice, never lost.
"""

from __future__ import annotations

from django.db.models.functions import Now

from jobs import log
from jobs.broker.post import post
from jobs.domain.letters import LetterState, headers_to_send, way_back
from jobs.domain.wire_json import from_json
from jobs.errors import ConflictError, NotFoundError
from jobs.models import DeadLetter

# The broker accepts only its own user's name here, which need not be the first publisher's.
_NOT_OURS = "user_id"


def send_back(letter_id: int, *, who: str = "") -> str:
    """Publish a kept letter to the queue it died in; the queue's name, or its exchange and routing key.

    ConflictError: it is not kept, nobody knows its queue, or no queue takes it; it stays kept then.
    """
    letter = _kept(letter_id)
    way = way_back(queue=letter.queue, exchange=letter.exchange, routing_key=letter.routing_key)
    if way is None:
        raise ConflictError(
            f"Dead letter {letter_id} came to jobs.dead by no queue: there is none to send it back to. Discard it."
        )
    exchange, routing_key = way
    post(
        bytes(letter.body),
        exchange=exchange,
        routing_key=routing_key,
        headers=headers_to_send(from_json(letter.headers)),
        properties=_properties(letter),
    )
    _mark(letter_id, LetterState.SENT_BACK, who)
    return f"{exchange} {routing_key}".strip()


def discard(letter_id: int, *, who: str = "") -> None:
    """Give a kept letter up; its row stays for the retention time."""
    _kept(letter_id)
    _mark(letter_id, LetterState.DISCARDED, who)


def _kept(letter_id: int) -> DeadLetter:
    letter = DeadLetter.objects.filter(pk=letter_id).first()
    if letter is None:
        raise NotFoundError(f"There is no dead letter {letter_id}: it never was, or it was disposed of long ago.")
    if letter.state != LetterState.KEPT:
        raise ConflictError(f"Dead letter {letter_id} is {letter.get_state_display()} already.")
    return letter


def _properties(letter: DeadLetter) -> dict[str, object]:
    properties = {name: value for name, value in from_json(letter.properties).items() if name != _NOT_OURS}
    content = {"content_type": letter.content_type, "content_encoding": letter.content_encoding}
    return properties | {name: value for name, value in content.items() if value}


def _mark(letter_id: int, state: LetterState, who: str) -> None:
    kept = DeadLetter.objects.filter(pk=letter_id, state=LetterState.KEPT)
    if not kept.update(state=state, disposed_at=Now()):
        raise ConflictError(f"Dead letter {letter_id} was disposed of by someone else at the same time.")
    log.event("letter.disposed", letter=letter_id, state=state, by=who or None)
