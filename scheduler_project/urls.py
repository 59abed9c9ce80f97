"""Where things answer."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

admin.site.site_header = admin.site.site_title = "Beatkeeper"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=static("jobs/icon.svg"))),
    path("", RedirectView.as_view(pattern_name="admin:index")),
]
