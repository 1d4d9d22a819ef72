"""python manage.py assess TABLE --plan PLAN.json [--released FILE]"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from deid_portal.commands.files import NO_CHOICE, add_format_arguments, read_given_table
from deid_portal.commands.network_plans import names_network, run_for_networks
from deid_portal.commands.terminal import refuse
from deid_portal.engine import EngineError, assess, load_plan
from deid_portal.engine.compiled.light_start import start_lightly


class Command(BaseCommand):
    help = "Print a report of risk and utility; changes nothing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="the original file, of any kind we read")
        parser.add_argument("--plan", type=Path, required=True, help="the plan, a JSON file")
        parser.add_argument("--released", type=Path, help="a release made from the table")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if names_network(options["plan"]):
            # Networks bring many kernels, which plans of tables need not load.
            from deid_portal.commands.network_files import assess_files

            run_for_networks(self, assess_files, options)
            return
        start_lightly()
        try:
            plan = load_plan(options["plan"])
            table, _ = read_given_table(options["table"], options)
            released = None
            if options["released"]:
                released, _ = read_given_table(
                    options["released"], {**NO_CHOICE, "limit_mb": options["limit_mb"]}
                )
            report = assess(table, plan, released)
        except EngineError as error:
            refuse(self, error)
        self.stdout.write(json.dumps(report.to_document(), indent=2, ensure_ascii=False))
