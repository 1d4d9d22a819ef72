"""python manage.py answer TABLE --plan PLAN.json [--out FILE] (or LINKS, with a network plan)"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand

from deid_portal.commands.files import (
    add_format_arguments,
    prepare_folder,
    read_given_table,
    write_report,
)
from deid_portal.commands.network_plans import names_network, run_for_networks
from deid_portal.commands.terminal import TerminalProgress, refuse
from deid_portal.engine import EngineError
from deid_portal.engine.compiled.light_start import start_lightly
from deid_portal.engine.differential import answer_plan, load_query_plan


class Command(BaseCommand):
    help = "Answer the questions of a plan with noise; every run spends its price again."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="the file asked about, of any kind we read")
        parser.add_argument("--plan", type=Path, required=True, help="the plan, a JSON file")
        parser.add_argument("--out", type=Path, help="where to write the report; else printed")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if names_network(options["plan"]):
            # Networks bring many kernels, which plans of tables need not load.
            from deid_portal.commands.network_files import answer_files

            run_for_networks(self, answer_files, options)
            return
        start_lightly()
        try:
            plan = load_query_plan(options["plan"])
            table, _ = read_given_table(options["table"], options)
            prepare_folder(options["out"])
            report = answer_plan(table, plan, TerminalProgress.if_terminal())
            write_report(report, options["out"], cast(TextIO, self.stdout))
        except (EngineError, OSError) as error:
            refuse(self, error)
