"""What all lists share: bounded counts, no facets, and room for a wide table."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.admin import ShowFacets
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from jobs.admin.generics import ModelAdmin
from jobs.admin.paging import CappedPaginator

M = TypeVar("M", bound=Model)


class ListAdmin(ModelAdmin[M]):
    """A list whose cost does not follow the size of its table."""

    list_per_page = 50
    list_max_show_all = 0
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER

    class Media:
        css = {"all": ["jobs/admin.css"]}

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The table gets the room of the navigation."""
        return super().changelist_view(request, {**(extra_context or {}), "is_nav_sidebar_enabled": False})
