"""A taxonomy of two levels, for a quasi-identifier the plan gives none: shown or hidden."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL, Taxonomy


@dataclass(frozen=True)
class FlatTaxonomy(Recipe):
    """Level 0 is the value, level 1 hides it."""

    kind: ClassVar[str] = "flat"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "FlatTaxonomy":
        return cls()

    def to_document(self) -> dict[str, Any]:
        return {}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        return {text: (ROOT_LABEL,) for text in column.values if text is not None}

    def uncovered(self, column: Column) -> list[str]:
        return []

    def build(self, column: Column) -> Taxonomy:
        if not column.values:
            return super().build(column)
        return Taxonomy.from_levels(
            column.values, [(np.zeros(len(column.values), np.int32), (ROOT_LABEL,))]
        )
