"""Filters and parts of the admin's templates.

Django's checks import this file in every process. It must not register half of the admin where its pages are not
discovered: what a check then says of them depends on the order of the checks.
"""

from __future__ import annotations

from typing import Any

from django import template

register = template.Library()


@register.filter
def capped(count: int) -> str:
    """A count as far as it goes: ``over 10,000``."""
    from jobs.admin.paging import COUNT_CAP

    return f"over {COUNT_CAP:,}" if count > COUNT_CAP else f"{count:,}"


@register.inclusion_tag("admin/jobs/filter_links.html")
def filter_links(cl: Any) -> dict[str, Any]:
    """The filters of a list as rows of links, so that the table has the page's whole width."""
    return {"filters": [(spec.title, list(spec.choices(cl))) for spec in cl.filter_specs]}


@register.inclusion_tag("admin/jobs/platform.html", takes_context=True)
def platform_line(context: Any) -> dict[str, Any]:
    """How the platform does, for those who may see its leaders."""
    from jobs.admin.platform_now import platform_now

    user = context["request"].user
    return {"platform": platform_now() if user.has_perm("jobs.view_leader") else None}
