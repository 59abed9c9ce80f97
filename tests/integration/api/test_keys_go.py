"""Idempotency keys are deleted when their day is over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jobs.models import IdempotencyKey
from jobs.services import prune
from jobs.store.clock import database_now
from tests.support.elsewhere import sql
from tests.support.plans import indexes, plan, scans

pytestmark = pytest.mark.django_db


def _keys(number: int, *, hours: int) -> None:
    IdempotencyKey.objects.bulk_create(
        IdempotencyKey(
            owner="token:1",
            key=f"{hours}-{index}",
            fingerprint="",
            status=202,
            created_at=database_now() - timedelta(hours=hours),
        )
        for index in range(number)
    )


def test_all_old_keys_go_in_batches_and_young_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "_BATCH", 10)
    _keys(35, hours=25)
    _keys(3, hours=23)
    assert prune.prune_keys() == 35
    assert prune.prune_keys() == 0
    assert IdempotencyKey.objects.count() == 3


def test_they_are_found_by_their_age() -> None:
    _keys(2000, hours=1)
    sql("ANALYZE jobs_idempotencykey")
    nodes = plan("prune_idempotency_keys", lifetime_hours=24, batch=10)
    assert "idempotencykey_created" in indexes(nodes)
    assert not scans(nodes)
