"""What attacks count besides their success, one part per kind of attack.

Results are kept and read back, so the entries keep their names; numbers are read as they were
written, whole or not.
"""

from dataclasses import dataclass
from typing import TypeVar

from deid_portal.engine.report.part import Part

Kind = TypeVar("Kind", bound="AttackFigures")


@dataclass(frozen=True)
class AttackFigures(Part):
    """What else an attack counted; some count nothing."""

    def of(self, kind: type[Kind]) -> Kind:
        """Return these figures as those of one kind of attack."""
        if not isinstance(self, kind):
            raise TypeError(f"{type(self).__name__} are no {kind.__name__}.")
        return self


@dataclass(frozen=True)
class LinkageFigures(AttackFigures):
    people: float
    links: float | None = None  # people who lead to a single record
    correct_links: float | None = None  # and it is theirs

    @property
    def single(self) -> int:
        """Return how many lead to a single record; where only right links were counted, those."""
        return int((self.correct_links if self.links is None else self.links) or 0)


@dataclass(frozen=True)
class OutsideLinkageFigures(LinkageFigures):
    unmatched: float | None = None
    right: float | None = None
    known: float | None = None  # people of whom it is known who they are
    scored: float | None = None  # 1 if right links can be told from wrong ones


@dataclass(frozen=True)
class GroupFigures(AttackFigures):
    classes: float  # groups that give a value away


@dataclass(frozen=True)
class HomogeneityFigures(GroupFigures):
    fewest: float  # different values in a group


@dataclass(frozen=True)
class BackgroundKnowledgeFigures(GroupFigures):
    excluded: float  # values that can be ruled out


@dataclass(frozen=True)
class SkewnessFigures(AttackFigures):
    mean_gain: float
    highest: float
    threshold: float
    share: float


@dataclass(frozen=True)
class IntervalDisclosureFigures(AttackFigures):
    width: float
    people: float


@dataclass(frozen=True)
class MembershipFigures(AttackFigures):
    miaAR: float  # noqa: N815 - the name of the literature
    identified: float
    recall: float
    precision: float
    f1: float
    claimed: float
    people: float


@dataclass(frozen=True)
class SinglingOutFigures(AttackFigures):
    descriptions: float
    success: float
    attempts: float
    by_chance: float


@dataclass(frozen=True)
class InferenceFigures(AttackFigures):
    success: float
    attempts: float


@dataclass(frozen=True)
class DowncodingFigures(AttackFigures):
    cells: float
    by_column: float


@dataclass(frozen=True)
class IntersectionFigures(AttackFigures):
    releases: float
    alone: float  # people the most telling release puts at stake
    few: float
    disclosed: float
    smallest: float
    k: float


@dataclass(frozen=True)
class DifferencingFigures(AttackFigures):
    questions: float


@dataclass(frozen=True)
class DenialFigures(AttackFigures):
    claimed: float


@dataclass(frozen=True)
class PlantedAccountsFigures(AttackFigures):
    attempts: float
    fakes: float
    found: float
    targets: float
    links_right: float
    links: float
    unprotected: float


@dataclass(frozen=True)
class AddedLinksFigures(AttackFigures):
    added: float
    links: float
    auc: float
