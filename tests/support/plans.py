"""What the planner makes of a statement on a partition as large as a busy day's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from jobs.store.statement import Statement


def plan(name: str, **params: Any) -> list[dict[str, Any]]:
    """The nodes of a stored statement's plan, from the top."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + Statement(name).text, params)
        return _read(cursor.fetchone()[0])


def plan_of(rows: QuerySet[Any]) -> list[dict[str, Any]]:
    """The nodes of a queryset's plan, from the top."""
    return nodes_of(json.loads(rows.explain(format="json")))


def captured(work: Callable[[], object]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each read that the work does, with the nodes of its plan."""
    with CaptureQueriesContext(connection) as queries:
        work()
    texts = [query["sql"] for query in queries.captured_queries]
    return [(text, _explained(text)) for text in texts if _reads(text)]


def _reads(statement: str) -> bool:
    return re.sub("(?m)^--.*\n", "", statement).lstrip().startswith(("SELECT", "WITH"))


def _explained(select: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + select.replace("%", "%%"), [])
        return _read(cursor.fetchone()[0])


def _read(found: Any) -> list[dict[str, Any]]:
    return nodes_of(found if isinstance(found, list) else json.loads(found))


def nodes_of(tree: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The nodes of what EXPLAIN tells as JSON, from the top."""
    return list(_nodes(tree[0]["Plan"]))


def indexes(nodes: list[dict[str, Any]]) -> set[str]:
    """The indexes that the plan reads, by their parents' names; in a partition of a few rows any may serve."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT child.relname, coalesce(parent.relname, child.relname) FROM pg_class child"
            " JOIN pg_index ON pg_index.indexrelid = child.oid JOIN pg_class tbl ON tbl.oid = pg_index.indrelid"
            " LEFT JOIN pg_inherits i ON i.inhrelid = child.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent"
            " WHERE child.relname = ANY(%s) AND (parent.oid IS NULL"
            " OR pg_relation_size(tbl.oid) >= 163840 AND tbl.reltuples NOT BETWEEN 1 AND 999)",  # 0: nothing is known
            [[node["Index Name"] for node in nodes if "Index Name" in node]],
        )
        return {parent for _, parent in cursor.fetchall()}


def partitions(nodes: list[dict[str, Any]]) -> set[str]:
    """The partitions of the run table that the plan touches."""
    return {node["Relation Name"] for node in nodes if node.get("Relation Name", "").startswith("jobs_jobrun_p")}


def scans(nodes: list[dict[str, Any]], *, of_rows: int = 1000) -> list[str]:
    """The tables of so many rows and more that are read from end to end; for a small one that is right."""
    read = [node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname = ANY(%s) AND reltuples >= %s", [read, of_rows])
        return [name for (name,) in cursor.fetchall()]


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)
