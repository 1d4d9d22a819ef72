"""Suppressed records: why they were suppressed, what would release them, whom it affects most."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True, kw_only=True)
class CoarserStep(Part):
    """The effect of generalizing one column by one more level.

    `holds` is False if a rule about the release as a whole would then be violated.
    """

    column: str
    level: int
    level_name: str | None = null()
    freed: int
    suppressed: int
    loss: float
    more_loss: float | None = None
    holds: bool = True


@dataclass(frozen=True)
class ApartColumn(Part):
    """The effect of generalizing one column by one more level, or of hiding it.

    `grows` counts the records whose class would become larger, `frees` those that would no longer
    be suppressed.
    """

    column: str
    grows: int
    frees: int
    grows_hidden: int
    frees_hidden: int


@dataclass(frozen=True)
class GroupsApart(Part):
    """Classes in a range of sizes, and the columns that separate them from others."""

    from_: int
    to: int | None
    classes: int
    records: int
    left_out: int
    classes_left_out: int
    columns: tuple[ApartColumn, ...]


@dataclass(frozen=True)
class PayingGroup(Part):
    """Suppressed records of a group of people, and the mean share of detail it lost."""

    value: str | None
    records: int
    suppressed: int
    loss: float

    @property
    def share_left_out(self) -> float:
        return self.suppressed / max(self.records, 1)


@dataclass(frozen=True, kw_only=True)
class PayingColumn(Part):
    """Suppression and loss by the groups of a column.

    `gap` is the difference between the largest and the smallest share of suppressed records.
    """

    column: str
    level_name: str | None = null()
    merged: int | None = None
    gap: float | None = None
    groups: tuple[PayingGroup, ...]


@dataclass(frozen=True, kw_only=True)
class KeptPeople(Part):
    """Risk of the released records, computed on their original values, ignoring suppressed ones.

    For viewers without row access each share is replaced by a wide range, in words.
    """

    records: int | None = None
    average_risk: float | str | None = None
    one_of_a_kind: float | str | None = None
