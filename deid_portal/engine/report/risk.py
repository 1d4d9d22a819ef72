"""Whose risk, before and after: what follows from the sizes of groups, and the details of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True)
class RiskRange(Part):
    """The chance that a match is right, over the records of a table."""

    highest: float
    lowest: float
    average: float


@dataclass(frozen=True)
class RiskBand(Part):
    """The records whose chance lies in a range; `label` says it in words."""

    label: str
    from_: float
    to: float
    records: int
    share: float


@dataclass(frozen=True)
class PopulationMatch(Part):
    """`short_classes` are groups of which the population shows fewer people than the table."""

    short_classes: int


@dataclass(frozen=True)
class RiskFigures(Part):
    """The risks of the people in some groups, read off their sizes."""

    prosecutor: RiskRange
    journalist: float
    marketer: float
    sample_uniques: float


@dataclass(frozen=True)
class ClassRisk(RiskFigures):
    bands: tuple[RiskBand, ...]
    population: PopulationMatch | None = None


@dataclass(frozen=True)
class ShareAbove(Part):
    """The share of records whose match is right with more than this chance."""

    chance: float
    share: float


@dataclass(frozen=True)
class AttackerSummary(Part):
    """`is_bound`: the population of some group is not known, so the risk is at most this."""

    highest: float
    lowest: float
    average: float
    threshold: float
    share_above: float
    records_above: int
    is_bound: bool
    bands: tuple[float, ...]  # share of the records in each band of `ClassRisk.bands`
    above: tuple[ShareAbove, ...]


@dataclass(frozen=True)
class SampleUniques(Part):
    """How many records stand alone in their class; `in_population` of those with a population."""

    records: int
    share: float
    in_population: int | None = null()


@dataclass(frozen=True)
class ColumnInfluence(Part):
    """The risk without one column, and how much of the whole risk goes with it."""

    column: str
    classes: int
    average_risk: float
    highest_risk: float
    sample_uniques: int
    average_risk_saved: float
    uniques_saved: int


@dataclass(frozen=True)
class Distinctness(Part):
    """How far a combination of columns is a key.

    `distinction` is the share of records that could stay if the columns had to be a key;
    `separation` the share of pairs of records they tell apart.
    """

    columns: tuple[str, ...]
    distinct: int
    distinction: float
    separation: float


@dataclass(frozen=True)
class SpecialUniquesSummary(Part):
    """Records that a few columns single out; by the number of columns, and by column."""

    records: int
    by_size: tuple[int, ...]
    by_column: Mapping[str, float]


@dataclass(frozen=True)
class PopulationUniques(Part):
    """The estimated number of people who are unique in the population.

    `by_model` keeps what every estimator said (None where it found no answer); `lowest` and
    `highest` span them, since no formula gives one interval for all three.
    """

    estimate: float
    share: float  # of the population
    model: str
    lowest: float
    highest: float
    by_model: Mapping[str, float | None]
    sample_uniques: int
    population_size: int


@dataclass(frozen=True)
class RiskDetails(Part):
    prosecutor: AttackerSummary
    journalist: AttackerSummary
    marketer: AttackerSummary
    sample_uniques: SampleUniques
    columns: tuple[ColumnInfluence, ...]
    combinations: tuple[Distinctness, ...]
    special_uniques: SpecialUniquesSummary
    population_uniques: PopulationUniques | None = None


@dataclass(frozen=True)
class RiskDetailsBothWays(Part):
    """None for a state whose groups are not made by equal cells."""

    before: RiskDetails | None = None
    after: RiskDetails | None = None


@dataclass(frozen=True)
class SafeHarborFinding(Part):
    """One column that seems to hold one kind of identifier."""

    column: str
    identifier: str
    rows: int  # filled cells concerned
    reason: str


@dataclass(frozen=True, kw_only=True)
class RiskReport(Part):
    before: ClassRisk | None = None
    after: ClassRisk
    details: RiskDetailsBothWays | None = None
    safe_harbor: tuple[SafeHarborFinding, ...] | None = None
