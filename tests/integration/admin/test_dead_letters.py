"""Dead letters in the admin: looked at without their bodies, sent back or discarded one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.admin import dead_letter
from jobs.errors import ConflictError
from jobs.models import DeadLetter

LETTERS = "/admin/jobs/deadletter/"
pytestmark = pytest.mark.django_db


def make_letter(**fields: Any) -> DeadLetter:
    body = fields.pop("body", b"[[1], {}]")
    return DeadLetter.objects.create(
        **{"queue": "team", "task": "team.task", "body": body, "size": len(body), **fields}
    )


def said(response: Any) -> str:
    return " ".join(map(str, response.context["messages"]))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The letters that were sent back; the second is refused by the broker."""
    found: list[int] = []

    def send_back(letter_id: int, *, who: str) -> str:
        if found:
            raise ConflictError("no queue is there")
        found.append(letter_id)
        DeadLetter.objects.filter(pk=letter_id).update(state="sent_back", disposed_at="2026-01-01T00:00Z")
        return "team"

    monkeypatch.setattr(dead_letter, "send_back", send_back)
    return found


def test_the_list_shows_what_is_kept_and_reads_no_bodies(admin_client: Client) -> None:
    kept = make_letter(body=b"x" * 100_000)
    make_letter(state="discarded", disposed_at="2026-01-01T00:00Z")
    with CaptureQueriesContext(connection) as queries:
        response = admin_client.get(LETTERS)

    assert list(response.context["cl"].result_list) == [kept]
    assert not [query["sql"] for query in queries if '"body"' in query["sql"]]
    assert len(admin_client.get(f"{LETTERS}?state=all").context["cl"].result_list) == 2


def test_a_list_that_cannot_be_searched_offers_no_search(admin_client: Client) -> None:
    assert b"changelist-search" not in admin_client.get(LETTERS).content
    assert b"changelist-search" in admin_client.get("/admin/jobs/job/").content


def test_the_list_is_narrowed_to_one_queue(admin_client: Client) -> None:
    mine, _ = make_letter(queue="a"), make_letter(queue="b")
    assert list(admin_client.get(f"{LETTERS}?queue=a").context["cl"].result_list) == [mine]
    assert list(admin_client.get(f"{LETTERS}?queue=none").context["cl"].result_list) == []


def test_a_page_masks_secrets_and_shows_the_beginning_of_the_body(admin_client: Client) -> None:
    body = json.dumps([[], {"password": "s3cr3t", "note": "<b>"}, "x" * 10_000]).encode()
    letter = make_letter(body=body, headers={"authorization": "s3cr3t", "lang": "py"})
    with CaptureQueriesContext(connection) as queries:
        content = admin_client.get(f"{LETTERS}{letter.pk}/change/").content.decode()

    assert "s3cr3t" not in content
    assert "<b>" not in content.partition("body")[2].partition("</pre>")[0]
    assert f"({len(body):,} bytes in all)" in content
    reads = [query["sql"] for query in queries if '"body"' in query["sql"]]
    assert reads
    assert all("substring" in read for read in reads)


def test_one_is_sent_back_and_the_history_says_so(admin_client: Client, sent: list[int]) -> None:
    letter = make_letter()
    response = admin_client.post(f"{LETTERS}{letter.pk}/send-back/", follow=True)
    assert sent == [letter.pk]
    assert "Done for 1 dead letter." in said(response)
    assert LogEntry.objects.get().change_message == "Sent back to team."
    assert response.context["buttons"] == []


def test_a_refusal_is_shown_and_ends_the_round(admin_client: Client, sent: list[int]) -> None:
    letters = [make_letter() for _ in range(3)]
    ticked = {"action": "send_back_selected", "_selected_action": [letter.pk for letter in letters]}
    response = admin_client.post(LETTERS, ticked, follow=True)
    assert sent == [letters[0].pk]
    assert f"dead letter {letters[1].pk}: no queue is there" in said(response)
    assert [DeadLetter.objects.get(pk=letter.pk).state for letter in letters] == ["sent_back", "kept", "kept"]


def test_discarding_asks_first(admin_client: Client) -> None:
    one, other = make_letter(), make_letter()
    address = f"{LETTERS}{one.pk}/discard/"
    assert b"Discard" in admin_client.get(address).content
    assert DeadLetter.objects.get(pk=one.pk).state == "kept"
    admin_client.post(address)
    assert DeadLetter.objects.get(pk=one.pk).state == "discarded"

    ticked = {"action": "discard_selected", "_selected_action": [other.pk]}
    assert b'name="sure"' in admin_client.post(LETTERS, ticked).content
    assert DeadLetter.objects.get(pk=other.pk).state == "kept"
    admin_client.post(LETTERS, {**ticked, "sure": "yes"})
    assert DeadLetter.objects.get(pk=other.pk).state == "discarded"


def test_a_viewer_has_no_buttons_and_cannot_act(member: Any) -> None:
    letter, viewer = make_letter(), member("view_deadletter")
    address = f"{LETTERS}{letter.pk}/"
    assert viewer.get(f"{address}change/").context["buttons"] == []
    assert viewer.post(f"{address}send-back/").status_code == 403
    assert viewer.post(f"{address}discard/").status_code == 403
    assert viewer.get(f"{address}send-back/").status_code == 405
    viewer.post(LETTERS, {"action": "discard_selected", "_selected_action": [letter.pk], "sure": "yes"})
    assert DeadLetter.objects.get(pk=letter.pk).state == "kept"


def test_nothing_is_edited_added_or_deleted(admin_client: Client) -> None:
    letter = make_letter()
    assert admin_client.get(f"{LETTERS}add/").status_code == 403
    assert admin_client.post(f"{LETTERS}{letter.pk}/delete/", {"post": "yes"}).status_code == 403
    assert b'name="_save"' not in admin_client.get(f"{LETTERS}{letter.pk}/change/").content
