"""What an idle installation costs: processor time of everything that ``make up`` starts, over a minute."""

from __future__ import annotations

import os
import re
import socket
import subprocess

from deploy.local.config import load
from deploy.local.programs import programs
from tests.bench.figures import Figure
from tests.bench.processes import cpu_seconds, tree
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

SECONDS = 60
_PORTS = ("BEATKEEPER_WEB_PORT", "BEATKEEPER_FLOWER_PORT", "BEATKEEPER_RECEIVER_PORT")
_SERVERS = re.compile(r"postgres|beam\.smp|redis-server|epmd|erl_child|inet_gethost")


def run(scale: float) -> list[Figure]:
    """Our processes' and the servers' share of one core, jobs paused; a minute at any scale."""
    with bench_stack() as live:
        _start_everything(live)
        for number in range(100):
            live.save_job(f"paused-{number}", kind="cron", cron="* * * * *", paused=True)
        let_pass(15)
        ours = set().union(*(tree(process.pid) for process in live.processes))
        servers = _server_processes()
        before = cpu_seconds(ours), cpu_seconds(servers)
        let_pass(SECONDS)
        used = cpu_seconds(ours) - before[0], cpu_seconds(servers) - before[1]
        assert all(process.poll() is None for process in live.processes), f"something ended, see {live.folder}"
    return [
        Figure(
            f"idle: our own {len(ours)} processes, % of one core",
            100 * used[0] / SECONDS,
            "%",
            aim=5,
            at_most=True,
        ),
        Figure("idle: PostgreSQL, RabbitMQ, Redis", 100 * used[1] / SECONDS, "%"),
    ]


def _start_everything(live: Stack) -> None:
    ports = {variable: str(_free_port()) for variable in _PORTS}
    for program in programs(load({**os.environ, **ports})):
        live.start(program.name, program.command())
    wait_until(lambda: live.sql("SELECT 1 FROM jobs_leader WHERE term > 0"), timeout=30, what="a leader")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _server_processes() -> set[int]:
    listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return {int(line.split()[0]) for line in listing.splitlines()[1:] if _SERVERS.search(line)}
