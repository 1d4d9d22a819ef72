"""python manage.py answer TABLE --plan PLAN.json [--out FILE]"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from deid_portal.common.management.commands.protect import (
    TerminalProgress,
    add_format_arguments,
    read_table,
    refuse,
    write_whole,
)
from deid_portal.engine import EngineError
from deid_portal.engine.differential import answer_plan, load_query_plan
from deid_portal.engine.starting import start_lightly


class Command(BaseCommand):
    help = "Answer the questions of a plan with noise; every run spends its price again."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="the file asked about, of any kind we read")
        parser.add_argument("--plan", type=Path, required=True, help="the plan, a JSON file")
        parser.add_argument("--out", type=Path, help="where to write the report; else printed")
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        start_lightly()
        try:
            plan = load_query_plan(options["plan"])
            table, _ = read_table(options["table"], options)
            if options["out"]:  # before anything is spent
                options["out"].parent.mkdir(parents=True, exist_ok=True)
            report = answer_plan(table, plan, TerminalProgress.if_terminal())
            text = json.dumps(report, indent=2, ensure_ascii=False)
            if options["out"]:
                write_whole(options["out"], lambda stream: stream.write(f"{text}\n".encode()))
        except (EngineError, OSError) as error:
            refuse(self, error)
        if not options["out"]:
            self.stdout.write(text)
