"""What all stored statements keep to."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STATEMENTS = sorted(file.name for file in files("jobs.store").iterdir() if file.name.endswith(".sql"))
_BATCH = re.compile(r"(unnest|ANY)\(\s*%\((job_ids?|id)\)s")


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_batch_of_keys_is_handed_over_so_that_the_planner_does_not_count_it(name: str) -> None:
    assert not _BATCH.search((files("jobs.store") / name).read_text()), "see jobs/store/arrays.py"


def test_there_are_statements() -> None:
    assert len(STATEMENTS) > 50
