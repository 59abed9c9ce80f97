"""From a target and a run to the call: headers, body, signature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jobs.domain.http_body import Facts, rendered
from jobs.sealing import unseal
from jobs.store.http_targets import Target
from jobs.targets.call import Call
from jobs.targets.signing import signature

USER_AGENT = "Beatkeeper"
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def compose(target: Target, facts: Facts, *, timestamp: int, only_once: bool = False, content: Any = None) -> Call:
    """The call of one attempt; ``timestamp`` is the second since 1970 that is signed, ``only_once`` as in a call.
    ``content`` is sent as it is, in place of the target's body.

    A header of ours goes over one of the same name that the endpoint or the job has; of those, a secret one goes over
    a plain one. UnreadableSecretError when the endpoint's secrets cannot be read.
    """
    secret_headers: dict[str, str] = json.loads(unseal(target.sealed_headers)) if target.sealed_headers else {}
    signing_secret = unseal(target.sealed_secret)
    body = _to_json(rendered(target.body, facts) if content is None else content).encode()
    own = _own_headers(facts)
    if signing_secret:
        own |= _signature_headers(signing_secret, facts.run, timestamp, body)
    return Call(
        url=target.url,
        headers=_merged(*target.headers, secret_headers, own),
        body=body,
        seconds=target.seconds,
        secrets=(
            *secret_headers.values(),
            *_secret_parts(secret_headers),
            *([signing_secret] if signing_secret else []),
        ),
        only_once=only_once,
    )


def _own_headers(facts: Facts) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "Idempotency-Key": facts.run,
        "Beatkeeper-Job": facts.job,
        "Beatkeeper-Attempt": str(facts.attempt),
        "Beatkeeper-Scheduled-For": facts.slot,
    }


def _signature_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Standard Webhooks 1.0.0, "Webhook headers"."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id=message_id, timestamp=timestamp, body=body),
    }


def _merged(*layers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Later layers go over earlier ones, whatever the case of a name."""
    found = {name.lower(): (name, value) for layer in layers for name, value in layer.items()}
    return tuple(found.values())


def _secret_parts(headers: dict[str, str]) -> list[str]:
    """The credential behind a scheme: an answer that quotes it alone gives it away as well."""
    return [value.partition(" ")[2] for value in headers.values() if " " in value]
