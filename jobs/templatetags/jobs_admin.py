"""Filters of the admin's templates."""

from __future__ import annotations

from django import template

from jobs.admin.paging import COUNT_CAP

register = template.Library()


@register.filter
def capped(count: int) -> str:
    """A count as far as it goes: ``over 10,000``."""
    return f"over {COUNT_CAP:,}" if count > COUNT_CAP else f"{count:,}"
