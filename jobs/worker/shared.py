"""What a pool's threads share with the clerk: which of this process's runs were asked to end.

A prefork child has a copy of its own that nobody tells anything: it is ended by a signal instead.
"""

from __future__ import annotations

_asked: set[str] = set()


def ask_to_end(task_id: str) -> None:
    """Let the body see ``current_run().cancelled``."""
    _asked.add(task_id)


def asked_to_end(task_id: str) -> bool:
    """Whether the body of this task id was asked to end."""
    return task_id in _asked


def forget(task_id: str) -> None:
    """The body has ended."""
    _asked.discard(task_id)
