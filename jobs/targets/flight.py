"""A call under way: where it goes, since when, until when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jobs import clock
from jobs.domain.answers import Failure, FailureKind
from jobs.domain.snippets import clean
from jobs.targets.call import Call
from jobs.targets.lookup import unknown_host
from jobs.targets.places import Place, place_of


class Flight(NamedTuple):
    """``began`` is on the monotonic clock. The deadline counts from there, the look-up of the host included."""

    call: Call
    place: Place
    began: float

    @classmethod
    def of(cls, call: Call) -> Flight:
        """Begin now."""
        return cls(call, place_of(call.url), clock.monotonic())

    @property
    def deadline(self) -> float:
        """When it is over, on the monotonic clock."""
        return self.began + self.call.seconds

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return clock.monotonic() - self.began

    def resolved(self, found: Sequence[str]) -> bytes:
        """What was found, as curl's RESOLVE wants it; ``+``: to be forgotten after a while."""
        addresses = (f"[{address}]" if ":" in address else address for address in found)
        return f"+{self.place.host}:{self.place.port}:{','.join(addresses)}".encode()

    def failure(self, kind: FailureKind, message: str, address: str = "", *, may_have_acted: bool = False) -> Failure:
        """It failed in this way, now."""
        said = clean(message, self.call.secrets, limit=1000)
        return Failure(kind, said, self.elapsed, address, may_have_acted)

    def unfound(self, why: str | None) -> Failure:
        """The host has no address; None: not by the deadline."""
        if why is None:
            message = f'The host "{self.place.host}" could not be looked up within {self.call.seconds:g} s.'
            return self.failure(FailureKind.TIMED_OUT, message)
        return self.failure(FailureKind.UNRESOLVED, unknown_host(self.place.host, why))
