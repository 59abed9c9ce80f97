"""The schedule engine: which instants are slots of a definition.

Form, API, preview and leader all ask here, so what is shown is what will run (I7). Pure: the answers depend
on the arguments and on the installed ``tzdata`` package alone.

    spec -> build -> Schedule          cron_text (cron_field, cron_days) -> wall_times -> cron
    timeline (tzif, yearly_rule)       zones by name; the rule for clock changes is in ``timeline``
"""

from .base import Schedule
from .build import build
from .cautions import warnings
from .clock_change import clock_change
from .preview import PreviewSlot, preview, to_local
from .spec import KINDS, ScheduleSpec
from .wall import parse_wall
from .words import describe
from .zones import tzdata_version, zone_names

__all__ = [
    "KINDS",
    "PreviewSlot",
    "Schedule",
    "ScheduleSpec",
    "build",
    "clock_change",
    "describe",
    "parse_wall",
    "preview",
    "to_local",
    "tzdata_version",
    "warnings",
    "zone_names",
]
