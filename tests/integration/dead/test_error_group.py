"""Which errors are one trouble: the database's function that groups dead runs."""

from __future__ import annotations

import re

import pytest

from jobs.domain.states import RunStatus
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.job_history import make_run

pytestmark = pytest.mark.django_db

TOGETHER = {
    "numbers": ["ValueError: row 17 of 300 is bad", "ValueError: row 8 of 2900 is bad"],
    "decimals and whole numbers": [
        "HTTP 503: Service Unavailable, in 0.05 s: busy",
        "HTTP 503: Service Unavailable, in 12 s: busy",
    ],
    "signs": ["ValueError: got -5", "ValueError: got 5", "ValueError: got +5"],
    "thousands": ["E: over 12,500 bytes", "E: over 900 bytes"],
    "uuids": [
        "LookupError: no 550e8400-e29b-41d4-a716-446655440000",
        "LookupError: no abcdefab-cdef-abcd-efab-cdefabcdefab",
    ],
    "addresses in memory": ["TypeError: <a.B object at 0x7f3a9c>", "TypeError: <a.B object at 0xabcdef01>"],
    "hexadecimal digests": ["E: commit 3f2a9bc is gone", "E: commit 9e107d9 is gone", "E: commit 12345678 is gone"],
    "request ids": ["E: request req_8fKd93Lm failed", "E: request req_1aZ9x7Qw failed"],
    "single quotes": ["KeyError: 'ann'", "KeyError: 'bob'", "KeyError: ''"],
    "double quotes": ['E: no "ann" here', 'E: no "bob\'s" here'],
    "other quotes": ["E: no „ann“ here", "E: no «bob» here", "E: no “carl” here", "E: no ‘dora’ here"],
    "backticks and bytes": ["E: no `ann` here", "E: no b'bob' here"],
    "a quoted text that is cut off": [f"KeyError: '{'a' * 3000}", f"KeyError: '{'b' * 2500}'", "KeyError: 'c"],
    "paths with numbers": [
        "FileNotFoundError: no /data/2026/11/30/part-0001.csv",
        "FileNotFoundError: no /data/2025/1/2/part-17.csv",
    ],
    "times and dates": ["E: late since 2026-11-30 04:26:33", "E: late since 2025-01-02 23:00:01.123456"],
    "hosts by number": ["ConnectionError: 10.0.0.1:5432 refused", "ConnectionError: 192.168.17.200:15432 refused"],
    "white space": ["E: a  b\n  c", "E: a b c"],
    "ends of long texts": [f"E: {'x y ' * 100}{end}" for end in ("one", "two")],
    "numbers at the end of words": ["E: worker7 of pool12", "E: worker19 of pool3"],
}
APART = {
    "HTTP statuses": ["HTTP 503: busy", "HTTP 404: busy", "HTTP 500: busy"],
    "HTTP statuses alone": ["HTTP 503", "HTTP 404"],
    "HTTP statuses in a sentence": ["E: server said HTTP 503", "E: server said HTTP 404"],
    "status codes": ["E: failed with status code 503", "E: failed with status code 404"],
    "types": ["ValueError: bad", "TypeError: bad", "billing.errors.BadError: bad"],
    "types with numbers": ["Error404: x", "Error503: x"],
    "words": ["ValueError: no such file", "ValueError: no such table"],
    "paths": ["FileNotFoundError: no /data/in.csv", "FileNotFoundError: no /data/out.csv"],
    "an apostrophe is no quote": ["E: can't open ann, won't", "E: can't open bob, won't"],
    "unicode words": ["Fehler: Größe unbekannt", "Fehler: Länge unbekannt", "错误: 文件不存在", "错误: 超时"],
    "nothing and something": ["", "E", "E: 1", "."],
    "words of hexadecimal letters": ["E: bad decade", "E: bad facade"],
}


def group(error: str) -> str:
    found: str = sql("SELECT jobs_error_group(%s)", error)[0][0]
    return found


@pytest.mark.parametrize("errors", TOGETHER.values(), ids=TOGETHER.keys())
def test_what_differs_only_in_its_particulars_falls_together(errors: list[str]) -> None:
    assert len({group(error) for error in errors}) == 1


@pytest.mark.parametrize("errors", APART.values(), ids=APART.keys())
def test_different_troubles_stay_apart(errors: list[str]) -> None:
    assert len({group(error) for error in errors}) == len(errors)


@pytest.mark.parametrize(
    "error", ["", " ", "\n", "x" * 10_240, "'" * 10_240, "1a" * 5_120, "🙂: ñ", "(((", "\\", "%s {0}"]
)
def test_any_text_has_a_group_of_twelve_hexadecimal_characters(error: str) -> None:
    assert re.fullmatch("[0-9a-f]{12}", group(error))


def test_only_a_dead_run_has_a_group_and_the_row_keeps_it() -> None:
    job = make_job()
    runs = {status: make_run(job, status, last_error="HTTP 503: busy 17") for status in RunStatus}

    assert runs.pop(RunStatus.DEAD).error_group == group("HTTP 503: busy 18")
    assert {run.error_group for run in runs.values()} == {None}
