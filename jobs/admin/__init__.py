"""Django admin: job definitions are edited; all else is looked at, or asked of a service."""

from jobs.admin import dead, dead_letter, endpoint, gap, job, platform, run, token

__all__ = ["dead", "dead_letter", "endpoint", "gap", "job", "platform", "run", "token"]
