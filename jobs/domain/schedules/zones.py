"""Time zones by name, always from the ``tzdata`` package.

The system's own files are never read, so that every process of an installation, whatever its image,
agrees on one version.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from jobs.errors import InvalidScheduleError

from .cron_field import clip
from .timeline import Timeline
from .tzif import parse_tzif


@cache
def tzdata_version() -> str:
    """Version of the time zone data that this process has loaded, such as ``2025.2``."""
    return version("tzdata")


@cache
def zone_names() -> tuple[str, ...]:
    """All zones, sorted, for forms and for checking."""
    return tuple(sorted(files("tzdata").joinpath("zones").read_text(encoding="ascii").split()))


@cache
def _known_names() -> frozenset[str]:
    return frozenset(zone_names())


def timeline_of(name: str) -> Timeline:
    """The zone's table; an unknown name is refused with the closest known ones."""
    if name not in _known_names():
        raise InvalidScheduleError("timezone", _unknown_zone(name))
    return _load(name)


@cache
def _load(name: str) -> Timeline:
    data = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    return Timeline(name, parse_tzif(data))


def _unknown_zone(name: str) -> str:
    by_folded_name = {known.casefold(): known for known in zone_names()}
    close = get_close_matches(name.strip().casefold()[:64], by_folded_name, n=3, cutoff=0.6)
    hint = " or ".join(by_folded_name[match] for match in close) or "a name such as Europe/Berlin or UTC"
    return f'Time zone "{clip(name)}" is unknown; use {hint}.'
