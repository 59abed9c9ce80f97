"""What is wrong with the platform, in words, and what to do about it: a pure function of the facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from jobs.domain.platform import COUNTED, BrokerState, PartitionFacts, PlatformFacts, QueueFacts, ShardFacts

SILENT_SECONDS = 30.0  # the dispatcher tells of the broker every 5
LATE_SECONDS = 60.0
BEHIND_SECONDS = 300.0
_LEAST_DAYS_AHEAD = 2
_USUAL_DAYS_AHEAD = 7


class Severity(StrEnum):
    """Down: no slot becomes a run, or none is executed, now or from tomorrow on. Degraded: some are not."""

    DOWN = "down"
    DEGRADED = "degraded"


class Code(StrEnum):
    """All that can be wrong."""

    LEADER_MISSING = "leader_missing"
    LEADER_SILENT = "leader_silent"
    EMISSION_LATE = "emission_late"
    DISPATCHER_SILENT = "dispatcher_silent"
    BROKER_AWAY = "broker_away"
    BROKER_BLOCKED = "broker_blocked"
    QUEUE_REFUSED = "queue_refused"
    WORK_UNSENT = "work_unsent"
    WORK_UNCLAIMED = "work_unclaimed"
    QUEUE_BEHIND = "queue_behind"
    QUEUE_UNKNOWN = "queue_unknown"
    STUCK_RUNS = "stuck_runs"
    PARTITIONS_MISSING = "partitions_missing"
    TZDATA_DIFFERS = "tzdata_differs"
    SHARDS_DIFFER = "shards_differ"


@dataclass(frozen=True, slots=True)
class Problem:
    """One of them. ``subject``: the queue or shard that has it; empty where it is everyone's."""

    code: Code
    severity: Severity
    subject: str
    message: str
    what_to_do: str


@dataclass(frozen=True, slots=True)
class Patience:
    """How long things may take by the settings, in seconds."""

    unclaimed: float = 30.0
    lease_over: float = 120.0


_START_BEAT = "Start one: celery -A PROJECT beat."


def problems(facts: PlatformFacts, patience: Patience) -> tuple[Problem, ...]:
    """All that is wrong, the worst first. What only follows from something named here is not named again."""
    is_led = all(shard.is_leading for shard in facts.shards)
    found = [
        *(problem for shard in facts.shards for problem in _of_leader(shard)),
        *(_of_broker(facts) if is_led else ()),
        *(problem for queue in facts.queues for problem in _of_queue(queue, facts, patience)),
        *(_unknown_queue(name) for name in facts.unknown_queues),
        *_of_leases(facts, patience),
        *of_partitions(facts.partitions),
        *_of_zones(facts),
        *_of_numbers(facts),
    ]
    return tuple(sorted(found, key=lambda problem: problem.severity is not Severity.DOWN))


def verdict(found: Iterable[Problem]) -> str:
    """``ok``, ``degraded`` or ``down``."""
    severities = {problem.severity for problem in found}
    return next((str(level) for level in Severity if level in severities), "ok")


def _of_leader(shard: ShardFacts) -> Iterator[Problem]:
    name = str(shard.shard)
    if shard.seconds_since_tick is None:
        text = f"Shard {name} never had a leader: no slot becomes a run."
        yield _down(Code.LEADER_MISSING, name, text, _START_BEAT)
    elif not shard.is_leading:
        since = in_words(shard.seconds_since_tick)
        text = f"The leader of shard {name} on {shard.host} has not ticked for {since}: no slot becomes a run."
        yield _down(Code.LEADER_SILENT, name, text, f"See beat's log there. {_START_BEAT}")
    elif shard.emission_late_seconds > LATE_SECONDS:
        late = in_words(shard.emission_late_seconds)
        text = f"The leader of shard {name} ticks, yet a slot is due for {late} and has not become a run."
        mend = "See beat's log for beat.step_failed, job.locked or clock.jumped."
        yield _degraded(Code.EMISSION_LATE, name, text, mend)


def _of_broker(facts: PlatformFacts) -> Iterator[Problem]:
    broker = facts.broker
    match broker.state:
        case BrokerState.BLOCKED:
            text = f"The broker takes no message ({broker.because}): due runs wait in the database."
            mend = "See RabbitMQ's alarms: free memory or disk there. The runs then go by themselves."
            yield _down(Code.BROKER_BLOCKED, "", text, mend)
        case BrokerState.AWAY:
            text = f"The leader does not reach the broker ({broker.because}): due runs wait in the database."
            mend = "Start RabbitMQ, or correct BROKER_URL. The runs then go by themselves."
            yield _down(Code.BROKER_AWAY, "", text, mend)
        case BrokerState.UNKNOWN if all((shard.seconds_since_election or 0) > SILENT_SECONDS for shard in facts.shards):
            text = "The leader ticks, but its dispatcher has not told of the broker lately: it sends nothing."
            yield _degraded(Code.DISPATCHER_SILENT, "", text, "See beat's log for dispatch.failed; restart that beat.")


