"""l-diversity: look-alikes must have different sensitive values."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.compiled import kernels
from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Choice, ColumnName, Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class LDiversity(PrivacyModel):
    """Sensitive values are well represented in every class (Machanavajjhala et al., 2007).

    `distinct`: at least l values occur. `probabilistic`: no value is more frequent than 1 / l.
    `entropy`: the entropy of the values is at least log(l). `recursive`: the most frequent value
    occurs less than c times as often as all from the l-th on together. A gap in the sensitive
    column is a value like any other.
    """

    l: float  # noqa: E741 - the literature's symbol
    column: str
    variant: str = "distinct"
    c: float | None = None  # of the recursive variant

    name: ClassVar[str] = "l-diversity"
    cites: ClassVar[str] = (
        "A. Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.ATTRIBUTE_LINKAGE,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Choice("variant", ("distinct", "probabilistic", "entropy", "recursive")),
        Parameter(
            "l",
            start=3,
            minimum=1,
            unusual_below=1.5,
            unusual_above=20,
            caution="l = {value} is unusual: near 1 it protects little, above 20 few columns have "
            "groups with that many values.",
        ),
        Parameter(
            "c",
            minimum=0.001,
            optional=True,
            unusual_above=10,
            caution="c = {value} is unusual: one value may be that many times as frequent.",
            note="only the recursive variant asks for it",
        ),
        ColumnName(),
    )
    is_monotone = True

    @property
    def is_monotone_per_record(self) -> bool:
        """Only `distinct` is: joining records adds values, but also changes their shares."""
        return self.variant == "distinct"

    @property
    def ignores_nearness(self) -> bool:
        return True

    @property
    def sensitive_column(self) -> str:
        return self.column

    @classmethod
    def parse(cls, place: Place) -> Self:
        model = super().parse(place)
        if model.variant == "recursive" and model.c is None:
            place["c"].refuse("the recursive variant needs this: a number above 0.")
        if model.variant != "recursive" and model.c is not None:
            place["c"].refuse("only the recursive variant has this.")
        if model.variant in ("distinct", "recursive"):
            if model.l < 2 or model.l != int(model.l):
                place["l"].refuse(f"a whole number of 2 or more is accepted, got {model.l:g}.")
            return replace(model, l=int(model.l))
        return model

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        if self.variant == "recursive":
            return self._balance(classes) > 0
        return self._diversity(classes) >= self.l - ROUNDING

    def judge(self, classes: Classes, whole: WholeTable) -> tuple[Answers, Counts]:
        """Prove a loss: the kept records of a class, joined again, pass.

        For that, enough records of the most frequent value must be lost.
        """
        if self.variant == "recursive":
            balance = self._balance(classes)
            return balance > 0, self._at_least(-balance, balance > 0)
        if self.variant == "probabilistic":
            diversity = self._diversity(classes)
            passes = diversity >= self.l - ROUNDING
            most = classes.sizes / diversity
            return passes, self._at_least(
                (self.l * most - classes.sizes) / max(self.l - 1, ROUNDING), passes
            )
        return super().judge(classes, whole)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        if not len(kept.sizes):
            return {"l": 0}
        if self.variant == "recursive":
            return {"l": self._largest_recursive_l(kept), "c": self.c}
        least = self._diversity(kept).min()
        return {"l": int(least) if self.variant == "distinct" else float(least)}

    def explain(self) -> str:
        match self.variant:
            case "probabilistic":
                rule = f"no value of {self.column} belongs to more than 1 in {self.l:g}"
            case "entropy":
                rule = (
                    f"{self.column} is as hard to guess as among {self.l:g} equally frequent values"
                )
            case "recursive":
                rule = (
                    f"the most frequent value of {self.column} occurs less than {self.c:g} times "
                    f"as often as those from place {self.l:g} on together"
                )
            case _:
                rule = f"at least {self.l:g} different values of {self.column} occur"
        return (
            f"Among people who look alike, {rule}, so finding the group alone does not "
            f"tell which of them is a person's."
        )

    def check_rows(self, place: Place, rows: int) -> None:
        if self.l > rows:
            place["l"].refuse(f"the table has {rows} rows, so at most {rows} is accepted.")

    def _diversity(self, classes: Classes) -> Numbers | Counts:
        """Return the largest l each class reaches."""
        pairs, count = classes.sensitive[self.column], len(classes.sizes)
        match self.variant:
            case "probabilistic":
                return (
                    classes.sizes
                    / kernels.largest_counts(pairs.groups, pairs.counts, count, 1)[:, 0]
                )
            case "entropy":
                bits = np.bincount(pairs.groups, pairs.counts * np.log(pairs.counts), count)
                return np.exp(np.log(classes.sizes) - bits / classes.sizes)
            case _:
                return np.bincount(pairs.groups, minlength=count)

    def _balance(self, classes: Classes) -> Numbers:
        """Return c times the count of the rare values minus that of the most frequent value."""
        pairs, frequent = classes.sensitive[self.column], int(self.l) - 1
        largest = kernels.largest_counts(pairs.groups, pairs.counts, len(classes.sizes), frequent)
        rare = classes.sizes - largest.sum(axis=1)
        balance: Numbers = (self.c or 0) * rare - largest[:, 0]
        return balance

    def _largest_recursive_l(self, classes: Classes) -> int:
        """Return the largest l for which the rule holds with this c; 0 if none does."""
        pairs = classes.sensitive[self.column]
        order = np.lexsort((-pairs.counts, pairs.groups))
        groups, counts = pairs.groups[order], pairs.counts[order]
        before = np.cumsum(counts) - counts
        is_first = np.diff(groups, prepend=-1) > 0
        rare = classes.sizes[groups] - (before - before[is_first][groups])
        holds = (self.c or 0) * rare > counts[is_first][groups]
        return int(np.bincount(groups, holds).min())
