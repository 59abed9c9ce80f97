"""Array parameters as PostgreSQL's own array text, for the statements that carry a thousand rows.

Adapting lists element by element is what an emission would spend most of its time on.

The statements take a batch of keys through sub-selects, ``unnest((SELECT %(x)s::bigint[]))``. Of a constant array the
planner counts the elements, and for a batch of hundreds it prefers to read and hash a whole table of up to a hundred
thousand rows, or, in a new day's partition without statistics, to compare each row of it with each of the batch. Of a
sub-select's array it expects ten elements, and goes by the key.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any


def array(values: Iterable[Any]) -> str:
    """``{1,NULL,"a b"}`` of numbers, booleans, datetimes and texts. The statement casts it: ``%(x)s::bigint[]``."""
    texts = _Texts()
    return "{" + ",".join([texts[value] for value in values]) + "}"


class _Texts(dict[Any, str]):
    """The text of each value of one column: most columns repeat a few."""

    def __missing__(self, value: Any) -> str:
        text = self[value] = _element(value)
        return text


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value.isoformat() if isinstance(value, datetime) else str(value)
