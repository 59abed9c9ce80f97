"""Settings of the reference project. A team copies from here what it needs into its own."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url

from scheduler_project import environment

environment.load()
BASE_DIR = environment.BASE_DIR

DEBUG = os.environ.get("BEATKEEPER_DEBUG", "") == "1"
SECRET_KEY = os.environ.get("BEATKEEPER_SECRET_KEY", "")
ALLOWED_HOSTS = os.environ.get("BEATKEEPER_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")

INSTALLED_APPS = [
    "jobs",
    "scheduler_project.demo",
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py discovers its pages: beat and workers have no use for them
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "scheduler_project.urls"
WSGI_APPLICATION = "scheduler_project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# jit off: a bad row estimate cost minutes of compilation, deaf to cancel.
_DATABASE_OPTIONS = (
    "-c jit=off -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=10000"
)
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL", "postgresql://beatkeeper@127.0.0.1:5432/beatkeeper"),
        conn_max_age=60,
        conn_health_checks=True,
    )
}
DATABASES["default"].setdefault("OPTIONS", {}).update(
    {
        "options": _DATABASE_OPTIONS,
        "application_name": "beatkeeper",
        # A server that vanished without a word is noticed in half a minute, not in two hours.
        "connect_timeout": 5,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
    }
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
# The page of the API's description; as an installed app ninja would be loaded by every worker, with 20 MB of its own.
STATICFILES_DIRS = [Path(str(find_spec("ninja").origin)).parent / "static"]  # type: ignore[union-attr]  # it is there
STATIC_ROOT = BASE_DIR / ".local" / "static"
LOGIN_URL = "admin:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

CELERY_BROKER_URL = os.environ.get("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
CELERY_RESULT_BACKEND = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
CELERY_TASK_DEFAULT_QUEUE_TYPE = "quorum"
CELERY_TASK_DEFAULT_EXCHANGE_TYPE = "topic"
CELERY_TASK_DEFAULT_ROUTING_KEY = "celery"

_egress_allow = os.environ.get("BEATKEEPER_EGRESS_ALLOW", "").split(",")
BEATKEEPER: dict[str, Any] = {
    "EGRESS_ALLOW": [network.strip() for network in _egress_allow if network.strip()],
    "REDIS_URL": CELERY_RESULT_BACKEND,
    "METRICS_TOKEN": os.environ.get("BEATKEEPER_METRICS_TOKEN", ""),
}
