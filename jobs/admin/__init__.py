"""Django admin: job definitions are edited; all else is looked at, or asked of a service."""

from jobs.admin import gap, job, platform, run

__all__ = ["gap", "job", "platform", "run"]
