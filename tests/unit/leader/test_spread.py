"""The rules by which shards come to be spread evenly over beats, and then stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

import pytest

from jobs.beat.spread import Spread

A, B, C = (UUID(int=number) for number in (1, 2, 3))


def spread(mine: int, others: Mapping[UUID, int] | None = None, *, idle: int = 0, me: UUID = A) -> Spread:
    return Spread(me, mine, others or {}, idle)


def test_a_beat_that_leads_none_takes_a_free_shard_at_once() -> None:
    assert spread(0, {B: 3}).patience == 0


def test_one_that_leads_some_waits_whether_another_wants_it() -> None:
    assert spread(1).patience == spread(1, {B: 1}).patience == 1


def test_one_that_leads_more_than_another_waits_longer_than_that_one() -> None:
    assert spread(2, {B: 1}).patience == spread(1, {B: 2}, idle=1).patience == 2


@pytest.mark.parametrize(
    ("here", "gives_way"),
    [
        (spread(2, idle=1), True),
        (spread(1, idle=1), False),
        (spread(2, {B: 1}), False),
        (spread(3, {B: 1}), True),
        (spread(2, {B: 3}, idle=1), False),
        (spread(2, {B: 2}, idle=1, me=A), True),
        (spread(2, {A: 2}, idle=1, me=B), False),
        (spread(4), False),
    ],
)
def test_the_beat_that_leads_two_more_than_another_gives_one_up_and_no_other_does(
    here: Spread, gives_way: bool
) -> None:
    assert here.is_to_give_way is gives_way


@pytest.mark.parametrize("shards", range(1, 13))
@pytest.mark.parametrize("beats", range(1, 6))
def test_from_the_worst_spread_it_takes_the_fewest_moves_to_an_even_one_and_then_nothing_moves(
    shards: int, beats: int
) -> None:
    """One beat leads all when the others come."""
    names = [UUID(int=number + 1) for number in range(beats)]
    led = Counter({names[-1]: shards})
    moves = 0
    while givers := [name for name in names if _seen_by(name, led, names).is_to_give_way]:
        assert len(givers) == 1
        led[givers[0]] -= 1
        led[min(names, key=lambda name: (_seen_by(name, led, names).patience, led[name]))] += 1
        moves += 1
    assert max(led.values()) - min(led[name] for name in names) <= 1
    assert moves == shards - max(led[names[-1]], 0)


def _seen_by(me: UUID, led: Counter[UUID], names: list[UUID]) -> Spread:
    others = {name: led[name] for name in names if name != me and led[name]}
    return Spread(me, led[me], others, len(names) - 1 - len(others))
