"""(c, t)-isolation: a point near one person is near many."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts

MOST_COMBINATIONS = 50_000  # every class is compared with each of them


@dataclass(frozen=True)
class CTIsolation(PrivacyModel):
    """No released record isolates a person: t people are nearly as near to it as the nearest.

    A point q isolates a person at distance δ if fewer than t people of the original table lie in
    the ball of radius c · δ around q. A point that isolates anybody isolates the nearest person, so
    only that person is checked. Points are the released records on the quasi-identifiers; the
    distance of a label from a value under it is defined in `distances`. The paper lets the intruder
    choose any point, and compares with what could be isolated without the release; here the release
    is the intruder's choice and nothing is subtracted.

    The distance of a label from the label above it is the difference of their distances from the
    values under them. So for c ≥ 1 the ball around the coarser label contains the ball around the
    finer one, and a class that passes still passes when others join it. Suppressed people still
    count, as part of the original. With c = 1 only people who look alike are in the ball, which
    gives k-anonymity.
    """

    c: float
    t: int

    name: ClassVar[str] = "c-t-isolation"
    cites: ClassVar[str] = (
        "S. Chawla, C. Dwork, F. McSherry, A. Smith, H. Wee, Toward privacy in public databases, "
        "TCC 2005, LNCS 3378."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.PROBABILISTIC,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY
    can_be_estimated: ClassVar[bool] = False
    needs_besides: ClassVar[str] = "it measures distances in the original"
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "c",
            start=2,
            minimum=1,
            maximum=1000,
            unusual_above=4,
            caution="c = {value} is unusual: people more than four times as far as the nearest "
            "one hardly hide anybody.",
        ),
        Parameter(
            "t",
            start=5,
            minimum=2,
            whole=True,
            unusual_below=3,
            unusual_above=1000,
            caution="t = {value} is unusual: 2 protects little, above 1,000 little detail is left.",
        ),
    )
    is_monotone = True
    is_monotone_per_record = True

    def check_rows(self, place: Place, rows: int) -> None:
        if self.t > rows:
            place["t"].refuse(f"the table has {rows} rows, so at most {rows} is accepted.")

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._near(classes, whole, self.t) >= self.t

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        near = self._near(kept, whole, whole.rows, only_fewest=True)
        return {"c": self.c, "t": int(near.min()) if len(near) else 0}

    def explain(self) -> str:
        return (
            f"Around everything the release shows, at least {self.t} people are at most "
            f"{self.c:g} times as far away as the nearest, so nobody can be pointed at alone."
        )

    def _near(
        self, classes: Classes, whole: WholeTable, enough: int, *, only_fewest: bool = False
    ) -> Counts:
        """Return, per class, how many people lie in the ball; no more than enough."""
        original = whole.original
        if original is None or not original.columns:
            return np.full(len(classes.sizes), min(whole.rows, enough), np.int64)
        combinations = len(original.patterns.counts)
        if combinations > MOST_COMBINATIONS:
            raise InvalidTable(
                f"{self.name} compares what is shown with every different combination of "
                f"quasi-identifiers, at most {MOST_COMBINATIONS:,} of them, and the table has "
                f"{combinations:,}; use fewer quasi-identifiers or k-anonymity."
            )
        if classes.view is None or not original.taxonomies:
            # While a method forms groups there are no labels yet; then the records of a class
            # count.
            return np.minimum(classes.sizes, enough)
        return original.distances.count_near(classes, self.c, enough, only_fewest=only_fewest)
