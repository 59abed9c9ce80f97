"""Terms of leadership: one row a shard, fenced by its number."""

from __future__ import annotations

from django.db import models

from jobs.models.fields import text


class Leader(models.Model):
    """The shard's term. A takeover UPDATEs the row; an INSERT would fence nobody."""

    shard = models.PositiveSmallIntegerField(primary_key=True)
    term = models.BigIntegerField(default=0, db_default=0)
    holder = models.UUIDField(null=True)
    host = text()
    backend_pid = models.IntegerField(null=True)
    elected_at = models.DateTimeField(null=True)
    renewed_at = models.DateTimeField(null=True)
    ticked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "jobs_leader"
        # FOR KEY SHARE on (shard, term) fences only while the pair is a key.
        constraints = [models.UniqueConstraint(name="leader_term", fields=["shard", "term"])]

    def __str__(self) -> str:
        return f"shard {self.shard}, term {self.term}"
