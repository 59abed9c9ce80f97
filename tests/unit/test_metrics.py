"""The metrics, their page in the documents, and the alerts speak of the same names."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import yaml

from deploy.local.config import ROOT
from jobs.domain.platform import PlatformFacts, QueueFacts, ShardFacts
from jobs.domain.problems import Code
from jobs.metrics import METRICS, PROBLEMS, UNCOUNTED, families
from jobs.version import VERSION

PAGE = (ROOT / "docs" / "reference" / "metrics.md").read_text()
ALERTS = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
FACTS = PlatformFacts(datetime(2026, 7, 1, tzinfo=UTC), (ShardFacts(0),), (QueueFacts("jobs.default"),))
NAMES = {f"beatkeeper_{metric.name}" for metric in (*METRICS, PROBLEMS)}
_NAME = re.compile(r"\bbeatkeeper_\w+")


def test_each_metric_is_exposed_once_under_its_name() -> None:
    exposed = [family.name for family in families(FACTS, ())]
    assert len(exposed) == len(set(exposed))
    assert set(exposed) == NAMES


def test_the_page_names_every_metric_with_its_labels() -> None:
    rows = re.findall(r"^\| `(beatkeeper_\w+)(?:\{([\w, ]+)\})?` \|", PAGE, re.MULTILINE)
    documented = {name: tuple(filter(None, labels.split(", "))) for name, labels in rows}
    assert documented == {f"beatkeeper_{metric.name}": metric.labels for metric in (*METRICS, PROBLEMS, UNCOUNTED)}


def test_the_page_names_every_problem() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)` \| (?:down|degraded)", PAGE, re.MULTILINE)) == set(Code)


def test_every_alert_asks_for_metrics_that_there_are() -> None:
    for rule in RULES:
        asked = set(_NAME.findall(rule["expr"]))
        assert asked, rule["alert"]
        assert asked <= NAMES, rule["alert"]


def test_every_alert_for_a_problem_names_one_that_there_is_and_each_has_an_alert() -> None:
    asked = [re.findall(r'beatkeeper_problems\{code=~?"([^"]+)"', rule["expr"]) for rule in RULES]
    assert {code for found in asked for text in found for code in text.split("|")} == set(Code)


def test_every_alert_has_a_severity_a_wait_and_words() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning"), rule["alert"]
        assert {"summary", "description"} <= set(rule["annotations"]), rule["alert"]
        assert "for" in rule, rule["alert"]


def test_the_page_names_every_alert() -> None:
    assert {rule["alert"] for rule in RULES} == set(re.findall(r"`(Beatkeeper\w+)`", PAGE))


def test_the_version_is_that_of_the_package() -> None:
    assert f'\nversion = "{VERSION}"\n' in (ROOT / "pyproject.toml").read_text()
