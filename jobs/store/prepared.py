"""A statement that one connection asks over and over with the same parameters.

Planning a statement over partitions costs twenty times what an idle tick's look then takes to run. The server plans
this one once, with the parameters as constants, so that partitions are pruned; it plans anew by itself when statistics
or partitions change. Not through a pooler, where the next statement may meet another session.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db import connection

from jobs.store.statement import Statement


class PreparedStatement(Statement):
    """Prepared in the session at the first use, and again when the parameters change."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._prepared: WeakKeyDictionary[psycopg.Connection[Any], dict[str, Any]] = WeakKeyDictionary()

    def _execute(self, cursor: Any, params: dict[str, Any]) -> None:
        session = connection.connection
        if self._prepared.get(session) != params:
            if self._prepared.pop(session, None) is not None:
                cursor.execute(f"DEALLOCATE {self.name}")
            text = psycopg.ClientCursor(session).mogrify(self.text, params)
            cursor.execute(f"PREPARE {self.name} AS {text}")
            self._prepared[session] = params
        cursor.execute(f"EXECUTE {self.name}")
