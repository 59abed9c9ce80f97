"""Templates give the same bytes, as py-amqp reads them, as encoding each message whole would."""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime, timedelta

from amqp.basic_message import Message
from amqp.serialization import loads
from hypothesis import given
from hypothesis import strategies as st

from jobs.broker import encoding
from jobs.broker.encoding import Address, Call, Content, RunTemplate
from jobs.domain.messages import RunKey, task_id

CALL = Call("a.job", "[1]", '{"a": "é"}')
KEY = RunKey(1, datetime(2026, 3, 1, 9, tzinfo=UTC))


def message(
    key: RunKey = KEY,
    token: int = 0,
    *,
    call: Call = CALL,
    limits: tuple[float, float | None] = (1800, None),
) -> Content:
    return RunTemplate(task="app.task", limits=limits).content(key, token, call)


def decoded(content: Content) -> Message:
    message = Message()
    message._load_properties(60, content.properties, 0)
    return message


@given(
    job_id=st.integers(1, 2**62),
    micros=st.integers(0, 4 * 10**15),
    token=st.integers(0, 2**31 - 1),
    name=st.text(min_size=1, max_size=100).filter(lambda text: text.isprintable()),
)
def test_a_run_reads_back_as_it_was_written(job_id: int, micros: int, token: int, name: str) -> None:
    key = RunKey(job_id, datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros))

    content = message(key, token, call=Call(name, "[]", "{}"), limits=(60, 50.5))

    properties = decoded(content).properties
    headers = properties.pop("application_headers")
    attempt = task_id(key, token)
    assert properties == {
        "content_type": "application/json",
        "content_encoding": "utf-8",
        "delivery_mode": 2,
        "correlation_id": attempt,
    }
    assert headers.pop("origin").startswith("beatkeeper")
    assert headers == {
        "lang": "py",
        "task": "app.task",
        "id": attempt,
        "root_id": attempt,
        "shadow": name,
        "retries": 0,
        "timelimit": [60, 50.5],
        "ignore_result": True,
        "argsrepr": "…",
        "kwargsrepr": "…",
        "jobs-run": {"key": str(key), "token": token},
    }


def test_the_body_is_what_celery_reads() -> None:
    content = message()

    assert json.loads(content.body) == [
        [1],
        {"a": "é"},
        {"callbacks": None, "errbacks": None, "chain": None, "chord": None},
    ]


def test_a_payload_stands_in_for_the_arguments_it_names_and_no_others() -> None:
    content = message(call=CALL.replaced_by({"kwargs": {"b": 2}}))

    assert json.loads(content.body)[:2] == [[1], {"b": 2}]


def test_a_payload_may_say_that_there_are_no_arguments() -> None:
    content = message(call=CALL.replaced_by({"args": [], "kwargs": {}}))

    assert json.loads(content.body)[:2] == [[], {}]


def test_a_marker_names_its_queue_and_time_and_expires() -> None:
    content = encoding.marker("jobs.fast", KEY.scheduled_for)

    properties = decoded(content).properties
    assert properties["expiration"] == "600000"
    assert properties["application_headers"]["task"] == "jobs.marker"
    assert properties["application_headers"]["jobs-marker"] == {
        "queue": "jobs.fast",
        "sent_at": KEY.scheduled_for.isoformat(),
    }
    assert json.loads(content.body) == [[], {}, {}]


def frames(data: bytes) -> list[tuple[int, int, bytes]]:
    found = []
    while data:
        kind, channel, size = struct.unpack_from(">BHI", data)
        assert data[7 + size] == 0xCE
        found.append((kind, channel, data[7 : 7 + size]))
        data = data[8 + size :]
    return found


def test_the_frames_address_the_queue_as_mandatory() -> None:
    address = Address(channel_id=3, frame_max=131072, queue="jobs.default")

    method, header, body = frames(address.frames(message()))

    assert [method[:2], header[:2], body[:2]] == [(1, 3), (2, 3), (3, 3)]
    assert struct.unpack_from(">HH", method[2]) == (60, 40)
    assert loads("Bssbb", method[2], 4)[0] == [0, "jobs", "jobs.default", True, False]
    assert struct.unpack_from(">HHQ", header[2]) == (60, 0, len(body[2]))


def test_a_body_larger_than_a_frame_is_split() -> None:
    address = Address(channel_id=1, frame_max=4096, queue="q")
    content = message(call=CALL._replace(args=json.dumps(["x" * 10_000])))

    bodies = [payload for kind, _, payload in frames(address.frames(content)) if kind == 3]

    assert max(map(len, bodies)) == 4096 - 8
    assert b"".join(bodies) == content.body
