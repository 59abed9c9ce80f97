"""``manage.py doctor``: look at the installation and say the mend of each fault. Exit 1 when there is a fault."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.management.cli.arguments import add_json
from jobs.management.cli.output import Output
from jobs.management.doctor.examine import examine
from jobs.management.doctor.finding import Level


class Command(BaseCommand):
    """What is looked at is in ``jobs.management.doctor``."""

    help = "Check the installation and say the mend of each fault."
    requires_system_checks = ()  # the doctor says them in its own way

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)
        parser.add_argument("--fix", action="store_true", help="make missing partitions of the run table")

    def handle(self, *_: Any, **options: Any) -> None:
        found = examine(is_mending=options["fix"])
        is_sound = not any(finding.level is Level.FAULT for finding in found)
        out = Output(self.stdout, self.stderr, is_json=options["json"])
        if out.is_json:
            out.json({"is_sound": is_sound, "findings": [asdict(finding) for finding in found]})
        else:
            for finding in found:
                out.line(f"{finding.level:6}{finding.check}: {finding.text}")
                if finding.mend:
                    out.line(f"      -> {finding.mend}")
        if not is_sound:
            raise SystemExit(1)
