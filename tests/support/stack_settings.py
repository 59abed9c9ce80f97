"""The reference project's settings, with BEATKEEPER values that a test gives to one process."""

from __future__ import annotations

import json
import os

from scheduler_project.settings import *  # noqa: F403

BEATKEEPER = json.loads(os.environ.get("BEATKEEPER_TEST_SETTINGS", "{}"))
CELERY_BROKER_HEARTBEAT = int(os.environ.get("BEATKEEPER_TEST_HEARTBEAT", "120"))  # 120: nothing is set
