"""Make one call and wait for its end."""

from __future__ import annotations

from collections.abc import Sequence

import pycurl

from jobs.conf import config
from jobs.domain.answers import Answer, Failure
from jobs.targets.call import Call
from jobs.targets.exchange import Exchange
from jobs.targets.flight import Flight
from jobs.targets.lookup import Found, look_up_within


def post(call: Call) -> Answer | Failure:
    """POST; an error of whatever kind is a Failure. Its time is bounded by ``call.seconds``; hold no transaction."""
    flight = Flight.of(call)
    found: Found | None = ()
    if flight.place.is_name:
        found = look_up_within(flight.place.host, call.seconds)
    return _performed(flight, found) if isinstance(found, tuple) else flight.unfound(found)


def _performed(flight: Flight, found: Sequence[str]) -> Answer | Failure:
    exchange = Exchange()
    code, said = pycurl.E_OK, ""
    try:
        exchange.begin(flight, found, config().egress_allow)
        exchange.handle.perform()
    except pycurl.error as error:
        code, said = error.args
    try:
        return exchange.ending(flight, code, said)
    finally:
        exchange.handle.close()
