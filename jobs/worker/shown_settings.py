"""What Celery tells of an app's settings: ``inspect conf`` (Flower's *Config*), ``inspect report``, ``celery report``.

Celery masks by name, and knows its own names only: ``CELERY_BROKER_URL``, a cache's address or a team's own setting it
shows as they are. Here every value is looked at too, at any depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from celery import Celery
from celery.app.utils import Settings

from jobs.domain.masking import mask_json, mask_text

_PLAIN = (str, int, float, type(None), date, timedelta)


class ShownSettings(Settings):
    """Celery's settings; their table, of which all that is shown is made, gives no secret away."""

    def table(self, with_defaults: bool = False, censored: bool = True) -> dict[str, Any]:
        """The settings by name, as Celery's own, and masked by value where they are ``censored``."""
        found: dict[str, Any] = super().table(with_defaults, censored)
        return mask_json(_shown(found)) if censored else found


def mask_shown_settings(app: Celery) -> None:
    """Mask what this app tells from now on. Celery has no place to name a class of one's own."""
    if type(app.conf) is Settings:
        object.__setattr__(app.conf, "__class__", ShownSettings)  # its own would make it a setting


def _shown(value: Any) -> Any:
    """Any value as JSON has it; an object as its repr, which may hold secrets as well."""
    if isinstance(value, Mapping):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_shown(item) for item in value]
    return value if isinstance(value, _PLAIN) else mask_text(repr(value))
