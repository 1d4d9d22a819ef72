"""What the methods that search for the best levels have in common: limit, metric, time."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.methods.method import RecodingMethod, suppression_limit
from deid_portal.engine.parameters import Choice, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.optimum import DEFAULT_SECONDS, find_optimum
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility import METRICS

LIMIT = suppression_limit(default=0.0)
METRIC = Choice("metric", ("loss", *(name for name in METRICS if name != "loss")))
# Matters only where there are too many combinations to prove the best.
TIME_LIMIT = Parameter("time_limit_seconds", minimum=0.1, maximum=86_400, default=DEFAULT_SECONDS)


@dataclass(frozen=True)
class SearchingMethod(RecodingMethod):
    """A method that keeps a metric small while leaving out at most a share of the records."""

    searches_all_levels: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (LIMIT, METRIC, TIME_LIMIT)

    suppression_limit: float = 0.0
    metric: str = "loss"
    time_limit_seconds: float = DEFAULT_SECONDS
    is_trial: bool = False  # not in plans: a good answer is enough, without proof

    @classmethod
    def parse(cls, place: Place) -> Self:
        place.check_keys(
            required=("name",), optional=[parameter.name for parameter in cls.parameters]
        )
        return cls(LIMIT.read(place), METRIC.read(place), TIME_LIMIT.read(place))

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "suppression_limit": self.suppression_limit,
            "metric": self.metric,
            "time_limit_seconds": self.time_limit_seconds,
        }

    def cautions(self) -> list[str]:
        return [caution for caution in [LIMIT.caution_for(self.suppression_limit)] if caution]

    def find_base(self, problem: Problem, allowed: int, progress: Progress) -> SearchResult:
        """Return the best levels that leave out at most `allowed` records."""
        checker = problem.checker(METRICS[self.metric])
        seconds = self.time_limit_seconds
        return find_optimum(checker, allowed, progress, seconds, must_prove=not self.is_trial)
