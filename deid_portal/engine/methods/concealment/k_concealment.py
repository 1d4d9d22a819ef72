"""k-concealment: every row has its own labels, and everybody may be behind k of the rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.concealment.cover import LevelLabels, conceal
from deid_portal.engine.parameters import Declared, number_of_look_alikes
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.table.values import infer_type
from deid_portal.engine.taxonomies import Taxonomy

MOST_ROWS = 4000  # every row is compared with every person


@dataclass(frozen=True)
class KConcealmentRelease(ChangingMethod):
    """Rows shown at levels of their own, so that everybody may be behind at least k of them.

    Rows need not look alike for that, so less detail is lost than for k-anonymity. The costs are
    those of the metric `loss`, with the weights of the plan. Nobody is suppressed.
    """

    k: int

    breaks_ties_by_order: ClassVar[bool] = True
    name: ClassVar[str] = "k-concealment"
    title: ClassVar[str] = "k-concealment"
    cites: ClassVar[str] = (
        "T. Tassa, A. Mazza, A. Gionis, k-concealment: an alternative model of k-type anonymity, "
        "Transactions on Data Privacy 5(1), 2012."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        number_of_look_alikes(default=3, unusual_above=100),
    )

    def explain(self) -> str:
        return (
            f"Every row is shown with labels of its own, just coarse enough that everybody could "
            f"be behind at least {self.k} rows, whichever way people and rows are matched."
        )

    def check_problem(self, place: Place, problem: Problem) -> None:
        if self.k > problem.rows:
            place["k"].refuse(
                f"the table has {problem.rows} rows, so at most {problem.rows} is accepted."
            )
        if problem.rows > MOST_ROWS:
            place.refuse(
                f"k-concealment compares every row with every person, so at most {MOST_ROWS} rows "
                f"are accepted; choose local-recoding for larger tables."
            )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        problem = draft.pose(progress)
        nobody = draft.keep(np.zeros(draft.table.rows, np.bool_))
        if self.k > problem.rows:
            return nobody
        leaves = [problem.table[name].codes for name in problem.names]
        labels = LevelLabels.of(problem.taxonomies, leaves, problem.weights)
        levels = conceal(labels, self.k, progress)
        if levels is None:
            return nobody
        shown = [
            _show(problem.table[name], taxonomy, own)
            for name, taxonomy, own in zip(problem.names, problem.taxonomies, levels, strict=True)
        ]
        means = {name: float(own.mean()) for name, own in zip(problem.names, levels, strict=True)}
        return draft.with_columns(*shown).noting(k=self.k, mean_levels=means)


def _show(column: Column, taxonomy: Taxonomy, levels: Codes) -> Column:
    """Return the column with every cell at its own level."""
    starts = np.cumsum([0, *(len(labels) for labels in taxonomy.labels)])
    texts = [text for labels in taxonomy.labels for text in labels]
    nodes = starts[levels] + taxonomy.codes[levels, column.codes]
    used, codes = np.unique(nodes, return_inverse=True)
    known: dict[str | None, int] = {}
    joined = np.array([known.setdefault(texts[node], len(known)) for node in used], np.int32)
    values = tuple(known)
    kind = infer_type(values, column.decimal)
    return Column(column.name, kind, joined[codes], values, column.decimal)
