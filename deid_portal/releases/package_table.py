"""The approved rows of a released table, and their dictionary."""

import hashlib
import io

from deid_portal.engine import Plan
from deid_portal.engine.files.csv.writer import COMMA
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.writer import write_table
from deid_portal.engine.report import Report
from deid_portal.engine.table.table import Table
from deid_portal.engine.verification.tables import read_release
from deid_portal.releases.models import Package, TableFormat
from deid_portal.releases.package_dictionary import write_dictionary
from deid_portal.releases.package_member import NOT_APPROVED, PackageMember, held, to_json
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.vault import vault

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def table_members(
    package: Package, report: Report, statement: ReleaseStatement
) -> list[PackageMember]:
    table = _read_rows(package)
    rows = _table_member(package, table)
    return [rows, _dictionary(package, table, report, statement, rows)]


def _read_rows(package: Package) -> Table:
    """Read the approved rows; raises DamagedFile if their hash is not the approved one."""
    request = package.release.request
    with vault.open_reader(request.run.release_file) as stream:
        delimiter = request.run.publication.delimiter or COMMA
        table = read_release(stream, FileKind.CSV, delimiter=delimiter)
    if table.source_sha256 != request.output_sha256:
        raise vault.DamagedFile(NOT_APPROVED)
    return table


def _table_member(package: Package, table: Table) -> PackageMember:
    request, form = package.release.request, TableFormat(package.format)
    columns = f"{table.rows:,} people, {len(table.columns)} columns, in no order that tells"
    if form == TableFormat.CSV:
        stored = request.run.release_file
        columns = f"{columns}; {_separated(request.run.publication.delimiter or COMMA, table)}"
        return PackageMember(
            "release.csv", columns, lambda: vault.open_reader(stored), table.source_sha256
        )
    stream = io.BytesIO()
    write_table(table, stream, FileKind(form.value))
    return PackageMember(f"release.{form.value}", columns, held(stream.getvalue()))


def _separated(delimiter: str, table: Table) -> str:
    """Say how cells and decimals are written: as in the file that came."""
    sign = DELIMITERS.get(delimiter, f"the sign {delimiter}")
    has_commas = any(column.decimal != "." for column in table.columns)
    return f"cells are separated by {sign}" + (", decimals by commas" if has_commas else "")


def _dictionary(
    package: Package,
    table: Table,
    report: Report,
    statement: ReleaseStatement,
    rows: PackageMember,
) -> PackageMember:
    digest, size = hashlib.sha256(), 0
    for piece in rows.pieces():
        digest.update(piece)
        size += len(piece)
    publication = package.release.request.run.publication
    plan = Plan.from_document(dict(publication.plan), read_file=publication.read_file)
    document = write_dictionary(
        package, table, report, statement, plan, size=size, sha256=digest.hexdigest()
    )
    purpose = "dictionary: bands used, meaning of gaps, share left out"
    return PackageMember("datapackage.json", purpose, to_json(document))
