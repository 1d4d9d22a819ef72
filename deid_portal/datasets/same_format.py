"""Reading a next version with the format settings of the version before."""

from dataclasses import replace
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import preview_of
from deid_portal.engine import EngineError
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import FileFormat, StatisticsFormat, WorkbookFormat


def read_like(dataset: Dataset, before: Dataset) -> dict[str, Any]:
    """Return the format of a file with the corrections made to the version before.

    Types are carried over by column name, because columns may have been added.
    """
    now, then = (FileFormat.from_document(one.file_format) for one in (dataset, before))
    if now.kind != then.kind:
        return now.to_document()
    alike = replace(now, settings=replace(now.settings, **_known_to_stewards(before, now, then)))
    chosen = {
        column.name: then.types[column.position]
        for column in before.columns.all()
        if column.position in then.types
    }
    names = _names_of(dataset) if chosen else []
    types = {place: chosen[name] for place, name in enumerate(names) if name in chosen}
    return replace(alike, types={**now.types, **types}).to_document()


def _known_to_stewards(before: Dataset, now: FileFormat, then: FileFormat) -> dict[str, Any]:
    """Return the settings that only a steward can know; all others are detected again."""
    known: dict[str, Any] = {}
    if isinstance(then.settings, CsvFormat | WorkbookFormat):
        seen_before = before.detection.get("format", {}).get("missing", ())
        words = getattr(now.settings, "missing", ())
        new = [word for word in words if word not in seen_before]
        known["missing"] = tuple(dict.fromkeys([*then.settings.missing, *new]))
    if isinstance(then.settings, StatisticsFormat):
        known["labels"] = then.settings.labels
    return known


def _names_of(dataset: Dataset) -> list[str]:
    try:
        return [column.name for column in preview_of(dataset).columns]
    except EngineError:
        return []  # the preview reports the problem
