"""Full-domain generalization: one level per column for the whole table, the best of all."""

from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.found import Found
from deid_portal.engine.methods.method import Method, records_allowed, suppression_limit
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress
from deid_portal.engine.search import DEFAULT_SECONDS, find_optimum
from deid_portal.engine.utility import METRICS

LIMIT = suppression_limit(default=0.0)
# Matters only where there are too many combinations to prove the best.
TIME_LIMIT = Parameter("time_limit_seconds", minimum=0.1, maximum=86_400, default=DEFAULT_SECONDS)


@dataclass(frozen=True)
class FullDomain(Method):
    """The optimum over all combinations of levels, leaving out at most a share of the records."""

    suppression_limit: float = 0.0
    metric: str = "loss"
    time_limit_seconds: float = DEFAULT_SECONDS

    name: ClassVar[str] = "full-domain"

    @classmethod
    def parse(cls, place: Place) -> "FullDomain":
        place.check_keys(
            required=("name",), optional=("suppression_limit", "metric", TIME_LIMIT.name)
        )
        metric = place["metric"].choice(METRICS) if "metric" in place else "loss"
        return cls(LIMIT.read(place), metric, TIME_LIMIT.read(place))

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "suppression_limit": self.suppression_limit,
            "metric": self.metric,
            "time_limit_seconds": self.time_limit_seconds,
        }

    def cautions(self) -> list[str]:
        return [caution for caution in [LIMIT.caution_for(self.suppression_limit)] if caution]

    def find(self, problem: Problem, progress: Progress) -> Found:
        allowed = records_allowed(self.suppression_limit, problem.rows)
        checker = problem.checker(METRICS[self.metric])
        return find_optimum(checker, allowed, progress, self.time_limit_seconds)

    def explain(self) -> str:
        return "Every column is shown at one level of detail; the best combination is found."
