"""How a body of ours tells an outcome that an exception alone cannot say."""

from __future__ import annotations

from jobs.domain.outcomes import Outcome


class AttemptEndedError(Exception):
    """The attempt is over; ``outcome`` is its end. It can be pickled, as Celery wants of exceptions."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome

    def __str__(self) -> str:
        return str(self.outcome.fault)
