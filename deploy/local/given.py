"""Servers that the environment names: used as they are, once they have answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import kombu
import psycopg
import redis

from deploy.local.errors import LocalError


def check(given: Mapping[str, str]) -> None:
    """Ask each server for a sign of life; an error names the variable and hides the password."""
    for name, answer in _CHECKS.items():
        if not (url := given.get(name)):
            continue
        try:
            answer(url)
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise LocalError(f"{name}={without_password(url)} does not answer: {reason}") from None


def without_password(url: str) -> str:
    """The address fit to be printed."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)


def _database(url: str) -> None:
    psycopg.connect(re.sub(r"^(postgis|psql|pgsql|postgres)(?=:)", "postgresql", url), connect_timeout=5).close()


def _broker(url: str) -> None:
    with kombu.Connection(url, connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1, timeout=5)


def _redis(url: str) -> None:
    with redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5) as client:
        client.ping()


_CHECKS: Mapping[str, Callable[[str], None]] = {
    "DATABASE_URL": _database,
    "BROKER_URL": _broker,
    "REDIS_URL": _redis,
}
