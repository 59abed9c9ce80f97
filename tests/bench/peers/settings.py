"""Django's settings for the peers that keep entries or results in its database."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

_url = urlsplit(os.environ["PEER_DATABASE_URL"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": _url.hostname,
        "PORT": _url.port,
        "USER": unquote(_url.username or ""),
        "PASSWORD": unquote(_url.password or ""),
        "NAME": _url.path[1:],
        "CONN_MAX_AGE": None,
    }
}
INSTALLED_APPS = ["django_celery_beat", "django_celery_results"]
SECRET_KEY = "not a secret: nothing is signed"
USE_TZ = True
TIME_ZONE = "UTC"
