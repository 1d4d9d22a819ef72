"""datapackage.json: the released columns as a Frictionless Data Package (version 1)."""

from datetime import UTC, datetime
from typing import Any

from django.utils.text import slugify

from deid_portal.engine import Plan
from deid_portal.engine.files.csv.writer import COMMA
from deid_portal.engine.publication.label_groups import describe_label_groups
from deid_portal.engine.report import Report
from deid_portal.engine.table.table import Table
from deid_portal.engine.verification.dictionary import describe_fields
from deid_portal.releases.models import Package, TableFormat
from deid_portal.releases.release_statement import ReleaseStatement

MEDIA_TYPES = {
    TableFormat.CSV: "text/csv",
    TableFormat.PARQUET: "application/vnd.apache.parquet",
    TableFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    TableFormat.SPSS: "application/x-spss-sav",
}


def write_dictionary(
    package: Package,
    table: Table,
    report: Report,
    statement: ReleaseStatement,
    plan: Plan,
    *,
    size: int,
    sha256: str,
) -> dict[str, Any]:
    form = TableFormat(package.format)
    is_csv = form == TableFormat.CSV
    name = slugify(statement.dataset) or "dataset"
    resource: dict[str, Any] = {
        "name": "release",
        "path": f"release.{form.value}",
        "profile": "tabular-data-resource" if is_csv else "data-resource",
        "format": form.value,
        "mediatype": MEDIA_TYPES[form],
        "bytes": size,
        "hash": f"sha256:{sha256}",
        "rows": table.rows,
    }
    if is_csv:
        resource["encoding"] = "utf-8"
        delimiter = package.release.request.run.publication.delimiter or COMMA
        resource["dialect"] = {"delimiter": delimiter, "lineTerminator": "\n", "quoteChar": '"'}
    resource["schema"] = {"fields": _fields(table, report, plan), "missingValues": [""]}
    return {
        "profile": "tabular-data-package" if is_csv else "data-package",
        "name": f"{name}-release-{statement.release}",
        "title": statement.title,
        "description": _description(report, statement),
        "version": str(statement.release),
        "created": _moment(statement.released_at),
        "rowsLeftOut": _left_out(report),
        "resources": [resource],
    }


def _fields(table: Table, report: Report, plan: Plan) -> list[dict[str, Any]]:
    """Describe the columns and, by the published plan, what stands below their groups."""
    fields = describe_fields(table, report)
    return [own | describe_label_groups(table[own["name"]], plan) for own in fields]


def _moment(text: str) -> str:
    """Return the time of the approval in the format that the data package standard requires."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _left_out(report: Report) -> dict[str, Any] | None:
    """Return how many people were left out; None if that may not be published."""
    if not report.rows.tells("suppressed") or not report.tells("input"):
        return None
    suppressed = report.rows.suppressed
    return {"rows": suppressed, "share": suppressed / max(report.input.rows, 1)}


def _description(report: Report, statement: ReleaseStatement) -> str:
    said = [f"De-identified table for {statement.purpose}. One row is one person, in no order."]
    left = _left_out(report)
    if left is not None:
        said.append(f"{left['rows']:,} of the people were left out." if left["rows"] else "")
    said.append("certificate.html says what was promised and measured.")
    return " ".join(sentence for sentence in said if sentence)
