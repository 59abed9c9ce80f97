"""RabbitMQ from another root tree: which command line, which folder, and what is said where the tree will not do.

That the node which tests break is the one of the tree is looked at where it runs, in tests/crash/test_harness.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deploy.local import config, root_tree, servers
from deploy.local.errors import LocalError
from deploy.local.rabbitmq import Epmd, RabbitMQ
from tests.crash.harness.broker import Broker

_SCRIPTS = "usr/lib/rabbitmq/lib/rabbitmq_server-{}/sbin"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a RabbitMQ 4.0.5 in name alone, which the environment names."""
    made = tmp_path / "tree"
    _add_rabbitmq(made, "4.0.5")
    monkeypatch.setenv(root_tree.VARIABLE, str(made))
    return made


def _add_rabbitmq(tree: Path, version: str) -> None:
    scripts = tree / _SCRIPTS.format(version)
    scripts.mkdir(parents=True)
    (tree / "usr/bin").mkdir(exist_ok=True)
    (tree / "usr/bin/epmd").touch()
    (scripts / "rabbitmq-server").touch()
    program = tree / "usr/lib/rabbitmq/bin/rabbitmq-server"
    program.parent.mkdir(exist_ok=True)
    program.unlink(missing_ok=True)
    program.symlink_to(f"../lib/rabbitmq_server-{version}/sbin/rabbitmq-server")  # as Debian's package has it


def _node(tmp_path: Path) -> RabbitMQ:
    settings = config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path / "local"), "BEATKEEPER_PORT_BASE": "20000"})
    servers.lay_out(settings)
    return RabbitMQ(settings, {"rabbitmq": "secret"})


def test_without_a_tree_programs_are_called_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(root_tree.VARIABLE, raising=False)
    node = _node(tmp_path)

    assert node.command() == ["/usr/lib/rabbitmq/bin/rabbitmq-server"]
    assert node.control_command("status")[0] == "/usr/lib/rabbitmq/bin/rabbitmqctl"
    assert node.folder == tmp_path / "local/rabbitmq"


def test_node_epmd_and_control_are_all_run_in_the_tree(tree: Path, tmp_path: Path) -> None:
    node = _node(tmp_path)
    for command, program in (
        (node.command(), "/usr/lib/rabbitmq/bin/rabbitmq-server"),
        (Epmd(node.config, {}).command(), "/usr/bin/epmd"),
        (node.control_command("status"), "/usr/lib/rabbitmq/bin/rabbitmqctl"),
    ):
        assert command[:2] == ["unshare", "--mount"]
        assert command[command.index(str(tree)) + 1] == program


def test_a_node_of_tests_asks_to_end_with_them_before_it_enters_the_tree(tree: Path, tmp_path: Path) -> None:
    node = _node(tmp_path)

    command = Broker(node.config, node.passwords).command()

    assert command[: command.index("unshare")] == ["setpriv", "--pdeathsig", "TERM", "--"]


def test_each_version_of_a_tree_has_its_own_folder(tree: Path, tmp_path: Path) -> None:
    assert _node(tmp_path).folder == tmp_path / "local/rabbitmq/4.0.5"

    _add_rabbitmq(tree, "4.2.0")
    assert _node(tmp_path).folder == tmp_path / "local/rabbitmq/4.2.0"


def test_a_tree_without_rabbitmq_is_refused_by_name_and_is_no_reason_to_install_one_here(tree: Path) -> None:
    shutil.rmtree(tree / "usr/lib/rabbitmq")

    with pytest.raises(LocalError) as caught:
        RabbitMQ.program()

    assert f"{root_tree.VARIABLE}={tree} holds no /usr/lib/rabbitmq/bin/rabbitmq-server" in str(caught.value)


def test_a_version_that_is_too_old_is_told_with_its_tree(tree: Path, tmp_path: Path) -> None:
    _add_rabbitmq(tree, "3.9.13")

    with pytest.raises(LocalError, match=rf"RabbitMQ 3\.9\.13 is installed in {tree}, 3\.10 or newer is needed"):
        _node(tmp_path).prepare()


def test_a_tree_that_cannot_be_entered_is_told_with_what_it_takes(tree: Path, tmp_path: Path) -> None:
    """This one has a /usr in which no program can run."""
    with pytest.raises(LocalError) as caught:
        _node(tmp_path).prepare()

    assert str(caught.value).startswith(f"The root tree {root_tree.VARIABLE}={tree} cannot be used: ")
    assert "It takes root" in str(caught.value)


def test_a_node_of_another_root_is_not_taken_for_the_one_asked_for(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = _node(tmp_path)
    assert node.mismatch().startswith(f"RabbitMQ runs from /, and {root_tree.VARIABLE} asks for the one in {tree}")

    (node.config.run / "rabbitmq.root").write_text(f"{tree}\n")
    assert node.mismatch() == ""

    monkeypatch.delenv(root_tree.VARIABLE)
    assert node.mismatch().startswith(f"RabbitMQ runs from {tree}")
