"""What to run and where, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.local import envfile
from deploy.local.errors import LocalError
from deploy.local.ports import PRIVATE, Port, free_base, parse

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_LOCAL = ROOT / ".local"
SERVER_VARIABLES = ("DATABASE_URL", "BROKER_URL", "REDIS_URL")
SECRET_VARIABLES = (
    "BEATKEEPER_SECRET_KEY",
    "BEATKEEPER_ADMIN_PASSWORD",
    "FLOWER_BASIC_AUTH",
    "BEATKEEPER_DEMO_SECRET",
)
EGRESS_VARIABLE = "BEATKEEPER_EGRESS_ALLOW"
DEFAULT_BASE = 15400


@dataclass(frozen=True, slots=True)
class Config:
    """Folders and ports. ``given`` holds the server addresses, secrets and networks that the environment names."""

    local: Path
    port_base: int
    web_port: int
    flower_port: int
    receiver_port: int
    given: Mapping[str, str]

    def port(self, purpose: str) -> int:
        return self.port_base + PRIVATE.index(purpose)

    def private_ports(self, *purposes: str) -> list[Port]:
        return [Port(self.port(purpose), purpose, "BEATKEEPER_PORT_BASE") for purpose in purposes]

    def public_ports(self) -> list[Port]:
        return [
            Port(self.web_port, "web", "BEATKEEPER_WEB_PORT"),
            Port(self.flower_port, "Flower", "BEATKEEPER_FLOWER_PORT"),
            Port(self.receiver_port, "receiver", "BEATKEEPER_RECEIVER_PORT"),
        ]

    @property
    def run(self) -> Path:
        return self.local / "run"

    @property
    def log(self) -> Path:
        return self.local / "log"

    @property
    def addresses_file(self) -> Path:
        """Where the programs of a running ``make up`` answer."""
        return self.run / "addresses"

    @property
    def env_file(self) -> Path:
        return self.local / "env"


def load(environ: Mapping[str, str] = os.environ) -> Config:
    """Read the BEATKEEPER_* variables and the three server addresses."""
    local = Path(environ.get("BEATKEEPER_LOCAL_DIR") or DEFAULT_LOCAL).resolve()
    return Config(
        local=local,
        port_base=_port_base(environ.get("BEATKEEPER_PORT_BASE", ""), local),
        web_port=_port(environ, "BEATKEEPER_WEB_PORT", 8000),
        flower_port=_port(environ, "BEATKEEPER_FLOWER_PORT", 5555),
        receiver_port=_port(environ, "BEATKEEPER_RECEIVER_PORT", 8900),
        given=_given(environ, local),
    )


def _port(environ: Mapping[str, str], variable: str, default: int) -> int:
    return parse(variable, environ.get(variable) or str(default))


def _given(environ: Mapping[str, str], local: Path) -> dict[str, str]:
    """What the environment names, but for our own values, which ``make env`` put there."""
    file = local / "env"
    ours = envfile.parse(file.read_text()) if file.exists() else {}
    names = (*SERVER_VARIABLES, *SECRET_VARIABLES, EGRESS_VARIABLE)
    return {name: environ[name] for name in names if environ.get(name) and environ[name] != ours.get(name)}


def _port_base(value: str, local: Path) -> int:
    """The base asked for. ``auto`` keeps the one in use here, or takes the first free block."""
    recorded = local / "run" / "port_base"
    if value == "auto":
        return int(recorded.read_text()) if recorded.exists() else free_base(DEFAULT_BASE)
    base = parse("BEATKEEPER_PORT_BASE", value or str(DEFAULT_BASE))
    if base + len(PRIVATE) > 65536:
        raise LocalError(f"BEATKEEPER_PORT_BASE={base} is too high: {len(PRIVATE)} ports from it are used.")
    return base
