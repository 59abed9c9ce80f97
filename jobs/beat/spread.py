"""How shards come to be spread evenly over the beats that are there: rules that each beat follows by itself.

A beat that leads none takes a free shard at once. One that leads some leaves it alone for a second, so that beats which
start together get one each, and a second longer when another beat leads fewer. When all are led, and one beat leads at
least two more than another, it gives one up. So the numbers end at most one apart, and then nothing moves any more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

_FREE_SECONDS = 1.0
_UNWANTED_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Spread:
    """How many shards this beat leads, how many each other one does, and how many other beats lead none."""

    me: UUID
    mine: int
    others: Mapping[UUID, int]
    idle: int

    @property
    def patience(self) -> float:
        """For how many seconds a shard must have been free before this beat takes it."""
        if self.mine == 0:
            return 0.0
        return _FREE_SECONDS if self.mine <= self._fewest else _UNWANTED_SECONDS

    @property
    def is_to_give_way(self) -> bool:
        """Whether this is the beat that leads one shard too many, by the lowest name where several do."""
        if self.mine - self._fewest < 2:
            return False
        rivals = [beat for beat, count in self.others.items() if count >= self.mine]
        return all(self.others[beat] == self.mine and self.me < beat for beat in rivals)

    def with_one_more(self) -> Spread:
        """As it is when this beat has taken another shard."""
        return replace(self, mine=self.mine + 1)

    @property
    def _fewest(self) -> float:
        """What the other beat that leads the fewest has; more than any where there is no other."""
        return 0 if self.idle else min(self.others.values(), default=math.inf)
