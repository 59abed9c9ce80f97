"""``jobs dead``, ``jobs replay --group`` and ``jobs dead-letters``."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.management.doctor import letters as doctor
from jobs.models import DeadLetter, JobRun
from jobs.services.prune import prune_records
from jobs.services.replay import replay
from jobs.store.clock import database_now
from tests.integration.dead.conftest import BUSY, group_of, make_dead
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run

pytestmark = pytest.mark.django_db


def jobs(*arguments: str) -> tuple[str, str]:
    """What the command writes, and what it notes."""
    out, err = StringIO(), StringIO()
    call_command("jobs", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def documents(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in jobs(*arguments, "--json")[0].splitlines()]


def refusal(*arguments: str) -> str:
    err = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("jobs", *arguments, stdout=StringIO(), stderr=err)
    assert caught.value.code == 1
    return err.getvalue()


def test_dead_lists_groups() -> None:
    keys = make_dead(make_job(), 3)
    (group,) = documents("dead")
    assert group.items() >= {"group": group_of(BUSY), "error": BUSY, "runs": 3, "jobs": 1, "is_capped": False}.items()
    assert group["newest"] == str(keys[-1])
    assert BUSY in jobs("dead")[0]


def test_dead_says_what_it_left_out() -> None:
    make_dead(make_job(), ago=9 * 86_400)
    assert "No run with a slot since" in jobs("dead")[1]
    long_ago = (database_now() - timedelta(days=20)).isoformat()
    assert len(documents("dead", "--since", long_ago)) == 1
    for word in ("one", "two"):
        make_dead(make_job(), error=f"E: {word}")
    assert "2 groups: see more with --limit" in jobs("dead", "--limit", "1")[1]


def test_dead_lists_the_runs_of_a_group_with_the_errors_of_each_attempt() -> None:
    errors = [{"attempt": 1, "kind": "failed", "type": "HTTP 503", "message": "token=s3cr3t", "at": "2026-01-01"}]
    (key,) = make_dead(make_job(name="busy"), errors=errors, attempts=1)
    group = group_of(BUSY)

    text, _ = jobs("dead", "--group", group)
    assert f"{key}  busy  1 attempts" in text
    assert "1 failed  HTTP 503: token=•••" in text
    (document,) = documents("dead", "--group", group)
    assert document["errors"][0]["message"] == "token=•••"
    with pytest.raises(CommandError, match="is not a group of 12 hexadecimal characters"):
        jobs("dead", "--group", "nonsense")


def test_replay_takes_many_keys_and_tells_each_refusal() -> None:
    keys, done = make_dead(make_job(), 2), make_run(make_job(), RunStatus.SUCCEEDED)
    text, notes = jobs("replay", *map(str, keys), str(done.key))
    assert "Queued again: 2." in text
    assert f"Run {done.key} is succeeded" in notes
    assert "No run was queued again; refused: 2." in refusal("replay", str(done.key), str(keys[0]))


def test_replay_of_a_group_is_paced_limited_and_of_one_job() -> None:
    job = make_job(name="busy")
    keys, other = make_dead(job, 3), make_dead(make_job(), 1)
    (report,) = documents("replay", "--group", group_of(BUSY), "--rate", "2", "--limit", "2", "--job", "busy")
    assert report == {"replayed": 2, "refused": [], "left": 1}
    assert [get_run(key).status for key in [*keys, *other]] == ["queued", "queued", "dead", "dead"]
    assert (get_run(keys[1]).run_after - get_run(keys[0]).run_after).total_seconds() == 0.5
    text, _ = jobs("replay", "--group", group_of(BUSY))
    assert text == "Queued again: 2.\n"


@pytest.mark.parametrize("since", [(), ("--since", "2026-01-01T00:00:00+00:00"), ("--job", "busy")])
def test_replay_of_a_group_without_a_dead_run_is_refused(since: tuple[str, ...]) -> None:
    make_job(name="busy")
    told = refusal("replay", "--group", "0123456789ab", *since)
    assert "Group 0123456789ab has no dead run" in told
    assert "`jobs dead` lists the groups" in told


def test_replay_and_retry_are_one_command() -> None:
    one, other = make_dead(make_job(), 2)
    for verb, key in (("replay", one), ("retry", other)):
        assert f"{key} is queued again" in jobs(verb, str(key))[0]


def test_the_attempts_that_are_left_are_told_though_one_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    (key,) = make_dead(make_job(max_attempts=3), attempts=3, max_attempts=3)

    def replay_and_begin(key: RunKey, **options: Any) -> None:
        replay(key, **options)
        JobRun.objects.filter(job_id=key.job_id).update(attempts=4)

    monkeypatch.setattr("jobs.management.cli.replay.replay", replay_and_begin)
    assert f"{key} is queued again; up to 3 more attempts." in jobs("replay", str(key))[0]


@pytest.mark.parametrize("arguments", [(), ("1-1", "--group", "0123456789ab")])
def test_replay_wants_keys_or_a_group(arguments: tuple[str, ...]) -> None:
    assert "one of the two" in refusal("replay", *arguments)


def test_replay_refuses_a_rate_that_cannot_be() -> None:
    assert "is not from 0.01 to 1,000" in refusal("replay", "--group", "0123456789ab", "--rate", "0")


def make_letter(**fields: Any) -> DeadLetter:
    letter = {"queue": "team", "task": "team.task", "body": b'[[], {"token": "s3cr3t"}]', "size": 25, **fields}
    return DeadLetter.objects.create(**letter)


def test_dead_letters_are_listed_with_a_masked_body() -> None:
    one, _ = make_letter(), make_letter(queue="other")
    assert "team.task" in jobs("dead-letters")[0]
    (document,) = documents("dead-letters", "--queue", "team")
    assert (document["id"], document["body"]) == (one.pk, '[[], {"token": "•••"}]')
    assert "There are no such dead letters." in jobs("dead-letters", "list", "--state", "discarded")[1]


def test_dead_letters_are_discarded_by_id() -> None:
    one, other = make_letter(), make_letter()
    assert f"Dead letter {one.pk} is discarded." in jobs("dead-letters", "discard", str(one.pk))[0]
    told = refusal("dead-letters", "discard", str(one.pk), str(other.pk))
    assert f"Dead letter {one.pk} is discarded already. Not looked at: {other.pk}." in told
    assert "wants the ids" in refusal("dead-letters", "send-back")


def test_dead_letters_are_listed_by_id_with_and_without_the_word() -> None:
    one, other = make_letter(), make_letter()
    for arguments in ((str(one.pk),), ("list", str(one.pk))):
        assert [letter["id"] for letter in documents("dead-letters", *arguments)] == [one.pk]
    both = documents("dead-letters", str(one.pk), str(other.pk), "--limit", "5")
    assert [letter["id"] for letter in both] == [other.pk, one.pk]


@pytest.mark.parametrize("word", ["frob", "-1", "1.5", str(2**63), "١"])
def test_a_word_that_is_neither_a_deed_nor_an_id_is_named(word: str) -> None:
    with pytest.raises(CommandError, match=r"neither list, send-back, discard nor the id|unrecognized arguments"):
        jobs("dead-letters", word)


@pytest.mark.parametrize("words", [("1", "discard"), ("discard", "send-back", "1"), ("list", "list")])
def test_a_deed_stands_once_and_first(words: tuple[str, ...]) -> None:
    assert "Name one of list, send-back, discard, once, and before the ids." in refusal("dead-letters", *words)


def test_the_doctor_names_kept_letters_and_how_to_see_them() -> None:
    (finding,) = doctor.findings()
    assert (finding.level, finding.mend) == ("ok", "")
    make_letter()
    (finding,) = doctor.findings()
    assert finding.text.startswith("1 message that came to jobs.dead")
    assert "jobs dead-letters" in finding.mend


def test_disposed_letters_go_with_the_retention_and_kept_ones_never() -> None:
    now = database_now()
    old, new = now - timedelta(days=40), now - timedelta(days=5)
    kept = make_letter(received_at=old)
    young = make_letter(state="sent_back", disposed_at=new)
    make_letter(state="discarded", disposed_at=old)
    assert prune_records(now) == 1
    assert set(DeadLetter.objects.values_list("pk", flat=True)) == {kept.pk, young.pk}
