"""Methods tried on small tables without a whole plan around them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.taxonomies import FlatTaxonomy, parse_recipe


def draft_of(table: Table, **recipes: dict[str, Any] | None) -> TableDraft:
    """Return a draft whose quasi-identifiers have these taxonomies, None for shown or hidden."""
    built = {
        name: FlatTaxonomy() if recipe is None else parse_recipe(Place(recipe))
        for name, recipe in recipes.items()
    }
    weights = dict.fromkeys(built, 1.0)
    return TableDraft.start(Problem.pose(table, built, weights, (), {}, Progress(None)))


def carry_out(
    method: ChangingMethod,
    draft: TableDraft | Table,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> TableDraft:
    start = draft if isinstance(draft, TableDraft) else draft_of(draft)
    return method.apply(start, np.random.default_rng(seed), Progress(progress))


def reader(method: type[ChangingMethod]) -> Callable[..., Any]:
    """Return a function that makes the method of the keys a plan would have."""

    def read(**keys: Any) -> Any:
        made = method.parse(Place({"name": method.name, **keys}, "method"))
        assert method.parse(Place(made.to_document(), "method")) == made
        return made

    return read


def cells(draft: TableDraft, name: str) -> list[str | None]:
    return list(draft.table[name].cells())


def number_table(**columns: list[float | int | None]) -> Table:
    """Return a table of numbers."""
    texts = (
        [None if cell is None else str(cell) for cell in column] for column in columns.values()
    )
    return Table.from_rows(list(columns), zip(*texts, strict=True))
