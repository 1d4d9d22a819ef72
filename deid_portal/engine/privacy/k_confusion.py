"""k-confusion: for everybody many records of the release are equally likely."""

from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.privacy.look_alikes import LookAlikesModel
from deid_portal.engine.privacy.model import Answers, WholeTable
from deid_portal.engine.privacy.record_matching import count_equally_likely, shows_mixed_levels
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class KConfusion(LookAlikesModel):
    """For each original record at least k released ones are the likeliest, all equally.

    The intruder knows everybody's quasi-identifiers and how the release was made. A released record
    is then as likely one person's as that of any other its labels fit, and a person is linked to
    the records that fewest others fit. Records need not look alike, but give the same protection as
    k-anonymity against linkage. If all records are shown at the same levels, those of a class fit
    each other's people and no one else, so it is k-anonymity then, and as monotone. k-anonymity
    always implies it, since records that look alike are equally likely for everybody; no more than
    that is counted where ranges or averages are shown. k-concealment asks for less, for it counts
    unlikely records as well.
    """

    name: ClassVar[str] = "k-confusion"
    cites: ClassVar[str] = (
        "K. Stokes, V. Torra, n-confusion: a generalization of k-anonymity, EDBT/ICDT Workshops "
        "2012; K. Stokes, V. Torra, Reidentification and k-anonymity: a model for disclosure risk "
        "in graphs, Soft Computing 16(10), 2012."
    )
    can_be_estimated: ClassVar[bool] = False
    needs_besides: ClassVar[str] = "it compares with the rows of the original"

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._likeliest(classes, whole) >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        likeliest = self._likeliest(kept, whole)
        return {"k": int(likeliest.min()) if len(likeliest) else 0}

    def explain(self) -> str:
        return (
            f"Whoever looks for a person finds at least {self.k} records that are equally likely "
            f"to be the person's, even if no two of them look alike."
        )

    def _likeliest(self, classes: Classes, whole: WholeTable) -> Counts:
        """Return, per class, the fewest equally likely records of a person it is likeliest for."""
        original = whole.original
        if original is None or not original.knows_labels_of(classes):
            return classes.sizes
        if not shows_mixed_levels(classes, original):
            return classes.sizes
        return count_equally_likely(classes, original)
