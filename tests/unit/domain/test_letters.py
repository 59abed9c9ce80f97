"""Where a dead letter goes back to, with which headers, and how much of it people see."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.domain.letters import headers_to_send, way_back
from jobs.domain.preview_body import preview_body
from jobs.worker.dead_letter import read_letter


@pytest.mark.parametrize(
    ("letter", "way"),
    [
        (("team", "events", "a.b"), ("", "team")),
        (("", "events", "a.b"), ("events", "a.b")),
        (("jobs.dead", "events", "a.b"), ("events", "a.b")),
        (("", "", "jobs.dead"), None),
        (("", "jobs.dlx", "x"), None),
        (("jobs.dead", "", "jobs.dead"), None),
    ],
)
def test_the_way_back_leads_to_the_queue_it_died_in(letter: tuple[str, str, str], way: Any) -> None:
    assert way_back(queue=letter[0], exchange=letter[1], routing_key=letter[2]) == way


def test_the_traces_of_the_death_and_copies_for_others_are_left_out() -> None:
    headers = {
        "x-death": [],
        "x-first-death-queue": "a",
        "x-last-death-reason": "b",
        "x-delivery-count": 3,
        "CC": ["a"],
    }
    assert headers_to_send({**headers, "x-mine": 1, "task": "t"}) == {"x-mine": 1, "task": "t"}


def message(**fields: Any) -> Any:
    empty = {"headers": {}, "properties": {}, "delivery_info": {}, "content_type": None, "content_encoding": None}
    return SimpleNamespace(**{**empty, "body": b"x", **fields})


def test_a_letter_died_where_its_newest_death_says() -> None:
    deaths = [
        {"queue": "second", "reason": "expired", "exchange": "team", "routing-keys": ["b", "c"]},
        {"queue": "first", "reason": "rejected", "exchange": "", "routing-keys": ["a"]},
    ]
    headers = {"x-death": deaths, "x-first-death-queue": "first"}
    letter = read_letter(message(headers=headers, properties={"application_headers": headers, "priority": 3}))
    assert (letter.queue, letter.reason, letter.exchange, letter.routing_key) == ("second", "expired", "team", "b")
    assert letter.properties == {"priority": 3}


@pytest.mark.parametrize("deaths", [None, [], "x", [1], [{}], [{"queue": 7, "routing-keys": "x", "exchange": b"y"}]])
def test_headers_of_any_shape_make_a_letter(deaths: Any) -> None:
    came = {"exchange": "e", "routing_key": "k"}
    letter = read_letter(message(headers={"x-death": deaths, "task": {"a": 1}}, delivery_info=came, body=None))
    assert (letter.queue, letter.task, letter.body) == ("", "", b"")


@pytest.mark.parametrize(
    ("body", "encoding", "shown"),
    [
        (b'{"password": "s3cr3t"}', "utf-8", '{"password": "•••"}'),
        ("[“ü”]".encode(), "", "[“ü”]"),
        (base64.b64encode(b'{"token": "s3cr3t"}'), "base64", '{"token": "•••"}'),
        (b"not base64!", "base64", "not base64!"),
        (b"\x80\x04\x95\x00\xff", "binary", "80 04 95 00 ff"),
        (b"", "", ""),
    ],
)
def test_a_body_is_shown_as_text_where_it_is_text_and_masked(body: bytes, encoding: str, shown: str) -> None:
    assert preview_body(body, size=len(body), content_encoding=encoding) == shown


def test_a_body_that_is_cut_says_its_size_and_masks_what_is_left() -> None:
    body = json.dumps([[], {"password": "s3cr3t", "text": "ü" * 5000}], ensure_ascii=False).encode()
    shown = preview_body(body[:4096], size=len(body))
    assert shown.endswith(f"({len(body):,} bytes in all)")
    assert "s3cr3t" not in shown
