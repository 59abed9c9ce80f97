"""Django system checks: a setting that cannot work stops every command, with the way out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.db import connection

from jobs.conf import config
from jobs.errors import InvalidFieldError


@register()
def settings_check(**_: Any) -> list[CheckMessage]:
    """Report a ``BEATKEEPER`` setting that is refused."""
    try:
        config()
    except InvalidFieldError as error:
        return [Error(str(error), id="jobs.E001")]
    return []


@register()
def project_check(**_: Any) -> list[CheckMessage]:
    """Report a project that Beatkeeper cannot live in."""
    found: list[CheckMessage] = []
    if connection.vendor != "postgresql":
        found.append(
            Error(
                f"The default database is {connection.vendor}; Beatkeeper needs PostgreSQL.",
                hint='Set DATABASES["default"]["ENGINE"] to django.db.backends.postgresql.',
                id="jobs.E002",
            )
        )
    if not settings.USE_TZ:
        found.append(Error("USE_TZ is False; instants would lose their zone.", hint="Set it True.", id="jobs.E003"))
    return found
