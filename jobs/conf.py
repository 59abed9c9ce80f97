"""The one place that reads the ``BEATKEEPER`` setting. Unknown keys and values that cannot work are refused."""

from __future__ import annotations

import functools
import ipaddress
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.conf import settings
from django.utils.encoding import force_str

from jobs.errors import InvalidFieldError

DEFAULT_QUEUE = "jobs.default"
FAST_QUEUE = "jobs.fast"
HTTP_QUEUE = "jobs.http"
QUEUES = (DEFAULT_QUEUE, FAST_QUEUE, HTTP_QUEUE)
_QUEUE_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_KIB = 1024
MOST_SHARDS = 64
_MOST = {
    "LEASE": 3600,
    "RETENTION_DAYS": 400,
    "SHARDS": MOST_SHARDS,
    "DISPATCH_WINDOW": 1_000_000,
    "PAYLOAD_MAX": 8 * _KIB**2,
}
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_METRICS_TOKEN = re.compile(r"|[\x21-\x7e]{16,}")
_REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
_NO_NUMBERS = ("queues", "egress_allow", "redis_url", "metrics_token", "archive_dir")
_FOREIGN_QUEUES = ("amq.", "celery_delayed")  # the broker's own, and those Celery keeps for messages with a delay


@dataclass(frozen=True, slots=True)
class Config:
    """Beatkeeper's settings. Times are in seconds, sizes in bytes of UTF-8 JSON or text."""

    lease: float = 30
    heartbeat: float = 5
    term_trust: float = 5
    term_ttl: float = 10
    dispatch_window: int = 5000
    marker: float = 15
    catch_up_grace: float = 5
    retention_days: int = 30
    shards: int = 1
    queues: tuple[str, ...] = QUEUES
    result_max: int = 64 * _KIB
    log_max: int = 64 * _KIB
    error_max: int = 64 * _KIB
    payload_max: int = 128 * _KIB
    egress_allow: tuple[Network, ...] = ()
    api_rate: int = 100
    redis_url: str = ""
    metrics_token: str = field(default="", repr=False)
    archive_dir: str = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            if item.name not in _NO_NUMBERS:
                _require_number(item.name.upper(), getattr(self, item.name), is_whole=item.type == "int")
        _require(
            self.heartbeat <= self.lease / 3,
            "HEARTBEAT",
            f"{self.heartbeat:g} s is over a third of LEASE ({self.lease:g} s): one lost renewal would end a run. "
            f"Set HEARTBEAT to at most {self.lease / 3:g} or raise LEASE.",
        )
        _require(
            self.term_trust < self.term_ttl,
            "TERM_TRUST",
            f"{self.term_trust:g} s must be below TERM_TTL ({self.term_ttl:g} s), or a leader would trust a term "
            "that a standby may already take.",
        )

    @property
    def shard_window(self) -> int:
        """How many runs of a queue one shard's dispatcher may have out and unclaimed."""
        return max(1, self.dispatch_window // self.shards)


def _require(holds: bool, key: str, problem: str) -> None:
    if not holds:
        raise InvalidFieldError(key, f'BEATKEEPER["{key}"]: {problem}')


def _require_number(key: str, value: object, *, is_whole: bool) -> None:
    is_number = isinstance(value, int if is_whole else (int, float)) and not isinstance(value, bool)
    most = _MOST.get(key, 1_000_000_000)
    _require(
        is_number and math.isfinite(value) and 0 < value <= most,  # type: ignore[arg-type, operator]  # only when a number
        key,
        f"{value!r} must be a {'whole ' if is_whole else ''}number above 0, at most {most:,}.",
    )


def _is_queue_name(name: str) -> bool:
    is_taken = name == "jobs.dead" or name.startswith(_FOREIGN_QUEUES)
    return _QUEUE_NAME.fullmatch(name) is not None and not is_taken


def _queues(value: object) -> tuple[str, ...]:
    """Our queues, then the team's own."""
    is_list = isinstance(value, (list, tuple))
    _require(is_list, "QUEUES", f"{value!r} must be a list of queue names, to be had beside {', '.join(QUEUES)}.")
    for name in value:  # type: ignore[attr-defined]  # a list by now
        _require(
            isinstance(name, str) and _is_queue_name(name),
            "QUEUES",
            f"{name!r} must be 1 to 100 letters, digits, dots, underscores or hyphens, not be jobs.dead, and not begin "
            f"with {' or '.join(_FOREIGN_QUEUES)}.",
        )
    return tuple(dict.fromkeys((*QUEUES, *value)))  # type: ignore[misc]  # likewise


def _networks(value: object) -> tuple[Network, ...]:
    _require(isinstance(value, (list, tuple)), "EGRESS_ALLOW", f"{value!r} must be a list of networks.")
    return tuple(_network(item) for item in value)  # type: ignore[attr-defined]  # a list by now


def _network(value: object) -> Network:
    try:
        network = ipaddress.ip_network(value)  # type: ignore[arg-type]  # what is no text is refused by it
    except ValueError:
        network = None
    _require(
        isinstance(value, str) and network is not None and network.prefixlen > 0,
        "EGRESS_ALLOW",
        f"{value!r} must be a network such as 10.1.0.0/16, fd00:1::/32 or 127.0.0.1/32 without host bits, and not all "
        "addresses. Name what HTTP jobs may reach, as narrowly as you can.",
    )
    return network  # type: ignore[return-value]  # not None by now


def _require_folder(value: object) -> None:
    _require(
        isinstance(value, str) and (value == "" or value.startswith("/")),
        "ARCHIVE_DIR",
        f"{value!r} must be the absolute path of a folder, or be left out: runs are then dropped without a copy.",
    )


def parse(raw: Mapping[str, Any]) -> Config:
    """Build the configuration from a ``BEATKEEPER`` dict; InvalidFieldError names the key at fault."""
    if not isinstance(raw, Mapping):
        raise InvalidFieldError("BEATKEEPER", f"BEATKEEPER is {raw!r}; it must be a dict of settings.")
    known = {item.name.upper(): item.name for item in fields(Config)}
    for key in raw:
        _require(key in known, str(key), f"no such setting. Known are {', '.join(sorted(known))}.")
    values = {known[key]: value for key, value in raw.items()}
    if "queues" in values:
        values["queues"] = _queues(values["queues"])
    if "egress_allow" in values:
        values["egress_allow"] = _networks(values["egress_allow"])
    token = values.get("metrics_token", "")
    _require(
        isinstance(token, str) and _METRICS_TOKEN.fullmatch(token) is not None,
        "METRICS_TOKEN",
        "it must be 16 or more visible ASCII characters, or be left out: /metrics is then closed.",
    )
    url = values.get("redis_url", "")
    _require(
        (isinstance(url, str) and url.startswith(_REDIS_SCHEMES)) or url == "",
        "REDIS_URL",
        f"it must be a text that begins with {' or '.join(_REDIS_SCHEMES)}, or be left out.",
    )
    _require_folder(values.get("archive_dir", ""))
    return Config(**values)


@functools.lru_cache(maxsize=1)
def config() -> Config:
    """The configuration of this process."""
    return parse(getattr(settings, "BEATKEEPER", {}))


def secret_keys() -> tuple[str, ...]:
    """Django's ``SECRET_KEY``, then its fallbacks."""
    return tuple(force_str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
