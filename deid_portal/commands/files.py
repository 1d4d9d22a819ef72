"""Files of the engine's commands: tables in, reports and charts out."""

import json
import os
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from deid_portal.engine import Table
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import FileFormat, StatisticsFormat, WorkbookFormat
from deid_portal.engine.files.limits import USUAL_LIMITS
from deid_portal.engine.files.table_reader import detect_file
from deid_portal.engine.files.table_reader import read_table as read_file
from deid_portal.engine.report import Report

NO_CHOICE = {"delimiter": "", "encoding": ""}  # for a second file, whose format is found out


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


def read_given_table(path: Path, options: dict[str, Any]) -> tuple[Table, FileFormat]:
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


def prepare_folder(out: Path | None) -> None:
    """Make the folder of the report; what cannot be written must fail before it is paid for."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)


def write_report(report: dict[str, Any], out: Path | None, stdout: TextIO) -> None:
    text = json.dumps(report, indent=2, ensure_ascii=False)
    if out is None:
        stdout.write(f"{text}\n")
    else:
        write_whole(out, lambda stream: stream.write(f"{text}\n".encode()))


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
