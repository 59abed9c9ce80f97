"""The pages of dead runs: groups, one group's runs, and what replaying from there does."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.admin import dead as dead_admin
from jobs.services.archive import archive
from tests.integration.dead.conftest import BUSY, group_of, make_dead
from tests.support.factories import make_endpoint, make_job
from tests.support.job_history import get_run

GROUPS = "/admin/jobs/deadrun/"
pytestmark = pytest.mark.django_db


def page(error: str = BUSY, verb: str = "change") -> str:
    return f"{GROUPS}{group_of(error)}/{verb}/"


def said(response: Any) -> str:
    return " ".join(map(str, response.context["messages"]))


def test_groups_are_listed_with_their_error_and_numbers(admin_client: Client) -> None:
    make_dead(make_job(), 2)
    make_dead(make_job(), 1)
    make_dead(make_job(), 1, error="")

    response = admin_client.get(GROUPS)

    assert {(row.error, row.runs, row.jobs) for row in response.context["groups"]} == {(BUSY, "3", "2"), ("", "1", "1")}
    assert page().encode() in response.content
    assert b"Dead runs" in admin_client.get("/admin/").content


def test_an_empty_list_says_so(admin_client: Client) -> None:
    assert b"No run of these days is dead." in admin_client.get(GROUPS).content
    assert b"is dead" in admin_client.get(f"{GROUPS}0123456789ab/change/").content


def test_older_days_are_shown_when_asked_for(admin_client: Client) -> None:
    make_dead(make_job(), ago=10 * 86_400)
    assert admin_client.get(GROUPS).context["groups"] == []
    assert len(admin_client.get(f"{GROUPS}?days=30").context["groups"]) == 1
    assert admin_client.get(f"{GROUPS}?days=99999").context["days"] == 7


def test_a_groups_page_shows_its_runs_with_the_errors_of_each_attempt(admin_client: Client) -> None:
    errors = [
        {"attempt": n, "kind": "failed", "type": "HTTP 503", "message": f"try {n}", "traceback": ""} for n in (1, 2)
    ]
    job = make_job(args=[1], kwargs={"password": "hunter2", "who": "ann"})
    (key,) = make_dead(job, errors=errors, attempts=2)
    make_dead(make_job(), error="HTTP 404: gone")

    content = admin_client.get(page()).content.decode()

    assert str(key) in content
    assert "try 1" in content
    assert "try 2" in content
    assert "ann" in content
    assert "•••" in content
    assert "hunter2" not in content
    assert content.count('name="runs"') == 1


def test_times_are_shown_in_the_job_s_zone_as_on_other_pages(admin_client: Client) -> None:
    errors = [
        {"attempt": 1, "kind": "failed", "at": "2026-07-01T10:00:00.5+00:00"},
        {"attempt": 2, "kind": "failed", "at": "nonsense"},
    ]
    make_dead(make_job(timezone="Europe/Berlin"), errors=errors)
    content = admin_client.get(page()).content.decode()
    assert "2026-07-01 12:00:00.500 +02:00" in content
    assert "2026-07-01T10" not in content
    assert "nonsense" not in content


def test_a_call_s_own_body_is_shown_in_place_of_the_job_s(admin_client: Client) -> None:
    job = make_job(task="", endpoint=make_endpoint(), body={"whose": "the job"})
    make_dead(job, payload={"body": {"whose": "the run"}})
    make_dead(job, ago=120)
    (own, plain) = admin_client.get(page()).context["runs"]
    assert (own.arguments, plain.arguments) == ('{"body": {"whose": "the run"}}', '{"body": {"whose": "the job"}}')


def test_everything_from_team_code_is_escaped_and_masked(admin_client: Client) -> None:
    evil = "<script>x</script> token=s3cr3t"
    errors = [{"attempt": 1, "kind": evil, "type": evil, "message": evil, "traceback": evil}, "not an object"]
    make_dead(make_job(kwargs={"a": evil}), error=evil, errors=errors, payload={"args": [evil]})
    for address in (GROUPS, page(evil)):
        content = admin_client.get(address).content.decode()
        assert "<script>x" not in content
        assert "s3cr3t" not in content


def test_runs_are_paged_by_key(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_admin, "_PAGE", 2)
    keys = make_dead(make_job(), 5)
    first = admin_client.get(page())
    assert [row.key for row in first.context["runs"]] == [keys[4], keys[3]]
    second = admin_client.get(f"{page()}?before={first.context['older']}")
    assert [row.key for row in second.context["runs"]] == [keys[2], keys[1]]
    last = admin_client.get(f"{page()}?before={second.context['older']}")
    assert ([row.key for row in last.context["runs"]], last.context["older"]) == ([keys[0]], None)


def test_the_pages_do_a_bounded_number_of_queries_and_count_no_table(admin_client: Client) -> None:
    for number in range(30):
        make_dead(make_job(), error=f"E{number}: x")
        make_dead(make_job())
    for address in (GROUPS, page()):
        with CaptureQueriesContext(connection) as queries:
            assert admin_client.get(address).status_code == 200
        assert len(queries) <= 12, address


def test_ticked_runs_are_replayed_at_the_rate(admin_client: Client) -> None:
    keys = make_dead(make_job(), 3)
    response = admin_client.post(
        page(verb="replay"), {"which": "selected", "runs": [str(key) for key in keys[:2]], "rate": "0.5"}, follow=True
    )

    assert [get_run(key).status for key in keys] == ["queued", "queued", "dead"]
    assert (get_run(keys[1]).run_after - get_run(keys[0]).run_after).total_seconds() == 2
    assert get_run(keys[0]).errors[-1]["by"] == "admin"
    assert "Queued again: 2." in said(response)


def test_all_of_a_group_are_replayed_and_the_history_names_it(admin_client: Client) -> None:
    keys, archived = make_dead(make_job(), 3), make_job()
    make_dead(archived)
    archive(archived)

    response = admin_client.post(page(verb="replay"), {"which": "all", "rate": "10", "days": "7"}, follow=True)

    assert [get_run(key).status for key in keys] == ["queued"] * 3
    assert "Queued again: 3. Still dead in this group: 1." in said(response)
    assert "its job is archived" in said(response)
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.object_repr) == (group_of(BUSY), BUSY)
    assert entry.change_message == "Replayed 3 at 10 a second."
    assert entry.get_admin_url() == page()


def test_only_the_days_that_are_shown_are_replayed(admin_client: Client) -> None:
    (old,) = make_dead(make_job(), ago=10 * 86_400)
    admin_client.post(page(verb="replay"), {"which": "all", "rate": "10", "days": "7"})
    assert get_run(old).status == "dead"
    admin_client.post(page(verb="replay"), {"which": "all", "rate": "10", "days": "30"})
    assert get_run(old).status == "queued"


@pytest.mark.parametrize("rate", ["", "0", "-1", "x", "nan", "1e9"])
def test_a_rate_that_cannot_be_replays_nothing(admin_client: Client, rate: str) -> None:
    (key,) = make_dead(make_job())
    response = admin_client.post(page(verb="replay"), {"which": "all", "rate": rate}, follow=True)
    assert "Runs a second" in said(response)
    assert get_run(key).status == "dead"


def test_nothing_ticked_is_told(admin_client: Client) -> None:
    make_dead(make_job())
    answer = admin_client.post(page(verb="replay"), {"which": "selected", "rate": "1", "runs": "x"}, follow=True)
    assert "No run is ticked." in said(answer)


def test_a_viewer_sees_no_buttons_and_cannot_replay(member: Any) -> None:
    (key,) = make_dead(make_job())
    viewer = member("view_jobrun")
    assert b"Replay all" not in viewer.get(page()).content
    assert viewer.post(page(verb="replay"), {"which": "all", "rate": "1"}).status_code == 403
    assert viewer.get(page(verb="replay")).status_code == 405
    assert get_run(key).status == "dead"


def test_a_stranger_sees_nothing(member: Any) -> None:
    stranger = member("view_job")
    assert stranger.get(GROUPS).status_code == 403
    assert stranger.get(f"{GROUPS}0123456789ab/change/").status_code == 403
    assert b"Dead runs" not in stranger.get("/admin/").content


def test_a_post_without_a_token_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post(f"{GROUPS}0123456789ab/replay/").status_code == 403
