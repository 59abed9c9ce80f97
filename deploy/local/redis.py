"""A private Redis on the loopback address, with a password."""

from __future__ import annotations

from typing import ClassVar

import redis

from deploy.local.credentials import write_private
from deploy.local.ports import HOST
from deploy.local.server import Server, find_program


class Redis(Server):
    name = "redis"
    title = "Redis"
    port_names: ClassVar = ("Redis",)
    package = "redis-server"

    @classmethod
    def program(cls) -> str | None:
        return find_program("redis-server", "valkey-server")

    def prepare(self) -> None:
        super().prepare()
        settings = {
            "bind": HOST,
            "port": self.config.port("Redis"),
            "requirepass": self.passwords["redis"],
            "dir": self.folder,
            "daemonize": "no",
            "databases": 64,  # a database for each test worker
        }
        write_private(self.folder / "redis.conf", "".join(f'{key} "{value}"\n' for key, value in settings.items()))

    def command(self) -> list[str]:
        return [self.program() or "redis-server", str(self.folder / "redis.conf")]

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.urls()["REDIS_URL"], socket_timeout=2) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def urls(self) -> dict[str, str]:
        return {"REDIS_URL": f"redis://:{self.passwords['redis']}@{HOST}:{self.config.port('Redis')}/0"}
