"""A private RabbitMQ node and its epmd, all on the loopback address.

Debian's /usr/sbin/rabbitmq-server is a wrapper bound to its own user and paths, so the real script is called, with
every path in its environment. epmd is started first and kept track of: one that the node starts would outlive it. Both
may come from another root tree; a version has its own folder then, as it cannot read every other's data.
"""

from __future__ import annotations

import base64
import json
import os
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import ClassVar

from deploy.local import root_tree
from deploy.local.credentials import write_private
from deploy.local.errors import LocalError
from deploy.local.ports import HOST, is_open
from deploy.local.server import Server

USER = VHOST = "beatkeeper"
TEST_VHOST = "beatkeeper_test"
_NODE = f"{USER}@localhost"
_EPMD = Path("/usr/bin/epmd")
_SCRIPT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_OLDEST = (3, 10)
# Without the first, distribution listens on every address; without the others, idle schedulers spin.
_ERLANG = "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none"


class Epmd(Server):
    name = "epmd"
    title = "epmd"
    port_names: ClassVar = ("epmd",)
    package = "rabbitmq-server"

    @classmethod
    def program(cls) -> str | None:
        return str(_EPMD) if root_tree.holds(_EPMD) else None

    def command(self) -> list[str]:
        return root_tree.command(str(_EPMD), "-port", str(self.config.port("epmd")), "-address", HOST)

    def prepare(self) -> None:
        """It keeps no files."""

    def answers(self) -> bool:
        return is_open(self.config.port("epmd"))


class RabbitMQ(Server):
    name = "rabbitmq"
    title = "RabbitMQ"
    port_names: ClassVar = ("RabbitMQ", "RabbitMQ management", "Erlang distribution", "RabbitMQ metrics")
    package = "rabbitmq-server"
    stop_seconds = 60

    @classmethod
    def program(cls) -> str | None:
        return str(_SCRIPT) if root_tree.holds(_SCRIPT) else None

    @classmethod
    def version(cls) -> str:
        """The version of the program, empty where it is not told by its folder."""
        found = re.search(r"rabbitmq_server-(\d+\.[\d.]*\d)", str(root_tree.within(_SCRIPT).resolve()))
        return found[1] if found else ""

    @property
    def folder(self) -> Path:
        own = super().folder
        return own / (self.version() or root_tree.root().name) if root_tree.is_other() else own

    def prepare(self) -> None:
        self._check_version()
        super().prepare()
        root_tree.check_reaches(self.folder)
        self._root_note.write_text(f"{root_tree.root()}\n")
        (self.folder / "enabled_plugins").write_text("[rabbitmq_management,rabbitmq_prometheus].\n")
        settings = {
            "listeners.tcp.1": f"{HOST}:{self.config.port('RabbitMQ')}",
            "management.tcp.ip": HOST,
            "management.tcp.port": self.config.port("RabbitMQ management"),
            "prometheus.tcp.ip": HOST,
            "prometheus.tcp.port": self.config.port("RabbitMQ metrics"),
            "default_user": USER,
            "default_pass": self.passwords["rabbitmq"],
            "default_vhost": VHOST,
            "disk_free_limit.absolute": "200MB",
            "log.file": "false",
            "log.console": "true",
        }
        write_private(self.folder / "rabbitmq.conf", "".join(f"{key} = {value}\n" for key, value in settings.items()))

    def command(self) -> list[str]:
        return root_tree.command(str(_SCRIPT))

    def control_command(self, *arguments: str) -> list[str]:
        """A rabbitmqctl for this node, to be run in the node's environment."""
        return root_tree.command(str(_SCRIPT.with_name("rabbitmqctl")), "-n", _NODE, *arguments)

    def environment(self) -> dict[str, str]:
        folder = self.folder
        return super().environment() | {
            "HOME": str(folder),  # the Erlang cookie is made here
            "ERL_EPMD_PORT": str(self.config.port("epmd")),
            "ERL_EPMD_ADDRESS": HOST,
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
            "RABBITMQ_NODENAME": _NODE,
            "RABBITMQ_NODE_IP_ADDRESS": HOST,
            "RABBITMQ_NODE_PORT": str(self.config.port("RabbitMQ")),
            "RABBITMQ_DIST_PORT": str(self.config.port("Erlang distribution")),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.config.log),
            "RABBITMQ_PID_FILE": str(folder / "node.pid"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
            "RABBITMQ_FEATURE_FLAGS_FILE": str(folder / "feature_flags"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": _ERLANG,
        }

    def answers(self) -> bool:
        """Ask the management plugin, the last part to be up: a rabbitmqctl call takes a second."""
        try:
            self._call("GET", f"/api/health/checks/port-listener/{self.config.port('RabbitMQ')}")
            self._ensure_test_vhost()
        except urllib.error.HTTPError as error:
            if error.code == 401:
                raise LocalError(
                    f"RabbitMQ under {self.folder} does not know the password in secrets.json: "
                    "`make reset` starts afresh."
                ) from None
            return False
        except OSError:
            return False
        return True

    def urls(self) -> dict[str, str]:
        login = f"{USER}:{self.passwords['rabbitmq']}@{HOST}"
        return {
            "BROKER_URL": f"amqp://{login}:{self.config.port('RabbitMQ')}/{VHOST}",
            "BEATKEEPER_RABBITMQ_MANAGEMENT_URL": f"http://{login}:{self.config.port('RabbitMQ management')}",
        }

    def mismatch(self) -> str:
        running = self._root_note.read_text().strip() if self._root_note.exists() else "/"
        if running == str(root_tree.root()):
            return ""
        return (
            f"RabbitMQ runs from {running}, and {root_tree.VARIABLE} asks for the one in {root_tree.root()}: "
            "`make down` stops it; another BEATKEEPER_LOCAL_DIR and BEATKEEPER_PORT_BASE let both run."
        )

    @property
    def _root_note(self) -> Path:
        return self.config.run / "rabbitmq.root"

    def _check_version(self) -> None:
        found = self.version()
        if found and tuple(int(part) for part in found.split(".")[:2]) < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise LocalError(
                f"RabbitMQ {found} is installed in {root_tree.root()}, {oldest} or newer is needed: name one with "
                f"BROKER_URL, or a root tree that holds one with {root_tree.VARIABLE}."
            )

    def _ensure_test_vhost(self) -> None:
        self._call("PUT", f"/api/vhosts/{TEST_VHOST}")
        everything = {"configure": ".*", "write": ".*", "read": ".*"}
        self._call("PUT", f"/api/permissions/{TEST_VHOST}/{USER}", everything)

    def _call(self, method: str, path: str, body: object = None) -> None:
        login = base64.b64encode(f"{USER}:{self.passwords['rabbitmq']}".encode()).decode()
        request = urllib.request.Request(
            f"http://{HOST}:{self.config.port('RabbitMQ management')}{path}",
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy cannot reach our loopback
        direct.open(request, timeout=5).close()
