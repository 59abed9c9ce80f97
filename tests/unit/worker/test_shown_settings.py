"""What Celery tells of an app's settings holds no password, under whatever name a project keeps it."""

from __future__ import annotations

from typing import Any

import pytest
from celery import Celery

from jobs.install import install

PASSWORD = "hunter2-s3cr3t"
URL = f"amqp://ann:{PASSWORD}@host/vhost"


class Connecting:
    """An object whose repr says how it connects."""

    def __repr__(self) -> str:
        return f"<to {URL}>"


def app_with(**settings: object) -> Celery:
    app = Celery("team", set_as_current=False, changes=settings)
    install(app)
    assert app.conf.beat_scheduler  # read, as it is in every process that tells of its settings
    return app


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CELERY_BROKER_URL", URL),
        ("CELERY_BROKER_READ_URL", [URL, URL]),
        ("CELERY_BROKER_URL", f"{URL};{URL}"),
        ("CELERY_BROKER_URL", f"amqp://ann:one@{PASSWORD}@host/vhost"),
        ("CELERY_RESULT_BACKEND", f"redis://:{PASSWORD}@host/0"),
        ("REDIS_URL", f"redis://:{PASSWORD}@host/0"),
        ("TEAM_DSN", f"host=a password={PASSWORD}"),
        ("TEAM_STORE", f"https://host/?sig=1&token={PASSWORD}"),
        ("FLOWER_BASIC_AUTH", PASSWORD),
        ("CACHES", {"default": {"LOCATION": [f"redis://:{PASSWORD}@host/0"]}}),
        ("TEAM_PLACES", ({"passwd": PASSWORD},)),
        ("TEAM_SET", {URL}),
        ("TEAM_OBJECT", Connecting()),
        ("SECRET_KEY", PASSWORD),
    ],
)
def test_a_password_is_masked_whatever_the_setting_s_name(name: str, value: Any) -> None:
    conf = app_with(**{name: value}).conf
    assert name in conf.table()
    assert PASSWORD not in repr(conf.table(with_defaults=True)) + conf.humanize(with_defaults=True)


def test_what_is_no_secret_is_shown_as_it_is_and_the_settings_themselves_stay() -> None:
    conf = app_with(CELERY_BROKER_URL=URL, broker_url=URL, TEAM_ZONES=["UTC"], TEAM_FLAG=True).conf
    assert conf.broker_url == conf["CELERY_BROKER_URL"] == URL
    shown = conf.table()
    assert shown["beat_scheduler"] == "jobs.beat:Scheduler"
    assert shown["CELERY_BROKER_URL"] == "amqp://•••@host/vhost"
    assert (shown["TEAM_ZONES"], shown["TEAM_FLAG"]) == (["UTC"], True)
    assert conf.table(censored=False)["CELERY_BROKER_URL"] == URL
