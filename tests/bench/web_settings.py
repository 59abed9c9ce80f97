"""The settings of that server: the reference project's, no limit of requests, and the bench's addresses."""

from tests.support.web_settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.web_app"
