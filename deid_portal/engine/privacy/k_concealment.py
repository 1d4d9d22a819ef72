"""k-concealment: everybody could be behind many records of the release."""

from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.privacy.look_alikes import LookAlikesModel
from deid_portal.engine.privacy.model import Answers, WholeTable
from deid_portal.engine.privacy.record_matching import links_by_matchings, shows_mixed_levels
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class KConcealment(LookAlikesModel):
    """Each original record is linked to at least k released ones by perfect matchings.

    A matching gives every released record an original one it is consistent with. Where all records
    are shown at the same levels, those of a class are consistent with each other and with nothing
    else, so it is k-anonymity there, and as monotone. Where levels are mixed it asks for less: a
    record alone in its class may still be behind several.
    """

    name: ClassVar[str] = "k-concealment"
    cites: ClassVar[str] = (
        "T. Tassa, A. Mazza, A. Gionis, k-concealment: an alternative model of k-type anonymity, "
        "Transactions on Data Privacy 5(1), 2012."
    )
    can_be_estimated: ClassVar[bool] = False
    needs_besides: ClassVar[str] = "it compares with the rows of the original"
    needs_labels: ClassVar[bool] = True

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._links(classes, whole) >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        links = self._links(kept, whole)
        return {"k": int(links.min()) if len(links) else 0}

    def explain(self) -> str:
        return (
            f"Every person could be behind at least {self.k} records of the release, whichever way "
            f"all people are matched with all records."
        )

    def _links(self, classes: Classes, whole: WholeTable) -> Counts:
        """Return, per class, the fewest records that a person consistent with it may be behind."""
        original = whole.original
        if original is None or not shows_mixed_levels(classes, original):
            return classes.sizes
        return links_by_matchings(classes, original)
