"""One set of servers: started together, mended after each test, gone at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deploy.local import credentials
from deploy.local.config import Config
from deploy.local.redis import Redis
from tests.crash.harness.breakable import Breakable
from tests.crash.harness.broker import Broker, OwnEpmd
from tests.crash.harness.database import Database
from tests.crash.harness.ground import reserved


class OwnRedis(Breakable, Redis):
    """Redis that tests may break."""


class Servers:
    """PostgreSQL, RabbitMQ with its epmd, and Redis."""

    def __init__(self, config: Config) -> None:
        passwords = credentials.load(config.local)
        self.database = Database(config, passwords)
        self.epmd = OwnEpmd(config, passwords)
        self.broker = Broker(config, passwords)
        self.redis = OwnRedis(config, passwords)
        self.all: tuple[Breakable, ...] = (self.database, self.epmd, self.broker, self.redis)

    def start(self) -> None:
        """Start all at once, then wait for each."""
        for server in self.all:
            server.start()
        for server in self.all:
            server.wait()

    def mend(self) -> None:
        """All run and answer, whatever a test left."""
        for server in self.all:
            server.mend()

    def stop(self) -> None:
        """Nothing of theirs is wanted any more."""
        for server in reversed(self.all):
            server.kill_if_running()


@contextmanager
def own_servers() -> Iterator[Servers]:
    """A set of servers on a ground of their own."""
    with reserved() as config:
        servers = Servers(config)
        try:
            servers.start()
            yield servers
        finally:
            servers.stop()
