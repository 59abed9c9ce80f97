"""Pages over big tables: the count stops where nobody leafs any further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

if TYPE_CHECKING:
    from typing import Any

    BasePaginator = Paginator[Any]
else:
    BasePaginator = Paginator

COUNT_CAP = 10_000


class CappedPaginator(BasePaginator):
    """Counts to ``COUNT_CAP`` + 1 and no further; the templates then say "over 10,000".

    In the list's own order, which begins with the rows that it shows. In any order the planner would begin with the
    oldest day of runs, and read all of it that lies before the span asked for.
    """

    @cached_property
    def count(self) -> int:
        rows = self.object_list
        return rows[: COUNT_CAP + 1].count() if isinstance(rows, QuerySet) else len(rows)
