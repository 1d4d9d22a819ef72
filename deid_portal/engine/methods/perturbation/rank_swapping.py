"""Rank swapping: values change places with others of nearly the same rank."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.perturbation.rank_partners import swap_ranks
from deid_portal.engine.parameters import ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import positions_of


@dataclass(frozen=True)
class RankSwapping(ChangingMethod):
    """Within each column by itself, cells change places up to `window` percent of the ranks apart.

    Numbers and dates are ranked by size, texts by the alphabet. Gaps stay where they are.
    """

    columns: tuple[str, ...]
    window: float

    name: ClassVar[str] = "rank-swapping"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Rank swapping"
    cites: ClassVar[str] = (
        "R. A. Moore, Controlled data-swapping techniques for masking public use microdata sets, "
        "US Bureau of the Census, 1996."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter(
            "window",
            start=5,
            minimum=0.01,
            maximum=100,
            unusual_below=2,
            unusual_above=20,
            caution=(
                "A window of {value} percent is unusual: below 2 values hardly move, above 20 "
                "little of the relation between columns is left."
            ),
        ),
    )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)

    def explain(self) -> str:
        return (
            f"Within each column, values change places with others at most {self.window:g} % of "
            f"the ranks away: every value stays in the table, but with somebody else."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        figures: dict[str, Any] = {}
        for name in self.columns:
            column = draft.table[name]
            positions = positions_of(column)[column.codes]
            present = int(np.count_nonzero(~np.isnan(positions)))
            # Of a few rows a small share would be none; neighbors at least change places.
            window = max(math.floor(present * self.window / 100), 1)
            giver = swap_ranks(positions, window, generator, progress)
            swapped = replace(column, codes=column.codes[giver])
            changed = int(np.count_nonzero(swapped.codes != column.codes))
            figures[name] = {"ranks": window, "changed_share": changed / max(draft.table.rows, 1)}
            draft = draft.with_columns(swapped)
        return draft.noting(window_percent=self.window, columns=figures)
