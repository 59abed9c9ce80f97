"""The verbs of ``manage.py jobs``, one a module: ``HELP``, ``add_arguments(parser)``, ``handle(options, out)``."""
