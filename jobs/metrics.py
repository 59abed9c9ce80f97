"""The platform's facts as Prometheus metrics. All are read from the database at a scrape, so each process of a web
server tells the same, and a dead process takes none with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from jobs.domain.platform import BrokerState, PlatformFacts, QueueFacts, ShardFacts
from jobs.domain.problems import Code, Problem
from jobs.domain.states import RunStatus

Sample = tuple[tuple[str, ...], float]


@dataclass(frozen=True, slots=True)
class Metric:
    """A gauge with its labels, none of which takes values without a bound."""

    name: str
    help: str
    labels: tuple[str, ...]
    samples: Callable[[PlatformFacts], Iterable[Sample]]


def families(facts: PlatformFacts, problems: Iterable[Problem]) -> Iterator[GaugeMetricFamily]:
    """Each metric with its values."""
    for metric in METRICS:
        yield _family(metric, metric.samples(facts))
    codes = [problem.code for problem in problems]
    yield _family(PROBLEMS, (((code.value,), codes.count(code)) for code in Code))


def uncounted_requests(number: int) -> CounterMetricFamily:
    """The one fact that is a process's own: requests let through since Redis did not count them."""
    return CounterMetricFamily(f"beatkeeper_{UNCOUNTED.name}", UNCOUNTED.help, value=number)


def _family(metric: Metric, samples: Iterable[Sample]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"beatkeeper_{metric.name}", metric.help, labels=metric.labels)
    for labels, value in samples:
        family.add_metric(labels, value)
    return family


def _of_shards(name: str, text: str, value: Callable[[ShardFacts], float]) -> Metric:
    return Metric(name, text, ("shard",), lambda facts: (((str(one.shard),), value(one)) for one in facts.shards))


def _of_queues(name: str, text: str, value: Callable[[QueueFacts], float]) -> Metric:
    return Metric(name, text, ("queue",), lambda facts: (((one.name,), value(one)) for one in facts.queues))


def _of_all(name: str, text: str, value: Callable[[PlatformFacts], float]) -> Metric:
    return Metric(name, text, (), lambda facts: (((), value(facts)),))


def _never(age: float | None) -> float:
    """Of what should have been: infinitely long ago when it never was."""
    return math.inf if age is None else age


def _runs(facts: PlatformFacts) -> Iterator[Sample]:
    for queue in facts.queues:
        yield (queue.name, "waiting"), queue.waiting
        yield (queue.name, "sent"), queue.sent
        yield (queue.name, "running"), queue.running


def _start_delays(facts: PlatformFacts) -> Iterator[Sample]:
    recent = facts.recent
    for quantile, value in (("0.5", recent.start_delay_median_seconds), ("0.99", recent.start_delay_p99_seconds)):
        if value is not None:
            yield (quantile,), value


UNCOUNTED = Metric(
    "api_requests_uncounted",
    "Requests that the answering web process let through while Redis did not count them.",
    (),
    lambda _: (),
)
PROBLEMS = Metric("problems", "What is wrong, as /v1/platform says it: how many of each code.", ("code",), lambda _: ())
_VERSIONS = ("beatkeeper", "django", "celery", "python", "postgresql")
METRICS = (
    _of_shards("leader_tick_age_seconds", "Since the leader's last tick.", lambda one: _never(one.seconds_since_tick)),
    _of_shards("leader_term", "The number of the newest term.", lambda one: one.term),
    _of_shards(
        "emission_late_seconds",
        "How long the longest due slot has not become a run.",
        lambda one: one.emission_late_seconds,
    ),
    Metric(
        "runs",
        "Unfinished runs by where they are: waiting (due, not sent), sent (unclaimed), running. Counted to 1,000.",
        ("queue", "state"),
        _runs,
    ),
    _of_queues(
        "oldest_waiting_seconds",
        "How long the longest due run has not been sent.",
        lambda one: one.oldest_waiting_seconds or 0.0,
    ),
    _of_queues(
        "oldest_sent_seconds",
        "How long the longest sent run has not been claimed.",
        lambda one: one.oldest_sent_seconds or 0.0,
    ),
    _of_queues("marker_age_seconds", "Since a marker came back.", lambda one: _never(one.seconds_since_marker)),
    _of_queues("queue_consumed", "1 when a worker takes from the queue.", lambda one: one.is_consumed),
    _of_queues("queue_blocked", "1 when nothing can be sent to the queue.", lambda one: one.is_blocked),
    Metric(
        "broker",
        "1 at the state in which the leader's dispatcher finds the broker.",
        ("state",),
        lambda facts: (((state.value,), facts.broker.state is state) for state in BrokerState),
    ),
    _of_all(
        "broker_seen_age_seconds",
        "Since the dispatcher told of the broker.",
        lambda facts: _never(facts.broker.seconds_since_seen),
    ),
    _of_all(
        "expired_leases",
        "Runs whose lease is over and that are not given back. Counted to 1,000.",
        lambda facts: facts.leases.expired,
    ),
    _of_all(
        "oldest_expired_lease_seconds",
        "How long the longest of these leases is over.",
        lambda facts: facts.leases.oldest_expired_seconds or 0.0,
    ),
    _of_all(
        "dead_runs", "Dead runs with a slot in the last 24 hours. Counted to 1,000.", lambda facts: facts.dead_runs
    ),
    _of_all(
        "partitions_missing_days",
        "Days from today to 14 ahead without a partition of the run table.",
        lambda facts: facts.partitions.missing,
    ),
    Metric(
        "recent_runs",
        "How the newest runs stand, 1,000 at most.",
        ("status",),
        lambda facts: (((status.value,), facts.recent.by_status.get(status, 0)) for status in RunStatus),
    ),
    Metric(
        "start_delay_seconds",
        "From due to the first start, of the newest runs that started within a minute. None without any.",
        ("quantile",),
        _start_delays,
    ),
    Metric(
        "info",
        "1, with the versions of the process that answers.",
        _VERSIONS,
        lambda facts: ((tuple(facts.versions.get(name, "") for name in _VERSIONS), 1.0),),
    ),
    Metric(
        "tzdata_info",
        "1, with the versions of the time zone rules: of the process that answers, and those that the leader plans by.",
        ("here", "leader"),
        lambda facts: (((facts.zone_rules.here, facts.zone_rules.leader or ""), 1.0),),
    ),
)
