"""Personalized privacy: everybody says what must not be concluded about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import ColumnName, Declared, Parameter
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.sensitive import SensitiveColumn, Shares
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class PersonalizedPrivacy(PrivacyModel):
    """The chance of concluding a value under a person's guarding node is at most a limit.

    The guard column holds, per record, a label of the sensitive column's taxonomy; a gap means
    that the person minds nothing. The chance is the share of the person's class with a value under
    that label. One record per person is assumed (the paper's primary case), and sensitive values
    are released as they are.

    Not monotone: a class in which nobody guards a frequent value may join one where somebody does.
    """

    column: str
    guard_column: str
    breach: float

    name: ClassVar[str] = "personalized-privacy"
    cites: ClassVar[str] = "X. Xiao, Y. Tao, Personalized privacy preservation, SIGMOD 2006."
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    needs_besides: ClassVar[str] = "it needs what each person allows"
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnName(),
        ColumnName("guard_column"),
        Parameter(
            "breach",
            start=0.5,
            minimum=0.001,
            maximum=1,
            unusual_below=0.05,
            unusual_above=0.8,
            caution="A chance of {value} is unusual: under 0.05 hardly any detail is left, above "
            "0.8 a conclusion is nearly always right.",
        ),
    )
    is_monotone = False
    is_monotone_per_record = False

    @property
    def sensitive_column(self) -> str:
        return self.column

    @property
    def counted_columns(self) -> tuple[str, ...]:
        return (self.column, self.guard_column)

    @property
    def needs_taxonomy(self) -> bool:
        return True

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if roles.get(self.guard_column) in (None, "quasi-identifier"):
            place["guard_column"].refuse(
                "the name of a column that is no quasi-identifier is accepted."
            )

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._chances(classes, whole) <= self.breach + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"breach": float(self._chances(kept, whole).max(initial=0.0))}

    def explain(self) -> str:
        return (
            f"What a person does not want concluded about {self.column}, as {self.guard_column} "
            f"says, is concluded rightly at most {100 * self.breach:.3g} times in 100."
        )

    def _chances(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return, per class, the largest chance of a value that one of its people guards."""
        pairs, guards = classes.sensitive[self.column], classes.sensitive[self.guard_column]
        chances = np.zeros(len(classes.sizes))
        for code, under in self._guarded(whole).items():
            minding = guards.groups[guards.codes == code]
            counts = np.bincount(pairs.groups, pairs.counts * under[pairs.codes], len(chances))
            chances[minding] = np.maximum(chances[minding], (counts / classes.sizes)[minding])
        return chances

    def _guarded(self, whole: WholeTable) -> dict[int, Answers]:
        """Return, per guard that occurs, which values of the sensitive column it covers."""
        wishes = whole.sensitive[self.guard_column].column
        covered = _values_under(whole.sensitive[self.column])
        used = [code for code in np.flatnonzero(wishes.counts).tolist() if code != wishes.gap]
        unknown = sum(wishes.values[code] not in covered for code in used)
        if unknown:
            raise InvalidPlan(
                f'{unknown} values of column "{self.guard_column}" are no labels of the taxonomy '
                f'of "{self.column}"; a gap means that a person minds nothing.'
            )
        return {code: covered[wishes.values[code]] for code in used}


def _values_under(secret: SensitiveColumn) -> dict[str | None, Answers]:
    """Return, per label of the taxonomy, which values stand under it."""
    if secret.recipe is None:
        return {}
    taxonomy = secret.recipe.build(secret.column)
    own = len(secret.column.values)
    covered: dict[str | None, Answers] = {}
    for codes, labels in zip(taxonomy.codes, taxonomy.labels, strict=True):
        for code, label in enumerate(labels):
            covered.setdefault(label, codes[:own] == code)
    return covered
