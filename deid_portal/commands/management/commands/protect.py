"""python manage.py protect TABLE --plan PLAN.json --out DIR (or EDGES, with a network plan)"""

import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from django.core.management.base import BaseCommand

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
    StatisticsFormat,
    WorkbookFormat,
)
from deid_portal.engine.files.limits import USUAL_LIMITS
from deid_portal.engine.files.table_reader import detect_file
from deid_portal.engine.files.table_reader import read_table as read_file
from deid_portal.engine.files.writer import WRITERS, write_table
from deid_portal.engine.randomness.seeds import SeededPlan
from deid_portal.engine.release.pseudonyms import ways_back
from deid_portal.engine.report import Report
from deid_portal.engine.table.table import Column

UNUSABLE = 2
NO_SOLUTION = 3
SHORTEST_KEY = 16
CONFIRMATION = "I know that the seed undoes the protection"
NO_CHOICE = {"delimiter": "", "encoding": ""}  # for a second file, whose format is found out


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
            table, form = read_table(options["table"], options)
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


class TerminalProgress:
    """One line on standard error that is written over."""

    def __call__(self, done: int, total: int, phase: str, **figures: Any) -> None:
        share = f"{done / total:4.0%}" if total else ""
        sys.stderr.write(f"\r{phase:10} {share} ")
        if phase in ("measure", "answer") and done == total:
            sys.stderr.write("\r" + " " * 20 + "\r")
        sys.stderr.flush()

    @classmethod
    def if_terminal(cls) -> "TerminalProgress | None":
        return cls() if sys.stderr.isatty() else None


def confirm_seed(plan: SeededPlan, sentence: str | None) -> bool:
    """Refuse before any work is done a seed that undoes the protection and was not confirmed."""
    if sentence not in (None, CONFIRMATION):
        raise InvalidPlan(f'--repeatable: only "{CONFIRMATION}" confirms it.')
    is_confirmed = sentence is not None
    plan.check_seed(
        is_confirmed=is_confirmed,
        or_else=f', or for tests only confirm it with --repeatable "{CONFIRMATION}"',
    )
    return is_confirmed


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


def names_network(path: Path) -> bool:
    """Say whether a plan file is about a network; what is wrong with others is said elsewhere."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "network" in document


def run_for_networks(
    command: BaseCommand, work: Callable[..., bool], options: dict[str, Any]
) -> None:
    """Do the same for a network; its room is only loaded when it is needed."""
    try:
        is_solved = work(options, TerminalProgress.if_terminal(), command)
    except (EngineError, OSError) as error:
        refuse(command, error)
    if not is_solved:
        sys.exit(NO_SOLUTION)


def add_format_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--nodes", type=Path, help="for a network: the table of its nodes, of any kind we read"
    )
    parser.add_argument("--delimiter", help="the sign between cells; found out if absent")
    parser.add_argument("--encoding", help="the encoding of the file; found out if absent")
    parser.add_argument(
        "--header",
        choices=("yes", "no"),
        help="whether the first line names the columns; found out if absent",
    )
    parser.add_argument("--sheet", help="the sheet of a workbook; the first table if absent")
    parser.add_argument(
        "--limit-mb",
        type=int,
        default=USUAL_LIMITS.memory_mb,
        help="the memory that reading may use, and twice what a packed file may unpack to; "
        "0: no limit",
    )


def read_table(path: Path, options: dict[str, Any]) -> tuple[Table, FileFormat]:
    """Read a file, its format detected but for what the options say.

    Only empty cells are gaps here: a word such as NA may be a value of a taxonomy.
    """
    memory_mb = options.get("limit_mb", USUAL_LIMITS.memory_mb)
    limits = replace(USUAL_LIMITS, memory_mb=memory_mb, unpacked_mb=memory_mb // 2)
    form = detect_file(path, options.get("sheet") or "", limits).format
    settings = form.settings
    if isinstance(settings, CsvFormat | WorkbookFormat):
        settings = replace(settings, missing=())
    if isinstance(settings, CsvFormat | WorkbookFormat) and options.get("header"):
        settings = replace(settings, has_header=options["header"] == "yes")
    if isinstance(settings, CsvFormat) and options["delimiter"]:
        settings = replace(settings, delimiter=options["delimiter"].replace("\\t", "\t"))
    if isinstance(settings, CsvFormat | StatisticsFormat) and options["encoding"]:
        settings = replace(settings, encoding=options["encoding"])
    form = replace(form, settings=settings)
    return read_file(path, form, limits=limits), form


def refuse(command: BaseCommand, error: Exception) -> NoReturn:
    """Say what is wrong in one sentence on standard error and leave."""
    command.stderr.write(_sentence(error))
    sys.exit(UNUSABLE)


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


def write_charts(report: Report, folder: Path, *, is_wanted: bool) -> None:
    """Write every chart of a report twice; those of an earlier run go, as its release does."""
    place = folder / "charts"
    for old in place.glob("*.svg"):
        if old.with_suffix(".json").exists():
            old.with_suffix(".json").unlink()
            old.unlink()
    if not is_wanted:
        return
    # Drawing is heavy to load, and seldom asked for.
    from deid_portal.engine.charts.figure_parts import with_title
    from deid_portal.engine.charts.gallery import charts_of_report
    from deid_portal.engine.charts.svg import write_svg

    place.mkdir(exist_ok=True)
    for name, chart in charts_of_report(report).items():
        _write_text(place / f"{name}.json", with_title(chart.figure, chart.title).to_json())
        _write_text(place / f"{name}.svg", write_svg(chart.figure, chart.title))


def _write_text(path: Path, text: str) -> None:
    write_whole(path, lambda stream: stream.write(text.encode()))


def _write_release(table: Table, stream: BinaryIO, form: FileFormat) -> None:
    if isinstance(form.settings, CsvFormat):
        write_csv(table, stream, form.settings.delimiter)
    else:
        write_table(table, stream, form.kind if form.kind in WRITERS else FileKind.CSV)


def write_whole(path: Path, write: Callable[[BinaryIO], object], mode: int = 0o644) -> None:
    """Write under a temporary name beside the target and rename, so no half file is seen."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            write(stream)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"Cannot write: {error.strerror or 'the folder is not usable'}."
    return str(error)
