"""What the scripts tell others: the env file, addresses fit to print, the Makefile's help."""

from __future__ import annotations

import base64
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from deploy.local import config, credentials, envfile, given, reset, servers, tour
from deploy.local.check import for_tests
from deploy.local.config import ROOT
from deploy.local.errors import LocalError


def test_env_file_survives_writing_and_reading() -> None:
    values = {"BROKER_URL": "amqp://a:b=c@127.0.0.1:5/v", "EMPTY": ""}

    assert envfile.parse(f"# a comment\n\n{envfile.dump(values)}") == values


def test_exports_are_quoted_for_a_shell() -> None:
    printed = envfile.exports({"SECRET": "it's $HOME"})

    shell = subprocess.run(["sh", "-c", f'{printed} printf %s "$SECRET"'], capture_output=True, text=True)
    assert shell.stdout == "it's $HOME"


@pytest.mark.parametrize(
    ("url", "printed"),
    [
        ("postgresql://me:secret@db/x", "postgresql://me:***@db/x"),
        ("redis://:secret@cache:6379/0", "redis://:***@cache:6379/0"),
        ("amqp://broker//", "amqp://broker//"),
    ],
)
def test_printed_address_hides_the_password(url: str, printed: str) -> None:
    assert given.without_password(url) == printed


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("DATABASE_URL", "postgresql://me:secret@127.0.0.1:1/x"),
        ("BROKER_URL", "amqp://me:secret@127.0.0.1:1//"),
        ("REDIS_URL", "redis://:secret@127.0.0.1:1/0"),
    ],
)
def test_named_server_that_is_silent_is_told_by_its_variable(name: str, url: str) -> None:
    with pytest.raises(LocalError) as caught:
        given.check({name: url})

    assert str(caught.value).startswith(f"{name}=")
    assert "does not answer" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_tests_have_a_virtual_host_of_their_own() -> None:
    values = {"BROKER_URL": "amqp://a:b@127.0.0.1:5/beatkeeper", "BEATKEEPER_RABBITMQ_MANAGEMENT_URL": "http://x"}

    assert for_tests(values)["BROKER_URL"] == "amqp://a:b@127.0.0.1:5/beatkeeper_test"
    assert for_tests({"BROKER_URL": "amqp://theirs/"})["BROKER_URL"] == "amqp://theirs/"


def test_tests_may_call_no_private_address_though_the_demo_may() -> None:
    assert for_tests({"BEATKEEPER_EGRESS_ALLOW": "127.0.0.1/32"})["BEATKEEPER_EGRESS_ALLOW"] == ""


def test_secrets_are_made_once_and_for_their_owner_alone(tmp_path: Path) -> None:
    first = credentials.load(tmp_path)

    assert credentials.load(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


def test_the_receivers_secret_is_one_that_endpoints_take(tmp_path: Path) -> None:
    prefix, _, encoded = credentials.load(tmp_path)["receiver"].partition("_")

    assert prefix == "whsec"
    assert len(base64.b64decode(encoded, validate=True)) == 32


def test_secrets_of_an_older_start_stay_and_new_ones_are_added(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text('{"admin": "kept"}')

    known = credentials.load(tmp_path)

    assert known["admin"] == "kept"
    assert known["receiver"].startswith("whsec_")


def test_networks_that_the_environment_names_go_over_the_demos_own(tmp_path: Path) -> None:
    environment = {"BEATKEEPER_LOCAL_DIR": str(tmp_path), "BEATKEEPER_EGRESS_ALLOW": "10.1.0.0/16"}
    assert config.load(environment).given == {"BEATKEEPER_EGRESS_ALLOW": "10.1.0.0/16"}

    (tmp_path / "env").write_text("BEATKEEPER_EGRESS_ALLOW=10.1.0.0/16\n")
    assert config.load(environment).given == {}


def test_the_tour_says_that_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="`make up` does not run here"):
        tour.tour(config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path)}))


def test_reset_removes_what_is_ours_and_names_what_is_not(tmp_path: Path) -> None:
    local = config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path / "local")})
    servers.lay_out(local)
    precious = local.local / "precious"
    precious.touch()

    with pytest.raises(LocalError, match="precious"):
        reset.reset(local)
    assert sorted(os.listdir(local.local)) == [servers.MARK, "precious"]

    precious.unlink()
    reset.reset(local)
    assert not local.local.exists()


def test_reset_leaves_a_folder_of_someone_elses(tmp_path: Path) -> None:
    (tmp_path / "env").touch()

    with pytest.raises(LocalError, match="nothing was removed"):
        reset.reset(config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path)}))
    assert (tmp_path / "env").exists()


def test_a_folder_in_use_is_not_taken_for_ours(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()

    with pytest.raises(LocalError, match="BEATKEEPER_LOCAL_DIR="):
        servers.lay_out(config.load({"BEATKEEPER_LOCAL_DIR": str(tmp_path)}))


def test_help_lists_every_target() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None

    shown = subprocess.run(["make", "-s", "-C", str(ROOT)], capture_output=True, text=True, check=True).stdout

    assert re.findall(r"^make ([\w-]+) +\S", shown, re.MULTILINE) == targets[1].split()
