"""The project's settings with short leases, for tests of what happens at a heartbeat; HTTP runs may call loopback."""

from scheduler_project.settings import *  # noqa: F403  # all of them, as a team's own settings module would

BEATKEEPER = {"LEASE": 6, "HEARTBEAT": 1, "EGRESS_ALLOW": ["127.0.0.1/32"], "QUEUES": ["jobs.spare"]}
