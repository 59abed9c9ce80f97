"""What the leader's dispatcher tells of the broker, for processes that do not speak with it themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jobs.domain.masking import mask_text
from jobs.domain.platform import BrokerState
from jobs.store.statement import Statement

_RECORD = Statement("record_broker")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class BrokerTrace:
    """How it stands, and of each queue that takes nothing, why."""

    state: BrokerState
    because: str = ""
    queues: Mapping[str, str] = field(default_factory=dict)


def record(trace: BrokerTrace) -> None:
    """Write it with the database's time; texts are cut to 200 characters, and secrets in them masked."""
    queues = {queue: _cut(why) for queue, why in trace.queues.items()}
    _RECORD.run(state=trace.state.value, because=_cut(trace.because), queues=json.dumps(queues))


def read(value: Any) -> tuple[BrokerTrace, datetime, datetime] | None:
    """The fact in ``jobs_state`` as a trace, since when the broker stands so, and when that was seen last."""
    if value is None:
        return None
    trace = BrokerTrace(BrokerState(value["state"]), value["because"], value["queues"])
    return trace, datetime.fromisoformat(value["since"]), datetime.fromisoformat(value["seen_at"])


def _cut(text: str) -> str:
    return mask_text(text.replace("\0", ""))[:_LONGEST]
