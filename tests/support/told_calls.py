"""Calls that are submitted, and what their callbacks were told."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.multi import Multi
from tests.support.http_calls import call_to


@dataclass
class Told:
    """What the engine told of the calls of a test, by number."""

    multi: Multi
    started: list[int] = field(default_factory=list)
    done: dict[int, Answer | Failure] = field(default_factory=dict)

    def submit(self, number: int, url: str, *, seconds: float = 20.0, wanted: bool | None = None) -> None:
        def on_start() -> bool | None:
            self.started.append(number)
            return wanted

        def on_done(result: Answer | Failure) -> None:
            assert number not in self.done
            self.done[number] = result

        self.multi.submit(number, call_to(url, seconds=seconds), on_start=on_start, on_done=on_done)

    def kinds(self) -> list[FailureKind | int]:
        """Status or failure, in the order of the ends."""
        return [item.kind if isinstance(item, Failure) else item.status for item in self.done.values()]
