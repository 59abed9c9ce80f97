"""The client on a machine that has neither Django's settings nor, perhaps, its own library."""

from __future__ import annotations

import os
import subprocess
import sys

_LOOK = """
import sys
import jobs.client
jobs.client.Client("https://server.test", "bk_x").close()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"django", "celery", "kombu", "ninja", "psycopg"}))
print(sorted(name for name in sys.modules if name.startswith("jobs.") and not name.startswith("jobs.client")))
"""
_WITHOUT = "import sys; sys.modules['httpx'] = None; import jobs.client"


def python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)


def test_the_client_brings_no_django_and_nothing_heavy_of_ours() -> None:
    done = python(_LOOK)
    assert done.returncode == 0, done.stderr
    libraries, ours = done.stdout.splitlines()
    assert libraries == "[]"
    assert ours == str(["jobs.clock", "jobs.domain", "jobs.domain.retry_after", "jobs.errors", "jobs.version"])


def test_without_httpx_it_says_which_extra_to_install() -> None:
    done = python(_WITHOUT)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        'jobs.client needs httpx. Install the extra "client": pip install "/path/to/beatkeeper[client]"'
    )