def _of_queue(queue: QueueFacts, facts: PlatformFacts, patience: Patience) -> Iterator[Problem]:
    unsent, unclaimed = queue.oldest_waiting_seconds or 0.0, queue.oldest_sent_seconds or 0.0
    is_broker_well = facts.broker.state is BrokerState.CONNECTED
    if is_broker_well and queue.is_blocked:
        text = f"The broker takes no run for queue {queue.name}: {queue.blocked_because}"
        yield _degraded(
            Code.QUEUE_REFUSED, queue.name, text, "See beat's log for publish.failed, and the queue itself."
        )
    elif is_broker_well and not queue.is_full and unsent > LATE_SECONDS:
        text = f"{_count(queue.waiting, f'of queue {queue.name}')} due and not sent, the oldest for {in_words(unsent)}."
        yield _degraded(Code.WORK_UNSENT, queue.name, text, "See beat's log for dispatch.failed.")
    if queue.sent and not queue.is_consumed and unclaimed > patience.unclaimed:
        text = (
            f"{_count(queue.sent)} sent to queue {queue.name} and taken by no worker, "
            f"the oldest for {in_words(unclaimed)}."
        )
        mend = f"Start one: celery -A PROJECT worker -Q {queue.name}"
        yield _degraded(Code.WORK_UNCLAIMED, queue.name, text, mend)
    elif (queue.is_full and unsent > BEHIND_SECONDS) or unclaimed > 3 * BEHIND_SECONDS:
        text = f"The workers of queue {queue.name} are behind: a run waits for {in_words(max(unsent, unclaimed))}."
        yield _degraded(Code.QUEUE_BEHIND, queue.name, text, f"Add workers: celery -A PROJECT worker -Q {queue.name}")


def _unknown_queue(name: str) -> Problem:
    text = f"Runs wait in queue {name}, which the settings do not name: nobody sends or takes them."
    mend = f'Add it to BEATKEEPER["QUEUES"] and start a worker (-Q {name}), or edit their jobs and cancel the runs.'
    return _degraded(Code.QUEUE_UNKNOWN, name, text, mend)


def _of_leases(facts: PlatformFacts, patience: Patience) -> Iterator[Problem]:
    over = facts.leases.oldest_expired_seconds or 0.0
    if over > patience.lease_over:
        text = f"{_count(facts.leases.expired)} held by a lease that is over, the oldest for {in_words(over)}."
        mend = f"The leader gives them back: see beat's log. {_START_BEAT}"
        yield _degraded(Code.STUCK_RUNS, "", text, mend)


def of_partitions(partitions: PartitionFacts) -> Iterator[Problem]:
    """What is wrong when days are missing; ``doctor`` asks after it has made them."""
    first = partitions.first_missing
    if first is not None and first < _USUAL_DAYS_AHEAD:
        when = "today" if first == 0 else "tomorrow" if first == 1 else f"in {first} days"
        text = f"The run table has no partition for {when}: its slots cannot be stored."
        mend = "Beat makes them; see whether it runs. Or run manage.py doctor --fix."
        level = _down if first < _LEAST_DAYS_AHEAD else _degraded
        yield level(Code.PARTITIONS_MISSING, "", text, mend)


def _of_zones(facts: PlatformFacts) -> Iterator[Problem]:
    rules = facts.zone_rules
    if rules.leader is not None and rules.leader != rules.here:
        text = (
            f"The leader plans by time zone rules {rules.leader}; here {rules.here} are installed: previews may differ."
        )
        mend = "Install the same version of the package tzdata everywhere and start again."
        yield _degraded(Code.TZDATA_DIFFERS, "", text, mend)


def _of_numbers(facts: PlatformFacts) -> Iterator[Problem]:
    here, written = facts.shard_numbers.here, facts.shard_numbers.written
    if here != written:
        text = f"SHARDS is {here} here, and the jobs are divided into {written}: a beat with {here} stands by."
        mend = f'Run manage.py jobs reshard {here}, or set BEATKEEPER["SHARDS"] to {written} everywhere.'
        yield _degraded(Code.SHARDS_DIFFER, "", text, mend)


def _down(code: Code, subject: str, message: str, what_to_do: str) -> Problem:
    return Problem(code, Severity.DOWN, subject, message, what_to_do)


def _degraded(code: Code, subject: str, message: str, what_to_do: str) -> Problem:
    return Problem(code, Severity.DEGRADED, subject, message, what_to_do)


def _count(runs: int, which: str = "") -> str:
    number = f"{COUNTED:,} or more" if runs >= COUNTED else str(runs)
    return " ".join(filter(None, (number, "run" if runs == 1 else "runs", which, "is" if runs == 1 else "are")))


def in_words(seconds: float) -> str:
    """Such as ``40 s``, ``12 minutes``, ``3 hours``, ``5 days``: the largest unit of which there are two."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
