"""Where things answer."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from jobs.api.health import healthz, metrics, readyz
from jobs.api.problems import bad_request
from scheduler_project.demo.reports import create_report

admin.autodiscover()
admin.site.site_header = admin.site.site_title = "Beatkeeper"

handler400 = bad_request
urlpatterns = [
    path("admin/", admin.site.urls),
    path("v1/reports", create_report),
    path("v1/", include("jobs.api.urls")),
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    path("favicon.ico", RedirectView.as_view(url=static("jobs/icon.svg"))),
    path("", RedirectView.as_view(pattern_name="admin:index")),
]
