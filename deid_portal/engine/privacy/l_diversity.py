"""l-diversity: look-alikes must not share one secret."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.grouping import Classes
from deid_portal.engine.parameters import Choice, ColumnName, Declared, Parameter
from deid_portal.engine.privacy.model import Answers, PrivacyModel, Whole
from deid_portal.engine.table import Counts


@dataclass(frozen=True)
class LDiversity(PrivacyModel):
    """Every class holds at least l different sensitive values (Machanavajjhala et al., 2007).

    A gap in the sensitive column is a value like any other.
    """

    l: int  # noqa: E741 - the literature's symbol
    column: str
    variant: str = "distinct"

    name: ClassVar[str] = "l-diversity"
    cites: ClassVar[str] = (
        "A. Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Choice("variant", ("distinct",), not_yet=("probabilistic", "entropy", "recursive")),
        Parameter(
            "l",
            minimum=2,
            whole=True,
            unusual_above=20,
            caution="l = {value} is unusual: few columns have groups with that many values.",
        ),
        ColumnName(),
    )
    is_monotone = True
    is_monotone_per_record = True

    @property
    def sensitive_column(self) -> str:
        return self.column

    def passes(self, classes: Classes, whole: Whole) -> Answers:
        return self._distinct(classes) >= self.l

    def achieved(self, kept: Classes, whole: Whole) -> dict[str, Any]:
        distinct = self._distinct(kept)
        return {"l": int(distinct.min()) if len(distinct) else 0}

    def explain(self) -> str:
        return (
            f"Among people who look alike, at least {self.l} different values of {self.column} "
            f"occur, so finding the group does not give the value away."
        )

    def check_rows(self, place: Place, rows: int) -> None:
        if self.l > rows:
            place["l"].refuse(f"the table has {rows} rows, so at most {rows} is accepted.")

    def _distinct(self, classes: Classes) -> Counts:
        groups = classes.sensitive[self.column].groups
        return np.bincount(groups, minlength=len(classes.sizes))
