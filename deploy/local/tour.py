"""``make demo-tour``: what there is to see while ``make up`` runs elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

from deploy.local import envfile, up
from deploy.local.config import ROOT, Config
from deploy.local.errors import LocalError


def tour(config: Config) -> int:
    """Print the tour; returns the exit code."""
    if not up.is_running(config):
        raise LocalError("`make up` does not run here. Start it in another terminal and come back in three minutes.")
    addresses = envfile.parse(config.addresses_file.read_text()) if config.addresses_file.exists() else {}
    if not addresses:
        raise LocalError("`make up` is still starting. Come back three minutes after its welcome.")
    return subprocess.run(
        [sys.executable, "manage.py", "beatkeeper_tour"], cwd=ROOT, env={**os.environ, **addresses}
    ).returncode
