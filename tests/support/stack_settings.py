"""The reference project's settings, with BEATKEEPER values that a test gives to one process."""

from __future__ import annotations

import json
import os

from scheduler_project.settings import *  # noqa: F403

BEATKEEPER = json.loads(os.environ.get("BEATKEEPER_TEST_SETTINGS", "{}"))
