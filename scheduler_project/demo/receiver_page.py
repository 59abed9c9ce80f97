"""The receiver's page: its last calls. Keys are strangers' texts until they are verified, so everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from scheduler_project.demo.received import Call

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<title>Receiver</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }}
td, th {{ padding: .2rem 1rem .2rem 0; text-align: left; }}
.unverified {{ color: #b00020; font-weight: bold; }}
</style>
<h1>What this receiver got</h1>
<p>The last calls, newest first. It answers <code>/ok</code>, <code>/flaky</code>, <code>/slow</code> and
<code>/gone</code>, and trusts a call only when its signature is verified.</p>
<table>
<tr><th>at (UTC)<th>path<th>Idempotency-Key<th>attempt<th>signature<th>answer
{rows}
</table>
</html>
"""
_NOTHING = '<tr><td colspan="6">Nothing yet.'


def page(calls: Iterable[tuple[Call, int]]) -> bytes:
    """The page in HTML."""
    return _PAGE.format(rows="\n".join(_row(call, status) for call, status in calls) or _NOTHING).encode()


def _row(call: Call, status: int) -> str:
    trust = "verified" if call.is_verified else "unverified"
    cells = (f"{call.at:%H:%M:%S}", call.path, call.key, call.attempt)
    return f'<tr>{"".join(f"<td>{escape(cell)}" for cell in cells)}<td class="{trust}">{trust}<td>{int(status)}'
