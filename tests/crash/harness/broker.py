"""A RabbitMQ node that tests may break: restart, wipe, alarm; and a look at its queues."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from deploy.local.ports import HOST
from deploy.local.rabbitmq import Epmd, RabbitMQ
from tests.crash.harness.breakable import Breakable
from tests.support.management import Management

_WATERMARK = "0.4"
_COUNT = re.compile(r"^rabbitmq_global_messages_(\w+)_total\{.*\} (\d+)$", re.MULTILINE)


class OwnEpmd(Breakable, Epmd):
    """The node's port mapper."""


class Broker(Breakable, RabbitMQ):
    """One node. ``more`` and ``advanced`` are settings beside the usual ones, from its next start on."""

    last_signal = "TERM"
    more: Mapping[str, str] = {}
    advanced = "[]."

    def prepare(self) -> None:
        super().prepare()
        settings = {"collect_statistics_interval": "1000", **self.more}
        with (self.folder / "rabbitmq.conf").open("a") as file:
            file.writelines(f"{key} = {value}\n" for key, value in settings.items())
        (self.folder / "advanced.config").write_text(f"{self.advanced}\n")

    def environment(self) -> dict[str, str]:
        """Under it the start script becomes the node instead of watching over it: a signal hits the node itself."""
        return super().environment() | {"RUNNING_UNDER_SYSTEMD": "yes"}

    def url(self, vhost: str) -> str:
        return f"{self.urls()['BROKER_URL'].rpartition('/')[0]}/{vhost}"

    def api(self, method: str, path: str, body: object = None) -> Any:
        """Ask the management API."""
        return self._management.call(method, path, body)

    def control(self, *arguments: str) -> str:
        """Run rabbitmqctl, which takes a second; its output."""
        command = self.control_command(*arguments)
        return subprocess.run(
            command, env=self.environment(), check=True, capture_output=True, text=True, cwd="/", timeout=60
        ).stdout

    def make(self, vhost: str) -> None:
        """An empty vhost, if there is none of the name."""
        self.api("PUT", f"/api/vhosts/{vhost}")

    def drop(self, vhost: str) -> None:
        """Delete a vhost; one that a wipe has taken is gone already."""
        self._management.drop_vhost(vhost)

    def queues(self, vhost: str) -> dict[str, dict[str, Any]]:
        """What the broker knows of each queue, by its name."""
        return {queue["name"]: queue for queue in self.api("GET", f"/api/queues/{vhost}")}

    def counted(self) -> dict[str, int]:
        """How many messages of all vhosts since the node started, by what became of them, as ``routed``.

        Exact, where the queues' own statistics lose what a closing channel counted last.
        """
        with urllib.request.urlopen(
            f"http://{HOST}:{self.config.port('RabbitMQ metrics')}/metrics", timeout=10
        ) as page:
            found = _COUNT.findall(page.read().decode())
        counts: dict[str, int] = {}
        for what, count in found:  # a line for each protocol and type of queue
            counts[what] = counts.get(what, 0) + int(count)
        return counts

    def delete_queue(self, vhost: str, name: str) -> None:
        """Delete a queue with all that stands in it."""
        self.api("DELETE", f"/api/queues/{vhost}/{urllib.parse.quote(name, safe='')}")

    def wipe(self, *vhosts: str) -> None:
        """Come back with nothing but these vhosts, empty: no queue, no exchange, no message."""
        self.kill()
        shutil.rmtree(self.folder / "data")
        self.begin()
        for vhost in vhosts:
            self.make(vhost)

    @contextmanager
    def alarmed(self) -> Iterator[None]:
        """A memory alarm: it takes no publication."""
        self.control("set_vm_memory_high_watermark", "0")
        try:
            yield
        finally:
            self.control("set_vm_memory_high_watermark", _WATERMARK)

    @property
    def _management(self) -> Management:
        return Management(self.urls()["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"])
