"""The Django app."""

from __future__ import annotations

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """The demo's tasks and reports."""

    name = "scheduler_project.demo"
    label = "demo"
