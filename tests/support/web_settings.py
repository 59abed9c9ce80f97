"""The settings of a stack whose pages a browser sees: static files come from the packages, uncollected."""

from tests.support.stack_settings import *  # noqa: F403

STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
