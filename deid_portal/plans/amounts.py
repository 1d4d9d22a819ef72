"""Sensitive columns of amounts, nearly all different: how they are shown, and numbers that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from deid_portal.datasets.models import ColumnRoleChoices, DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine.methods.coarsening import Coarsening
from deid_portal.engine.methods.coding import Coding
from deid_portal.engine.methods.rounding import Rounding
from deid_portal.engine.privacy.fitting_numbers import AmountColumn
from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.table.values import NUMERIC, ColumnType

Methods = list[dict[str, Any]]


@dataclass(frozen=True)
class ShownAs:
    """How a sensitive column is shown: exactly, rounded to `base`, or at a level of its taxonomy.

    The share `ends` of the people at each end are then shown the same number.
    """

    base: float = 0.0
    ends: float = 0.0
    level: int = 0

    @property
    def is_exact(self) -> bool:
        return not (self.base or self.ends or self.level)


def methods_showing(shown: Mapping[str, ShownAs]) -> Methods:
    """Return the methods that come first, so that rules see the columns as they leave."""
    methods: Methods = []
    for column, own in shown.items():
        if own.base:
            methods.append({"name": Rounding.name, "columns": [column], "base": own.base})
        if own.ends:
            ends = {"top_share": own.ends, "bottom_share": own.ends}
            methods.append({"name": Coding.name, "columns": [column], **ends})
    levels = {column: own.level for column, own in shown.items() if own.level}
    return [*methods, {"name": Coarsening.name, "levels": levels}] if levels else methods


def shown_by(methods: Sequence[Mapping[str, Any]]) -> dict[str, ShownAs]:
    """Return how these methods show columns, as far as questions can say it."""
    found: dict[str, dict[str, Any]] = {}
    for method in methods:
        match method:
            case {"name": Rounding.name, "columns": [column], "base": base}:
                found.setdefault(column, {})["base"] = base
            case {"name": Coding.name, "columns": [column], "top_share": share}:
                found.setdefault(column, {})["ends"] = share
            case {"name": Coarsening.name, "levels": levels}:
                for column, level in levels.items():
                    found.setdefault(column, {})["level"] = level
    return {column: ShownAs(**own) for column, own in found.items()}


def variety_of(column: DatasetColumn, rows: int) -> ValueVariety:
    """Return how different the values of a column are, as counted when the table was read."""
    return ValueVariety(rows - column.missing, column.distinct, column.uniques)


def has_amounts(column: DatasetColumn, rows: int) -> bool:
    """Say whether a sensitive column holds numbers that are nearly all different."""
    is_number = column.type in NUMERIC and column.role == ColumnRoleChoices.SENSITIVE
    return is_number and variety_of(column, rows).is_mostly_lone


def amounts_of(column: DatasetColumn) -> AmountColumn:
    """Return the numbers of a column; the last few used stay in memory."""
    assert column.dataset.table_id is not None  # noqa: S101 - it was read before it has columns
    return _load(column.id, column.dataset.table_id, column.type)


@lru_cache(maxsize=8)
def _load(column_id: int, table_id: UUID, type: str) -> AmountColumn:
    column = DatasetColumn.objects.select_related("dataset").get(id=column_id)
    return AmountColumn.of(values_of(column).with_type(ColumnType(type)))
