"""The process runner: prefixed output, restarts, and nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from deploy.local import runner
from deploy.local.process import group_members
from deploy.local.runner import Program, Runner


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def _python(code: str) -> Sequence[str]:
    return (sys.executable, "-c", code)


def _run(program: Program, *, stop_when: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run until the output holds a text, then as if someone had sent a SIGTERM."""
    output = ""
    stopped = False

    def _look() -> bool:
        nonlocal output, stopped
        output += capsys.readouterr().out
        if stop_when in output and not stopped:
            stopped = True
            os.kill(os.getpid(), signal.SIGTERM)
        return False

    code = Runner([program], environment=os.environ, directory=Path("/")).run(is_ready=_look, on_ready=lambda: None)
    return code, output + capsys.readouterr().out


def test_output_is_prefixed_and_sigterm_lets_the_program_drain(capsys: pytest.CaptureFixture[str]) -> None:
    drains = (
        "import signal, sys; signal.signal(15, lambda *_: (print('drained'), sys.exit(0))); print('up'); signal.pause()"
    )

    code, output = _run(Program("web", lambda: _python(drains)), stop_when="up", capsys=capsys)

    assert code == 0
    up, stopping, drained = output.splitlines()
    assert (up, drained) == ("web | up", "web | drained")
    assert stopping.startswith("*** | Stopping: running runs may finish")


def test_killed_program_is_started_again_without_its_orphans(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "RESTART_SECONDS", 0.0)
    starts: list[int] = []
    dies = (
        "import os, subprocess; subprocess.Popen(['sleep', '60']); print('pid', os.getpid()); os.kill(os.getpid(), 9)"
    )
    lives = "import signal; print('back'); signal.pause()"

    def _command() -> Sequence[str]:
        starts.append(1)
        return _python(dies if len(starts) == 1 else lives)

    code, output = _run(Program("fast", _command), stop_when="back", capsys=capsys)

    assert code == 0
    assert "fast was ended by SIGKILL; starting it again" in output
    first = int(output.partition("pid ")[2].split()[0])
    assert group_members(first) == []


def test_program_that_keeps_dying_ends_everything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "RESTART_SECONDS", 0.0)

    code, output = _run(Program("beat", lambda: _python("raise SystemExit(3)")), stop_when="never", capsys=capsys)

    assert code == 1
    assert output.count("starting it again") == runner.RESTARTS - 1
    assert "beat ended with code 3, 5 times in 60 s: stopping everything." in output


def test_program_deaf_to_sigterm_is_killed_in_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "DRAIN_SECONDS", 0.2)
    ignore = "import os, signal; signal.signal(15, signal.SIG_IGN)"
    deaf = f"{ignore}; print('pid', os.getpid(), flush=True); [signal.pause() for _ in range(9)]"

    code, output = _run(Program("deaf", lambda: _python(deaf)), stop_when="pid", capsys=capsys)

    assert code == 0
    assert group_members(int(output.split()[3])) == []
