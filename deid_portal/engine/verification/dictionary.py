"""The data dictionary of a released table: Frictionless fields and the treatment of each column.

It is computed from the released cells and the published report, so that recipients can recompute
and compare it. It names no value that is not in the release.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deid_portal.engine.publication.published_report import columns_of_several_levels
from deid_portal.engine.report import Report
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType, find_date_format

MOST_CATEGORIES = 200
EXACTLY = "value as it was"
ROLE_WORDS = {
    "identifier": "points to one person by itself; replaced by something that does not",
    "quasi-identifier": "could point to a person together with others, so it was made coarser",
    "sensitive": "must not be learned about a person",
    "insensitive": "harmless by itself",
}
MADE = "made by the method; it stands in no column of the original"
TYPES = {
    ColumnType.TEXT: "string",
    ColumnType.INTEGER: "integer",
    ColumnType.NUMBER: "number",
    ColumnType.DATE: "date",
    ColumnType.BOOLEAN: "boolean",
}
NO_GAPS = "No cell of this column is empty."
GAPS = "Empty cell: the original has no value there."
ISO_DAY = "%Y-%m-%d"


def describe_fields(table: Table, report: Report) -> list[dict[str, Any]]:
    """Return one Frictionless field per released column, in the order of the table."""
    columns = report.columns if report.tells("columns") else {}
    mixed = columns_of_several_levels(report.transformation)
    told = {n: replace(own, level=None) if n in mixed else own for n, own in columns.items()}
    return [describe_field(column, told.get(column.name)) for column in table.columns]


def describe_field(column: Column, told: ColumnReport | None) -> dict[str, Any]:
    """Describe a column; `told` is its entry in the report, if there is one."""
    shown = _type_of(column, told)
    role = told.role if told else None
    level = _level(told)
    rows = max(column.rows, 1)
    field: dict[str, Any] = {
        "name": column.name,
        "type": TYPES[shown],
        **_format(column, shown),
        "description": _sentence(role, level),
        "role": role or "made",
        "roleMeaning": ROLE_WORDS.get(role or "", MADE),
    }
    if level:
        field["level"] = level
    field["distinctValues"] = int((column.counts > 0).sum())
    field["missing"] = {
        "meaning": GAPS if column.missing else NO_GAPS,
        "cells": column.missing,
        "share": column.missing / rows,
    }
    hidden = count_hidden(column, told)
    if hidden is not None:
        field["suppressed"] = {"cells": hidden, "share": hidden / rows}
    categories = list_categories(column, shown)
    if categories is not None:
        field["categories"] = categories
    return field


def list_categories(column: Column, shown: ColumnType) -> list[str] | None:
    """Return the sorted labels of a column; None for numbers, dates and very many labels."""
    if shown not in (ColumnType.TEXT, ColumnType.BOOLEAN):
        return None
    counts = zip(column.values, column.counts.tolist(), strict=True)
    labels = sorted(text for text, count in counts if text is not None and count)
    return labels if len(labels) <= MOST_CATEGORIES else None


def count_hidden(column: Column, told: ColumnReport | None) -> int | None:
    """Count the suppressed cells (root label, or only asterisks); None if it has no levels."""
    if not told or told.role != "quasi-identifier":
        return None
    level, height = told.level, told.height
    if level is not None:
        return column.rows if level and level == height else 0
    counts = zip(column.values, column.counts.tolist(), strict=True)
    return sum(int(count) for text, count in counts if text and not text.strip("*"))


def _type_of(column: Column, told: ColumnReport | None) -> ColumnType:
    """Return the type; labels of a generalized column are text, even if they look like numbers."""
    is_coarse = bool(told and told.level)
    return ColumnType.TEXT if is_coarse else column.type


def _format(column: Column, shown: ColumnType) -> dict[str, Any]:
    present = [text for text in column.values if text is not None]
    if shown == ColumnType.DATE:
        form = find_date_format(present) or ISO_DAY
        is_moment = "%H" in form
        return {"type": "datetime" if is_moment else "date"} | (
            {} if form == ISO_DAY else {"format": form}
        )
    if shown == ColumnType.NUMBER and column.decimal != ".":
        return {"decimalChar": column.decimal}
    if shown == ColumnType.BOOLEAN:
        truths = ("true", "yes", "t", "y")
        return {
            "trueValues": sorted(t for t in present if t.lower() in truths) or ["true"],
            "falseValues": sorted(t for t in present if t.lower() not in truths) or ["false"],
        }
    return {}


def _level(told: ColumnReport | None) -> dict[str, Any]:
    if not told or told.role != "quasi-identifier":
        return {}
    level, height = told.level, told.height
    if level is None:
        return {"used": None, "of": height, "name": "labels of several levels"}
    if level == 0:
        return {"used": 0, "of": height, "name": EXACTLY}
    name = told.level_name or f"level {level}"
    return {"used": level, "of": height, "name": "hidden" if level == height else name}


def _sentence(role: str | None, level: Mapping[str, Any]) -> str:
    if role is None:
        return f"{MADE[0].upper()}{MADE[1:]}."
    words = f"{role.capitalize()}: {ROLE_WORDS[role]}."
    if not level:
        return words
    if level["used"] is None:
        return f"{words} Cells show labels of several levels."
    if level["used"] == 0:
        return f"{words} Shown as it was."
    if level["used"] == level["of"]:
        return f"{words} Hidden: every cell shows the same label."
    return f"{words} Shown at level {level['used']} of {level['of']} ({level['name']})."
