"""``celery -A PROJECT beat`` is all a user types."""

from __future__ import annotations

from celery import Celery

from jobs.install import install


def app_with(**settings: object) -> Celery:
    app = Celery("team", set_as_current=False, changes=settings)
    install(app)
    return app


def test_beat_runs_our_scheduler_unless_the_team_names_another() -> None:
    assert app_with().conf.beat_scheduler == "jobs.beat:Scheduler"
    named = app_with(beat_scheduler="django_celery_beat.schedulers:DatabaseScheduler")
    assert named.conf.beat_scheduler == "django_celery_beat.schedulers:DatabaseScheduler"


def test_a_setting_given_in_django_is_the_teams_word(settings: object) -> None:
    settings.CELERY_BEAT_SCHEDULER = "team.beat:Scheduler"  # type: ignore[attr-defined]  # pytest-django's settings
    app = Celery("team", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    install(app)
    assert app.conf.beat_scheduler == "team.beat:Scheduler"
    assert app.conf.beat_max_loop_interval == 1.0
