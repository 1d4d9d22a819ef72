"""Who is left out: why, what would free them, and on whom it falls."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True, kw_only=True)
class CoarserStep(Part):
    """What one step coarser in one column alone would change.

    `holds` is False where a rule about the release as a whole would refuse it.
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
    """How many records would join others, or be freed, if a column said less or nothing."""

    column: str
    grows: int
    frees: int
    grows_hidden: int
    frees_hidden: int


@dataclass(frozen=True)
class GroupsApart(Part):
    """Groups of a range of sizes, and the columns that keep them apart from others."""

    from_: int
    to: int | None
    classes: int
    records: int
    left_out: int
    classes_left_out: int
    columns: tuple[ApartColumn, ...]


@dataclass(frozen=True)
class PayingGroup(Part):
    """A group of people: rows left out, and the mean share of detail lost."""

    value: str | None
    records: int
    suppressed: int
    loss: float


@dataclass(frozen=True, kw_only=True)
class PayingColumn(Part):
    """Suppression and loss by the groups of a column; `gap` is that of the shares left out."""

    column: str
    level_name: str | None = null()
    merged: int | None = None
    gap: float | None = None
    groups: tuple[PayingGroup, ...]


@dataclass(frozen=True, kw_only=True)
class KeptPeople(Part):
    """The risk of the people of a release among themselves, as they were before.

    People who see no rows are told bands of shares in words.
    """

    records: int | None = None
    average_risk: float | str | None = None
    one_of_a_kind: float | str | None = None
