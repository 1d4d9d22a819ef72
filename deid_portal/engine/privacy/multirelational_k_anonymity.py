"""MultiR k-anonymity: people are counted, not rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnName, Declared
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts, Table


@dataclass(frozen=True)
class MultirelationalKAnonymity(PrivacyModel):
    """Each class has records of at least k different owners.

    For tables in which a person has several rows, as joined tables do. `owner` names the column
    that tells people apart, usually an identifier that is removed. Rows without an owner count as
    one person together, so as not to count anybody twice.
    """

    k: int
    owner: str

    name: ClassVar[str] = "multirelational-k-anonymity"
    cites: ClassVar[str] = (
        "M. Nergiz, C. Clifton, A. Nergiz, Multirelational k-anonymity, TKDE 21(8), 2009."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    look_alikes: ClassVar[str] = "k"
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        ColumnName("owner"),
    )
    is_monotone = True
    is_monotone_per_record = True

    @property
    def counted_columns(self) -> tuple[str, ...]:
        return (self.owner,)

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if roles.get(self.owner) in (None, "quasi-identifier"):
            place["owner"].refuse("the name of a column that is no quasi-identifier is accepted.")

    def check_table(self, place: Place, table: Table) -> None:
        owners = len(table[self.owner].values) if self.owner in table else table.rows
        if self.k > owners:
            place["k"].refuse(f"the table has {owners} owners, so at most {owners} is accepted.")

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._owners(classes) >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        owners = self._owners(kept)
        return {"k": int(owners.min()) if len(owners) else 0}

    def explain(self) -> str:
        return (
            f"Every person looks like at least {self.k - 1} other people, however many rows each "
            f"has, so a match by known facts is right at most 1 time in {self.k}."
        )

    def _owners(self, classes: Classes) -> Counts:
        groups = classes.sensitive[self.owner].groups
        return np.bincount(groups, minlength=len(classes.sizes)).astype(np.int64)
