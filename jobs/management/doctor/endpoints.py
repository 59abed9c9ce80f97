"""Endpoints: whether the secrets that they are called with can be read."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.errors import UnreadableSecretError
from jobs.management.doctor.finding import Finding, ok, warn
from jobs.models import Endpoint
from jobs.sealing import unseal

_SHOWN = 5


def findings() -> Iterator[Finding]:
    """Secrets that were sealed with a key which the settings no longer hold."""
    rows = Endpoint.objects.order_by("name").values_list("name", "sealed_secret", "sealed_headers")
    unreadable = [name for name, *sealed in rows.iterator() if not all(map(_is_readable, sealed))]
    if unreadable:
        shown = ", ".join(unreadable[:_SHOWN]) + (" and more" if len(unreadable) > _SHOWN else "")
        yield warn(
            "endpoints",
            f"Secrets sealed with another SECRET_KEY: {shown}. Runs that call them fail.",
            "Add that key to SECRET_KEY_FALLBACKS, or enter the secrets again on the endpoints' pages.",
        )
    else:
        yield ok("endpoints", "Every secret of an endpoint can be read.")


def _is_readable(sealed: str) -> bool:
    try:
        unseal(sealed)
    except UnreadableSecretError:
        return False
    return True
