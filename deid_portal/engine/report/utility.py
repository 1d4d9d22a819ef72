"""Utility of a release: information loss, and comparisons with the original."""

from dataclasses import dataclass, fields

from deid_portal.engine.report.part import NotTold, Part, null


@dataclass(frozen=True, kw_only=True)
class UtilityMeasures(Part):
    """Measures by their names in a plan; None if not measured, or not to be shown."""

    precision: float | None = None
    iloss: float | None = None
    loss: float | None = None
    discernibility: int | None = None
    average_class_size: float | None = None
    entropy: float | None = None
    information_loss: float | None = None
    ambiguity: float | None = None
    kl_divergence: float | None = null()  # also None if it is infinite or takes too long
    information_gain: float | None = None

    @property
    def known_loss(self) -> float:
        """Return the loss; raises NotTold if it is missing, so it is never taken for a zero."""
        if self.loss is None:
            raise NotTold("The loss is not told here.")
        return self.loss

    def value_of(self, metric: str) -> float | None:
        """Return the measure of a metric, given its name."""
        known = {own.name for own in fields(self)}
        return getattr(self, metric) if metric in known else None


@dataclass(frozen=True)
class MarginalChange(Part):
    """One column before and after; a released label counts evenly for all values it covers."""

    column: str
    total_variation: float
    earth_mover: float  # ordered distance for numbers, equal distance otherwise


@dataclass(frozen=True)
class PairChange(Part):
    """Two columns before and after. `association` is Cramér's V; `correlation` Pearson's."""

    columns: tuple[str, str]
    total_variation: float
    association_before: float
    association_after: float
    correlation_before: float | None = null()  # None unless both columns are numbers
    correlation_after: float | None = null()

    @property
    def association_change(self) -> float:
        return abs(self.association_after - self.association_before)


@dataclass(frozen=True)
class WorkloadError(Part):
    """Relative errors of random counting queries, with a 95 % bootstrap interval of the mean."""

    mean: float
    interval: tuple[float, float]
    median: float
    queries: int


@dataclass(frozen=True)
class Accuracy(Part):
    """Share of records classified correctly in cross-validation, with a 95 % interval."""

    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ClassifierAccuracy(Part):
    """One classifier before and after, and the baseline of always guessing the majority class."""

    model: str
    before: Accuracy
    after: Accuracy
    majority: float


@dataclass(frozen=True)
class ClassifierProblem(Part):
    """The reason why no classifier could be trained."""

    problem: str


@dataclass(frozen=True)
class ReleaseComparison(Part):
    columns: tuple[MarginalChange, ...]
    pairs: tuple[PairChange, ...]
    queries: WorkloadError | None = None
    classifiers: tuple[ClassifierAccuracy | ClassifierProblem, ...] | None = None
