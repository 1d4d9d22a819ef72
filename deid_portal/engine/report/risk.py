"""Re-identification risk before and after: figures from class sizes, and further details."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null

LEAST_HELP = 0.1  # share of the average risk that must go away before it is called a help


@dataclass(frozen=True)
class RiskRange(Part):
    """The probability that a match is right, over the records of a table."""

    highest: float
    lowest: float
    average: float


@dataclass(frozen=True)
class RiskBand(Part):
    """The records whose risk lies in a range; `label` names the range."""

    label: str
    from_: float
    to: float
    records: int
    share: float


@dataclass(frozen=True)
class PopulationMatch(Part):
    """`short_classes` counts classes with fewer people in the population than in the table."""

    short_classes: int


@dataclass(frozen=True)
class RiskFigures(Part):
    """The risks that follow from class sizes."""

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
    """The share of records whose risk is above a threshold."""

    chance: float
    share: float


@dataclass(frozen=True)
class AttackerSummary(Part):
    """`is_bound`: the population of some class is unknown, so the figures are upper bounds."""

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
    """Records alone in their class; `in_population` counts those unique in the population, too."""

    records: int
    share: float
    in_population: int | None = null()


@dataclass(frozen=True)
class ColumnInfluence(Part):
    """The risk without one column, and by how much it is lower than with it."""

    column: str
    classes: int
    average_risk: float
    highest_risk: float
    sample_uniques: int
    average_risk_saved: float
    uniques_saved: int


@dataclass(frozen=True)
class PairInfluence(Part):
    """The risk without two columns, and by how much it is lower than with them."""

    columns: tuple[str, str]
    average_risk: float
    sample_uniques: int
    average_risk_saved: float


@dataclass(frozen=True)
class Distinctness(Part):
    """How close a combination of columns is to being a key.

    `distinction` is the largest share of records for which the columns would be a key;
    `separation` is the share of pairs of records that differ in them.
    """

    columns: tuple[str, ...]
    distinct: int
    distinction: float
    separation: float


@dataclass(frozen=True)
class SpecialUniquesSummary(Part):
    """Records that are unique in few columns; by the number of columns, and by column."""

    records: int
    by_size: tuple[int, ...]
    by_column: Mapping[str, float]


@dataclass(frozen=True)
class PopulationUniques(Part):
    """The estimated number of people who are unique in the population.

    `by_model` holds the result of every estimator (None if it did not converge); `lowest` and
    `highest` are their range, since no formula gives one interval for all three.
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
    """`pairs` is told only if no column lowers the risk by itself, the most harmful pair first."""

    prosecutor: AttackerSummary
    journalist: AttackerSummary
    marketer: AttackerSummary
    sample_uniques: SampleUniques
    columns: tuple[ColumnInfluence, ...]
    combinations: tuple[Distinctness, ...]
    special_uniques: SpecialUniquesSummary
    population_uniques: PopulationUniques | None = None
    pairs: tuple[PairInfluence, ...] | None = None

    def helps(self, without: ColumnInfluence | PairInfluence) -> bool:
        """Say whether leaving out these columns makes a difference to the average risk."""
        average = self.prosecutor.average
        return average > 0 and without.average_risk_saved >= LEAST_HELP * average


@dataclass(frozen=True)
class RiskDetailsBothWays(Part):
    """None for a table whose classes are not defined by equal cells."""

    before: RiskDetails | None = None
    after: RiskDetails | None = None


@dataclass(frozen=True)
class SafeHarborFinding(Part):
    """A released column that seems to hold a kind of Safe Harbor identifier."""

    column: str
    identifier: str
    rows: int  # non-missing cells concerned
    reason: str


@dataclass(frozen=True, kw_only=True)
class RiskReport(Part):
    before: ClassRisk | None = None
    after: ClassRisk
    details: RiskDetailsBothWays | None = None
    safe_harbor: tuple[SafeHarborFinding, ...] | None = None
