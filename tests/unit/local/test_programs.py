"""The programs of ``make up``: each queue has a worker, and nothing listens but on the loopback address."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.local import config
from deploy.local.programs import programs
from jobs.conf import QUEUES


def _commands() -> dict[str, Sequence[str]]:
    settings = config.load({"BEATKEEPER_RECEIVER_PORT": "9001"})
    return {program.name: program.command() for program in programs(settings)}


def test_every_queue_of_ours_has_a_worker() -> None:
    served = [command[command.index("-Q") + 1] for command in _commands().values() if "-Q" in command]

    assert sorted(served) == sorted(QUEUES)


def test_the_receiver_listens_on_its_port_and_on_the_loopback_address_alone() -> None:
    assert "--bind=127.0.0.1:9001" in _commands()["receiver"]


def test_no_command_line_holds_a_secret() -> None:
    assert "whsec_" not in str(_commands())
