"""python manage.py protect TABLE --plan PLAN.json --out DIR (or EDGES, with a network plan)"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand

from deid_portal.commands.files import (
    add_format_arguments,
    read_given_table,
    write_charts,
    write_whole,
)
from deid_portal.commands.network_plans import names_network, run_for_networks
from deid_portal.commands.seed_confirmation import CONFIRMATION, confirm_seed
from deid_portal.commands.terminal import NO_SOLUTION, TerminalProgress, refuse
from deid_portal.engine import (
    EngineError,
    InvalidPlan,
    Outcome,
    Plan,
    Table,
    load_plan,
    protect,
)
from deid_portal.engine.compiled.light_start import start_lightly
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.files.file_format import (
    FileFormat,
    FileKind,
)
from deid_portal.engine.files.writer import WRITERS, write_table
from deid_portal.engine.release.pseudonyms import ways_back
from deid_portal.engine.table.table import Column

SHORTEST_KEY = 16


class Command(BaseCommand):
    help = "Protect a table by a plan; writes release.csv and report.json."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="the file to protect, of any kind we read")
        parser.add_argument("--plan", type=Path, required=True, help="the plan, a JSON file")
        parser.add_argument(
            "--out", type=Path, required=True, help="where to write; made if needed"
        )
        parser.add_argument(
            "--pseudonym-key",
            type=Path,
            help="a file with the secret that pseudonyms are made from; the same for every table",
        )
        parser.add_argument(
            "--way-back",
            type=Path,
            help="where to write who is behind reversible pseudonyms; keep it apart",
        )
        parser.add_argument(
            "--repeatable",
            metavar="SENTENCE",
            help="for tests only: let the seed of the plan decide what chance draws, although that "
            f'undoes the protection; confirm with "{CONFIRMATION}"',
        )
        parser.add_argument(
            "--charts",
            action="store_true",
            help="write the charts of the report into OUT/charts, for Plotly (JSON) and as SVG",
        )
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if names_network(options["plan"]):
            # Networks bring many kernels, which plans of tables need not load.
            from deid_portal.commands.network_files import protect_files

            run_for_networks(self, protect_files, options)
            return
        start_lightly()
        try:
            plan = load_plan(options["plan"])
            is_repeatable = confirm_seed(plan, options["repeatable"])
            check_way_back(plan, options["way_back"])
            key = read_key(options["pseudonym_key"])
            table, form = read_given_table(options["table"], options)
            progress = TerminalProgress.if_terminal()
            outcome = protect(
                table, plan, progress=progress, pseudonym_key=key, is_repeatable=is_repeatable
            )
            write_outcome(outcome, options["out"], form)
            write_charts(outcome.report, options["out"], is_wanted=options["charts"])
            if options["way_back"] is not None and key and outcome.released is not None:
                people = ways_back(table, outcome.released, plan.reversible_columns, key)
                write_way_back(people, options["way_back"])
        except (EngineError, OSError) as error:
            refuse(self, error)
        if not outcome.solution:
            sys.exit(NO_SOLUTION)


def check_way_back(plan: Plan, path: Path | None) -> None:
    """Refuse before any work is done what would leave pseudonyms without the way back asked for."""
    columns = plan.reversible_columns
    if columns and path is None:
        raise InvalidPlan(
            f"columns.{columns[0]}.treatment: say with --way-back where to write who is behind the "
            f'pseudonyms, or use "pseudonym".'
        )
    if path is not None and not columns:
        raise InvalidPlan('columns: --way-back needs a column with the treatment "reversible".')


def read_key(path: Path | None) -> bytes | None:
    """Return the secret in a file, without the line break an editor leaves at its end."""
    if path is None:
        return None
    try:
        key = path.read_bytes().strip()
    except OSError:
        raise InvalidPlan(f'There is no readable file "{path}" with a key.') from None
    if len(key) < SHORTEST_KEY:
        raise InvalidPlan(
            f"The key has {len(key)} characters; at least {SHORTEST_KEY} random ones are needed, "
            f"for example from: openssl rand -hex 32"
        )
    return key


def write_way_back(people: Iterable[tuple[str, str, str]], path: Path) -> None:
    """Write a CSV file that only its owner can read."""
    names = ("pseudonym", "column", "original")
    cells = zip(*people, strict=True)
    table = Table(tuple(Column.from_cells(*pair) for pair in zip(names, cells, strict=True)))
    write_whole(path, lambda stream: write_csv(table, stream), mode=0o600)


def write_outcome(outcome: Outcome, folder: Path, form: FileFormat) -> None:
    """Write the report and, if there is one, the released table, each whole or not at all.

    The release is of the kind the table was, where that kind can be written, else CSV. One of an
    earlier run goes when this one has none or another kind: it would belie the report.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kind = form.kind if form.kind in WRITERS else FileKind.CSV
    release = folder / f"release.{kind.value}"
    if outcome.released is not None:
        released = outcome.released
        write_whole(release, lambda stream: _write_release(released, stream, form))
    for other in WRITERS:
        if other != kind or outcome.released is None:
            (folder / f"release.{other.value}").unlink(missing_ok=True)
    text = json.dumps(outcome.report.to_document(), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / "report.json", lambda stream: stream.write(text.encode()))


def _write_release(table: Table, stream: BinaryIO, form: FileFormat) -> None:
    if isinstance(form.settings, CsvFormat):
        write_csv(table, stream, form.settings.delimiter)
    else:
        write_table(table, stream, form.kind if form.kind in WRITERS else FileKind.CSV)
