"""What the environment scripts say when they cannot go on."""


class LocalError(Exception):
    """One message for the person at the terminal: what happened and what to do. No traceback."""
