"""Load a ``.sql`` file and run it on this thread's connection."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from importlib.resources import files
from typing import Any

from django.db import connection


class Statement:
    """One statement, read once. Parameters by name: ``%(name)s``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = (files("jobs.store") / f"{name}.sql").read_text()
        self._row: Any = None

    def rows(self, **params: Any) -> list[Any]:
        """Execute and return the rows as named tuples."""
        with connection.cursor() as cursor:
            self._execute(cursor, params)
            # Asking for the columns costs as much as reading a dozen rows, and a statement's are always the same.
            self._row = self._row or _row_type(tuple(column.name for column in cursor.description))
            return list(map(self._row._make, cursor.fetchall()))

    def run(self, **params: Any) -> int:
        """Execute and return the number of rows touched."""
        with connection.cursor() as cursor:
            self._execute(cursor, params)
            touched: int = cursor.rowcount
        return touched

    def _execute(self, cursor: Any, params: dict[str, Any]) -> None:
        cursor.execute(self.text, params)


@cache
def _row_type(columns: tuple[str, ...]) -> Any:
    return namedtuple("Row", columns)  # columns are known only when the statement has run
