"""``manage.py jobs``: what each verb writes, for people and as JSON, and how it ends."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoAssertNumQueries

from jobs.domain.states import RunStatus
from jobs.models import Job, JobCursor, JobRun, SlotGap
from jobs.sealing import seal
from jobs.services.pause import pause
from jobs.store.clock import database_now
from tests.support.command import documents, jobs, refusal
from tests.support.factories import make_endpoint, make_job
from tests.support.job_history import get_run, make_run, plan

pytestmark = pytest.mark.django_db
SECRET, HEADERS = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0", '{"Authorization": "Bearer s3cr3t"}'


def test_list_names_living_jobs_in_order_with_their_state() -> None:
    make_job(name="b-off", enabled=False)
    pause(make_job(name="c-paused"), reason="deploy")
    parked = make_job(name="d-parked")
    JobCursor.objects.filter(pk=parked.pk).update(error="bad zone")
    Job.objects.filter(pk=make_job(name="gone").pk).update(archived_at=database_now())
    planned = make_job(name="a-active")
    plan(planned, next_run_at=database_now().replace(microsecond=0) + timedelta(minutes=5))

    found = documents("list")
    assert [(line["name"], line["state"], line["note"]) for line in found] == [
        ("a-active", "active", ""),
        ("b-off", "disabled", ""),
        ("c-paused", "paused", "deploy"),
        ("d-parked", "parked", "bad zone"),
    ]
    assert set(found[0]) == {"name", "state", "note", "schedule", "next", "task", "endpoint", "queue", "source"}
    assert found[0]["next"].endswith("Z")
    assert "a-active" in jobs("list")


def test_list_is_bounded_and_says_how_to_go_on(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(5):
        make_job(name=f"job-{number}-x")
    out, err = StringIO(), StringIO()
    with django_assert_num_queries(2):
        call_command("jobs", "list", "--json", "--limit", "3", stdout=out, stderr=err)
    assert len(out.getvalue().splitlines()) == 3
    assert err.getvalue() == "More than 3 jobs: see the rest with --after job-2-x, or raise --limit.\n"
    assert [line["name"] for line in documents("list", "--after", "job-2-x")] == ["job-3-x", "job-4-x"]


def test_list_shows_a_definition_that_raw_sql_has_spoilt() -> None:
    Job.objects.filter(pk=make_job(name="spoilt").pk).update(timezone="Moon/Base")
    (line,) = documents("list")
    assert line["schedule"].startswith("invalid: ")
    assert line["state"] == "parked"


def test_show_tells_schedule_slots_error_runs_and_gaps() -> None:
    job = make_job(name="report", cron="0 9 * * 1-5", timezone="Europe/Berlin")
    run = make_run(job, RunStatus.DEAD, last_error="Traceback …\nValueError: boom", attempts=5)
    now = database_now()
    SlotGap.objects.create(job=job, after=now, until=now + timedelta(hours=1), reason="paused", version=1)
    JobCursor.objects.filter(pk=job.pk).update(error="cannot plan")

    (document,) = documents("show", "report")
    assert document["schedule"] == "At 09:00 on Monday to Friday, Europe/Berlin"
    assert document["cursor"]["error"] == "cannot plan"
    assert len(document["next_slots"]) == 5
    assert document["next_slots"][0]["local"][11:19] == "09:00:00"
    assert document["last_runs"][0]["run"] == str(run.key)
    assert document["gaps"][0]["reason"] == "paused"
    assert document["definition"]["cron"] == "0 9 * * 1-5"
    assert any("jobs.default" in warning for warning in document["warnings"])

    text = jobs("show", "report")
    assert "ValueError: boom" in text
    assert "cannot plan" in text


def test_list_and_show_tell_the_endpoint_of_an_http_job_and_nothing_of_its_secrets() -> None:
    endpoint = make_endpoint(name="billing", enabled=False, sealed_secret=seal(SECRET), sealed_headers=seal(HEADERS))
    make_job(name="invoice", task="", endpoint=endpoint, body={"run": "{{ run }}"}, headers={"X-Team": "billing"})
    make_job(name="report", task="tests.noop")
    assert [(line["task"], line["endpoint"]) for line in documents("list")] == [(None, "billing"), ("tests.noop", None)]
    (document,) = documents("show", "invoice")
    definition = document["definition"]
    assert {key: definition[key] for key in ("endpoint", "body", "headers", "task")} == {
        "endpoint": "billing",
        "body": {"run": "{{ run }}"},
        "headers": {"X-Team": "billing"},
        "task": "",
    }
    assert any('Endpoint "billing" is disabled' in warning for warning in document["warnings"])
    assert "POST billing" in jobs("list")
    assert "endpoint: billing" in jobs("show", "invoice")
    said = json.dumps(document) + jobs("show", "invoice")
    assert not [word for word in (SECRET, "s3cr3t", endpoint.sealed_secret, endpoint.sealed_headers) if word in said]


def test_show_tells_the_webhook_and_that_it_is_disabled() -> None:
    make_job(name="report", webhook=make_endpoint(name="billing", enabled=False))
    (document,) = documents("show", "report")
    assert document["definition"]["webhook"] == "billing"
    assert any("webhooks to it are dead at once" in warning for warning in document["warnings"])
    assert "webhook:  billing" in jobs("show", "report")


def test_run_takes_a_body_for_an_http_job_and_arguments_for_a_task() -> None:
    job = make_job(name="invoice", task="", endpoint=make_endpoint())
    make_job(name="report")
    assert documents("run", "invoice", "--body", '{"a": "ü"}')[0]["status"] == "queued"
    assert JobRun.objects.get(job=job).payload == {"body": {"a": "ü"}}
    assert refusal("run", "invoice", "--args", "[1]") == (
        'This job POSTs to an endpoint; allowed is body. Leave "args" out.'
    )
    assert refusal("run", "report", "--body", "{}") == (
        'This job calls a Celery task; allowed are args and kwargs. Leave "body" out.'
    )
    assert refusal("run", "invoice", "--body", "{").startswith("body { is not JSON: ")


def test_preview_of_an_expression_marks_what_a_clock_change_moved() -> None:
    (document,) = documents(
        *("preview", "--cron", "30 2 * * *", "--tz", "Europe/Berlin", "--count", "2"),
        *("--after", "2026-03-28T12:00:00+00:00"),
    )
    assert document["slots"] == [
        {"local": "2026-03-29T03:00:00+02:00", "offset_seconds": 7200, "utc": "2026-03-29T01:00:00Z", "moved": True},
        {"local": "2026-03-30T02:30:00+02:00", "offset_seconds": 7200, "utc": "2026-03-30T00:30:00Z", "moved": False},
    ]
    text = jobs("preview", "--cron", "30 2 * * *", "--tz", "Europe/Berlin", "--after", "2026-03-28T12:00:00+00:00")
    assert text.count("moved by a clock change") == 1


def test_preview_of_a_job_uses_its_definition() -> None:
    make_job(name="report", cron="0 9 * * *", timezone="Asia/Tokyo")
    (document,) = documents("preview", "report", "--after", "2026-01-01T00:00:00+09:00", "--count", "1")
    assert document["slots"][0]["utc"] == "2026-01-01T00:00:00Z"
    assert "goes with --cron" in refusal("preview", "report", "--tz", "UTC")


def test_preview_warns_of_what_is_probably_not_meant() -> None:
    (document,) = documents("preview", "--cron", "*/45 * * * *")
    assert document["warnings"]


def test_run_queues_a_run_and_names_its_key() -> None:
    job = make_job(name="report")
    (document,) = documents("run", "report", "--args", "[1]", "--kwargs", '{"a": "ü"}')
    run = JobRun.objects.get(job=job)
    assert (document["run"], document["status"], document["trigger"]) == (str(run.key), "queued", "manual")
    assert run.payload == {"args": [1], "kwargs": {"a": "ü"}}
    assert str(run.key) in jobs("runs", "report")


def test_run_takes_a_delay_or_a_time() -> None:
    make_job(name="report")
    (later,) = documents("run", "report", "--in", "3600")
    assert later["run_after"] > later["scheduled_for"][:10]
    at = (database_now() + timedelta(days=1)).replace(microsecond=0)
    (timed,) = documents("run", "report", "--at", at.isoformat())
    assert timed["run_after"] == at.isoformat().replace("+00:00", "Z")
    with pytest.raises(CommandError, match="not allowed with"):
        jobs("run", "report", "--in", "1", "--at", at.isoformat())


def test_run_with_wait_ends_with_1_when_it_did_not_succeed() -> None:
    make_job(name="report")
    assert "is still queued after 0.1 s" in refusal("run", "report", "--wait", "0.1")


def test_a_forbidden_run_is_refused_unless_forced() -> None:
    job = make_job(name="report", concurrency_policy="forbid")
    active = make_run(job, RunStatus.RUNNING)
    assert f"run {active.key} is running" in refusal("run", "report")
    assert documents("run", "report", "--force")[0]["status"] == "queued"


def test_runs_lists_the_newest_of_a_job_or_of_all_by_status() -> None:
    one, two = make_job(name="one"), make_job(name="two")
    keys = [make_run(job, status).key for job in (one, two) for status in (RunStatus.DEAD, RunStatus.QUEUED)]
    assert [run["run"] for run in documents("runs", "one")] == [str(key) for key in reversed(keys[:2])]
    assert [run["run"] for run in documents("runs")] == [str(key) for key in reversed(keys)]
    assert [run["run"] for run in documents("runs", "--status", "dead")] == [str(keys[2]), str(keys[0])]
    assert len(documents("runs", "--limit", "1")) == 1


def test_pause_resume_cancel_and_retry_do_what_they_say() -> None:
    job = make_job(name="report")
    assert "report is paused" in jobs("pause", "report", "--reason", "deploy")
    assert "report goes on" in jobs("resume", "report", "--catch-up", "latest")
    run = make_run(job)
    assert "is cancelled" in jobs("cancel", str(run.key))
    dead = make_run(job, RunStatus.DEAD, attempts=5)
    assert f"{dead.key} is queued again; up to 5 more attempts." in jobs("retry", str(dead.key))
    running = make_run(job, RunStatus.RUNNING)
    assert "asked to end" in jobs("cancel", str(running.key))
    assert get_run(running.key).cancel_requested_at is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "nix"), 'There is no job "nix". `jobs list` shows those there are.'),
        (("show", "\udcff"), 'There is no job "\ufffd".'),
        (("pause", "report", "--reason", "\udcff"), "The reason holds half of a surrogate pair"),
        (("preview", "--cron", "\udcff * * * *"), 'Cron "'),
        (("run", "report", "--args", '["\udcff"]'), "A text holds half of a surrogate pair"),
        (("cancel", "abc"), "Run key 'abc' is not of the form JOB_ID-MICROSECONDS. `jobs runs` shows the keys."),
        (("retry", "1-5"), "There is no run 1-5: it never was, or it is older than the retention time."),
        (("cancel", f"{2**70}-5"), f"There is no run {2**70}-5."),
        (("resume", "report"), 'Job "report" is not paused; nothing to resume.'),
        (("run", "report", "--args", "[1"), "args [1 is not JSON: Expecting ',' delimiter at line 1, column 3."),
        (("run", "report", "--args", "{}"), 'Arguments must be a JSON list such as [1, "a"], not an object.'),
        (("preview", "--cron", "61 * * * *"), 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'),
    ],
)
def test_a_refusal_is_one_line_with_the_way_out(arguments: tuple[str, ...], message: str) -> None:
    make_job(name="report")
    assert refusal(*arguments).startswith(message)


def test_an_archived_name_is_told_apart_from_an_unknown_one() -> None:
    Job.objects.filter(pk=make_job(name="old").pk).update(archived_at=database_now())
    assert refusal("show", "old") == 'There is no job "old". It was archived. `jobs list` shows those there are.'


@pytest.mark.parametrize(
    "arguments",
    [
        ("dance",),
        ("list", "--limit", "0"),
        ("preview",),
        ("runs", "--status", "lost"),
        ("run", "x", "--in", "-1"),
        ("run", "x", "--at", "2030-01-01T00:00:00"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...]) -> None:
    from jobs.management.commands.jobs import Command

    command = Command(stdout=StringIO(), stderr=StringIO())
    with pytest.raises(SystemExit) as caught:
        command.run_from_argv(["manage.py", "jobs", *arguments])
    assert caught.value.code == 2


def test_other_peoples_texts_cannot_steer_the_terminal() -> None:
    job = make_job(name="report", description="x")
    make_run(job, RunStatus.DEAD, last_error="\x1b[2J\u202egone")
    assert "\x1b" not in jobs("show", "report")
    assert "\u202e" not in jobs("show", "report")


def test_run_tells_the_webhook_that_it_names() -> None:
    make_job(name="report", webhook=make_endpoint(name="usual"))
    make_endpoint(name="billing")
    for options in ((), ("--webhook", "billing")):
        jobs("run", "report", *options)
    assert [run.webhook.name for run in JobRun.objects.order_by("scheduled_for")] == ["usual", "billing"]
    assert refusal("run", "report", "--webhook", "none") == 'There is no endpoint "none". Name one that is registered.'
    assert JobRun.objects.count() == 2
