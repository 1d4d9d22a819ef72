"""LKC-privacy: K look-alikes and bounded confidence for intruders who know L quasi-identifiers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Declared, Parameter, ValuesByColumn, number_of_look_alikes
from deid_portal.engine.privacy.hidden_names import NameOf
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import (
    ROUNDING,
    Answers,
    PrivacyModel,
    WholeTable,
    check_sensitive,
    check_values,
)
from deid_portal.engine.privacy.projections import every_projection
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes, Pairs
from deid_portal.engine.table.table import Counts, Table


@dataclass(frozen=True)
class LKCPrivacy(PrivacyModel):
    """On any L quasi-identifiers or fewer: groups of K or more, sensitive values at most a share C.

    `values` names, per sensitive column, those to protect, null for all of the column; absent it
    means all values of all sensitive columns. Suppressing records changes other groups, so failing
    classes are removed until none fails.
    """

    L: int
    K: int
    C: float
    values: Mapping[str, tuple[str | None, ...] | None] | None = field(default=None, hash=False)

    name: ClassVar[str] = "lkc-privacy"
    cites: ClassVar[str] = (
        "N. Mohammed, B. Fung, P. Hung, C. Lee, Anonymizing healthcare data: a case study on the "
        "blood transfusion service, KDD 2009."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.ATTRIBUTE_LINKAGE,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    look_alikes: ClassVar[str] = "K"
    names_sensitive: ClassVar[str] = "values"
    speaks_of_sensitive: ClassVar[bool] = True
    largest_share: ClassVar[str] = "C"
    columns_known: ClassVar[str] = "L"
    can_be_estimated: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "L",
            start=3,
            minimum=1,
            whole=True,
            unusual_below=2,
            unusual_above=6,
            caution="L = {value} is unusual: few people know only one fact, and from seven on "
            "little is gained over k-anonymity.",
        ),
        number_of_look_alikes("K"),
        Parameter(
            "C",
            start=0.6,
            minimum=0.001,
            maximum=1,
            unusual_below=0.05,
            unusual_above=0.8,
            caution="C = {value} is unusual: under 0.05 hardly any detail is left, above 0.8 a "
            "conclusion is nearly always right.",
        ),
        ValuesByColumn("values"),
    )
    # Without suppression, coarser groups are joined groups: larger, with mixtures of their shares.
    is_monotone = True
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True

    @property
    def ignores_nearness(self) -> bool:
        return True

    @property
    def counted_columns(self) -> tuple[str, ...]:
        return tuple(self.values or ())

    def for_columns(self, sensitive: Sequence[str]) -> Self:
        return self if self.values else replace(self, values=dict.fromkeys(sensitive))

    def published(self, name_of: NameOf) -> Self:
        named = {
            column: values and tuple(name_of(column, value) for value in values)
            for column, values in (self.values or {}).items()
        }
        return replace(self, values=named or None)

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_sensitive(place["values"], self.counted_columns, roles)

    def check_table(self, place: Place, table: Table) -> None:
        super().check_table(place, table)
        for name, values in (self.values or {}).items():
            check_values(place["values"][name], values or (), table, name)

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        kept = np.ones(len(classes.sizes), np.bool_)
        while kept.any():
            groups, shares = self._measure(classes.only(kept), whole)
            good = (groups >= self.K) & (shares <= self.C + ROUNDING)
            if good.all():
                break
            kept[kept] = good
        return kept

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        """Check again: other models may have suppressed records that this one relied on."""
        groups, shares = self._measure(kept, whole)
        return bool((groups >= self.K).all() and (shares <= self.C + ROUNDING).all())

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        groups, shares = self._measure(kept, whole)
        return {
            "L": self.L,
            "K": int(groups.min()) if len(groups) else 0,
            "C": float(shares.max(initial=0.0)),
        }

    def explain(self) -> str:
        which = "a sensitive value" if self.values is None else "a value to protect"
        return (
            f"Whoever knows up to {self.L} facts about a person finds at least {self.K} people "
            f"they fit, and concludes {which} rightly at most {100 * self.C:.3g} times in 100."
        )

    def _measure(self, classes: Classes, whole: WholeTable) -> tuple[Counts, Shares]:
        """Return, per class, its smallest group on any L columns, and the largest share there."""
        smallest = np.full(len(classes.sizes), classes.sizes.sum(), np.int64)
        shares = np.zeros(len(classes.sizes))
        protected = self._protected(classes, whole)
        for numbers in every_projection(classes.labels, self.L):
            groups = np.bincount(numbers, classes.sizes).astype(np.int64)
            np.minimum(smallest, groups[numbers], out=smallest)
            largest = np.zeros(len(groups))
            for pairs in (own.regroup(numbers) for own in protected):
                np.maximum.at(largest, pairs.groups, pairs.counts / groups[pairs.groups])
            np.maximum(shares, largest[numbers], out=shares)
        return smallest, shares

    def _protected(self, classes: Classes, whole: WholeTable) -> list[Pairs]:
        """Return how often values to protect occur in each class, column by column."""
        found = []
        for name, values in (self.values or dict.fromkeys(classes.sensitive)).items():
            pairs, secret = classes.sensitive[name], whole.sensitive[name]
            chosen = np.zeros(len(secret.column.values), np.bool_)
            chosen[secret.codes_of(values)] = True
            kept = chosen[pairs.codes]
            found.append(Pairs(pairs.groups[kept], pairs.codes[kept], pairs.counts[kept]))
        return found
