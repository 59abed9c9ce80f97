"""The admin's pages are registered all at once, or not at all."""

from __future__ import annotations

import subprocess
import sys

_LOAD = """
import django
django.setup()
import jobs.templatetags.jobs_admin
from django.contrib import admin
print(len(admin.site._registry))
"""


def test_what_django_s_checks_import_registers_no_page_where_none_is_discovered() -> None:
    """Else a check of the admin that comes before that of the URLs finds pages without those they refer to."""
    done = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
