"""Host names to addresses by the system's resolver, which knows no deadline of its own.

What it says is never trusted: each address is judged at the moment of dialling (:mod:`jobs.targets.egress`).
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Sequence

from jobs.domain.addresses import Network, refusal
from jobs.targets.places import place_of

# The addresses, or why there are none, in words.
Found = tuple[str, ...] | str


def host_fault(url: str, *, allowed: Sequence[Network], seconds: float = 3.0) -> str:
    """Why this URL's host cannot be called, or empty when each of its addresses may be dialled.

    For the check when an endpoint is saved: a service to whoever types the URL. It talks to the network, so no
    transaction may be open.
    """
    host = place_of(url).host
    if not host:
        return "The URL has no host that can be looked up. Write one: https://api.example.com/hook."
    found = look_up_within(host, seconds)
    if found is None:
        return f'The host "{host}" could not be looked up within {seconds:g} s. Check the name, or try again.'
    if isinstance(found, str):
        return unknown_host(host, found)
    refusals = (refusal(address, allowed) for address in found)
    problem = next((text for text in refusals if text), "")
    return f'The host "{host}" is refused: {problem}' if problem else ""


def unknown_host(host: str, why: str) -> str:
    """What to say of a host without addresses."""
    return f'The host "{host}" is not known: {why}. Check the name, and the DNS of this machine.'


def look_up_within(host: str, seconds: float) -> Found | None:
    """Look up in a thread of its own, which is left behind when it takes longer; None then."""
    answer: queue.SimpleQueue[Found] = queue.SimpleQueue()
    threading.Thread(target=lambda: answer.put(look_up(host)), name="lookup", daemon=True).start()
    try:
        return answer.get(timeout=seconds)
    except queue.Empty:
        return None


def look_up(host: str) -> Found:
    """Ask the system's resolver and wait for it, however long that takes."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        return error.strerror or str(error)
    except UnicodeError as error:  # a label too long for IDNA
        return str(error)
    return tuple(dict.fromkeys(str(item[4][0]) for item in found))
