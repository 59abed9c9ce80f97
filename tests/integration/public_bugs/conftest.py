"""A term to lead with, an admin to post with, queues to send to: those of the neighbours."""

from __future__ import annotations

from tests.integration.admin.conftest import _static_root, admin_user
from tests.integration.broker.conftest import broker, dispatcher, make_runs
from tests.integration.leader.conftest import _season, term

__all__ = ["_season", "_static_root", "admin_user", "broker", "dispatcher", "make_runs", "term"]
