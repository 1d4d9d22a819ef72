"""Top-down specialization: from everything hidden to as much detail as the rules allow."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.top_down.cuts import Cuts, Specialization
from deid_portal.engine.parameters import Choice, ColumnName, Declared
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.transformation import LabelCount
from deid_portal.engine.search.problem import Problem

GAIN, DISCERNIBILITY = "information-gain", "discernibility"
STEPS_TOLD = 100


@dataclass(frozen=True)
class TopDown(ChangingMethod):
    """Sub-trees of every taxonomy, opened one by one, the best first, while all models hold.

    Made for many columns and LKC-privacy, but any model that cannot hold again once it is broken
    may be the stopping rule. Nobody is suppressed. Numbers without a taxonomy grow their own tree.
    """

    score: str = DISCERNIBILITY
    class_column: str | None = None

    name: ClassVar[str] = "top-down"
    title: ClassVar[str] = "Top-down specialization"
    is_in_plain_view: ClassVar[bool] = True
    can_be_swept: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "N. Mohammed, B. Fung, P. Hung, C. Lee, Anonymizing healthcare data: a case study on the "
        "blood transfusion service, KDD 2009; B. Fung, K. Wang, P. Yu, Top-down specialization for "
        "information and privacy preservation, ICDE 2005."
    )
    makes_classes: ClassVar[bool] = True
    leaves_out_nobody: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Choice("score", (DISCERNIBILITY, GAIN)),
        ColumnName("class_column", optional=True),
    )

    @classmethod
    def parse(cls, place: Place) -> "TopDown":
        method = super().parse(place)
        if method.score == GAIN and method.class_column is None:
            place["class_column"].refuse(
                f"{GAIN} needs the name of the column that the others should still tell about."
            )
        if method.score != GAIN and method.class_column is not None:
            place["class_column"].refuse(f"only the score {GAIN} has one; leave it out.")
        return method

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        fitting = [name for name, role in roles.items() if role in ("sensitive", "insensitive")]
        if self.class_column is not None and self.class_column not in fitting:
            place["class_column"].refuse(
                "a sensitive or insensitive column is accepted; the plan has "
                + (f"{quoted(fitting)}." if fitting else "none.")
            )

    def check_problem(self, place: Place, problem: Problem) -> None:
        for model in problem.models:
            if not model.is_monotone:
                place.refuse(
                    f"{model.name} may hold again after it was broken, so top-down cannot tell "
                    f"where to stop; choose another method or another model."
                )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        problem = draft.pose(progress)
        cuts = Specialization(problem, self.class_column, progress).run()
        if cuts is None:
            return draft.keep(np.zeros(draft.table.rows, np.bool_))
        columns = [
            cuts.show(problem.table[name], index) for index, name in enumerate(problem.names)
        ]
        shown = draft.with_columns(*columns).noting(**_describe_steps(cuts))
        return replace(shown, cuts={**draft.cuts, **_describe_cuts(cuts, problem)})

    def explain(self) -> str:
        return (
            "Everything starts hidden; detail is shown step by step, what matters most first, "
            "until one more step would break a rule."
        )


def _describe_steps(cuts: Cuts) -> dict[str, Any]:
    """Return what was specialized in order; the first hundred are told one by one."""
    told = cuts.steps[:STEPS_TOLD]
    return {
        "specializations": len(cuts.steps),
        "judged": cuts.judged,
        "order": [
            {"column": step.column, "label": step.label, "score": step.score} for step in told
        ],
    }


def _describe_cuts(cuts: Cuts, problem: Problem) -> dict[str, tuple[LabelCount, ...]]:
    return {
        name: tuple(LabelCount(node.label, node.records) for node in nodes)
        for name, nodes in zip(problem.names, cuts.nodes, strict=True)
    }
