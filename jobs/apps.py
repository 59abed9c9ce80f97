"""The Django app."""

from __future__ import annotations

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Registers the system checks; starts nothing."""

    name = "jobs"
    verbose_name = "Beatkeeper"

    def ready(self) -> None:
        from jobs import checks  # noqa: F401  # registers on import, once the apps are loaded
