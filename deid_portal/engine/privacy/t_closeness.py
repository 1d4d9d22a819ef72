"""t-closeness: the sensitive values of a group are distributed nearly as in the whole table."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.compiled import kernels
from deid_portal.engine.parameters import Choice, ColumnName, Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.sensitive import SensitiveColumn, Shares
from deid_portal.engine.table.patterns import Classes, Pairs, combine
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class TCloseness(PrivacyModel):
    """Sensitive values are spread in every class nearly as in the whole table (Li et al., 2007).

    The measure is the earth mover's distance between the two distributions, from 0 to 1. Moving
    a record to another value costs 1 (`equal`), the steps between them in order divided by all
    steps (`ordered`), or the level of their common group divided by the height of the taxonomy
    (`hierarchical`). The whole table is the one before anything is suppressed.
    """

    t: float
    column: str
    distance: str = "equal"

    name: ClassVar[str] = "t-closeness"
    cites: ClassVar[str] = (
        "N. Li et al., t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.ATTRIBUTE_LINKAGE,
        AttackModel.PROBABILISTIC,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    compares_with_original: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "t",
            start=0.3,
            minimum=0,
            maximum=1,
            unusual_below=0.05,
            unusual_above=0.5,
            caution="t = {value} is unusual: under 0.05 hardly any detail is left, above 0.5 a "
            "group may differ much from the whole.",
        ),
        Choice("distance", ("equal", "ordered", "hierarchical")),
        ColumnName(),
    )
    # The distance of joined classes is at most the larger of theirs; but joining a suppressed class
    # may push a passing class over the limit, so it is not monotone per record.
    is_monotone = True
    is_monotone_per_record = False

    @property
    def sensitive_column(self) -> str:
        return self.column

    @property
    def needs_taxonomy(self) -> bool:
        return self.distance == "hierarchical"

    @property
    def needs_order(self) -> bool:
        return self.distance == "ordered"

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self.distances(classes, whole) <= self.t + ROUNDING

    def judge(self, classes: Classes, whole: WholeTable) -> tuple[Answers, Counts]:
        """Prove a loss by convexity: the kept records of a class, joined again, stay within t.

        So if a share s of the class is lost, its distance is at most (1 - s) · t + s · 1. Where all
        moves cost the same, the most records that keep within t follow from the class's values.
        """
        distances = self.distances(classes, whole)
        passes = distances <= self.t + ROUNDING
        if self.distance == "equal":
            pairs, secret = classes.sensitive[self.column], whole.sensitive[self.column]
            least = 1 - self.t - ROUNDING
            most = kernels.most_kept(
                pairs.groups, pairs.codes, pairs.counts, classes.sizes, secret.shares, least
            )
            return passes, self._at_least(classes.sizes - most, passes)
        share = (distances - self.t) / max(1 - self.t, ROUNDING)
        return passes, self._at_least(share * classes.sizes, passes)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"t": min(float(self.distances(kept, whole).max(initial=0.0)), 1.0)}

    def distances(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return how far each class is from the whole table."""
        pairs, secret = classes.sensitive[self.column], whole.sensitive[self.column]
        match self.distance:
            case "ordered":
                return _ordered_distances(classes, pairs, secret)
            case "hierarchical":
                return _hierarchical_distances(classes, pairs, secret)
            case _:
                return kernels.excess_of_shares(
                    pairs.groups, pairs.codes, pairs.counts, classes.sizes, secret.shares
                )

    def explain(self) -> str:
        return (
            f"In every group of people who look alike, {self.column} is spread nearly as in the "
            f"whole table: the two differ by at most {self.t:g} on a scale from 0 to 1."
        )


def _ordered_distances(classes: Classes, pairs: Pairs, secret: SensitiveColumn) -> Shares:
    ranks = secret.ranks[pairs.codes]
    order = np.argsort(combine(pairs.groups, ranks))
    return kernels.ordered_distances(
        pairs.groups[order], ranks[order], pairs.counts[order], classes.sizes, secret.shares_up_to
    )


def _hierarchical_distances(classes: Classes, pairs: Pairs, secret: SensitiveColumn) -> Shares:
    """Add up, level by level, the share of records that must move between groups of the level."""
    total = kernels.excess_of_shares(
        pairs.groups, pairs.codes, pairs.counts, classes.sizes, secret.shares
    )
    groupings = secret.groupings
    for labels in groupings[1:]:
        joined = pairs.relabel(labels)
        shares: Shares = np.bincount(labels, weights=secret.shares).astype(np.float64)
        total += kernels.excess_of_shares(
            joined.groups, joined.codes, joined.counts, classes.sizes, shares
        )
    return total / max(len(groupings), 1)
