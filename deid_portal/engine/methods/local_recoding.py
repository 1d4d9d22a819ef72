"""Local recoding: what the best levels leave out gets levels of its own, again and again."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.checking import Check, Mask
from deid_portal.engine.documents import Place
from deid_portal.engine.found import Found
from deid_portal.engine.methods.full_domain import TIME_LIMIT
from deid_portal.engine.methods.method import Method, records_allowed, suppression_limit
from deid_portal.engine.privacy import KAnonymity
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress
from deid_portal.engine.recoding import Recoding, Round, only
from deid_portal.engine.search import DEFAULT_SECONDS, find_optimum
from deid_portal.engine.utility import METRICS, Metric, Release

LIMIT = suppression_limit(default=0.0)


@dataclass(frozen=True)
class LocalRecoding(Method):
    """The optimum for the table, then for what it left out, until nothing improves.

    Two starts are tried: the best levels with any number of records left out, which leave more
    to the rounds after, and the best within the limit, which is valid at once.
    """

    suppression_limit: float = 0.0
    metric: str = "loss"
    time_limit_seconds: float = DEFAULT_SECONDS

    name: ClassVar[str] = "local-recoding"

    @classmethod
    def parse(cls, place: Place) -> "LocalRecoding":
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
        found = self._find_base(problem, allowed, progress)
        freely = self._find_base(problem, max(problem.rows - 1, 0), progress)
        found.checked += freely.checked
        starts = [start.best for start in (freely, found) if start.best is not None]
        recodings = [self._recode(problem, start, found, progress) for start in starts]
        valid = [recoding for recoding in recodings if recoding.suppressed <= allowed]
        if valid:
            metric = METRICS[self.metric]
            found.recoding = min(valid, key=lambda recoding: _cost(metric, recoding))
            found.best = starts[recodings.index(found.recoding)]
        # Each round is the best for its records; which of them to mend together is not searched.
        found.optimal = found.best is None and found.optimal
        found.bound = float("-inf")
        return found

    def explain(self) -> str:
        return (
            "Most people are shown at one combination of levels; those who would be left out get "
            "coarser levels of their own."
        )

    def _find_base(self, problem: Problem, allowed: int, progress: Progress) -> Found:
        checker = problem.checker(METRICS[self.metric])
        return find_optimum(checker, allowed, progress, self.time_limit_seconds)

    def _recode(self, problem: Problem, start: Check, found: Found, progress: Progress) -> Recoding:
        """Add rounds as long as the remainder can be shown and the result is better."""
        metric = METRICS[self.metric]
        recoding = Recoding.of_check(problem, start)
        while recoding.suppressed:
            longer = self._add_round(recoding, found, progress)
            if longer is None or _cost(metric, longer) >= _cost(metric, recoding):
                break
            recoding = longer
        return recoding

    def _add_round(self, recoding: Recoding, found: Found, progress: Progress) -> Recoding | None:
        """Show what can be shown of the remainder; None if nothing can without breaking a rule."""
        hidden, problem = ~recoding.shown, recoding.problem
        remainder = replace(problem, patterns=only(problem.patterns, hidden))
        rest = self._find_base(remainder, max(remainder.patterns.rows - 1, 0), progress)
        found.checked += rest.checked
        if rest.best is None:
            return None
        shown = _shown_in(hidden, rest.best.grouped.spread(~rest.best.suppressed_classes))
        longer = replace(recoding, rounds=(*recoding.rounds, Round(rest.best.levels, shown)))
        return longer if longer.holds() else None


def _shown_in(hidden: Mask, shown: Mask) -> Mask:
    """Return which of all patterns are shown, given which of the hidden ones are."""
    everyone = np.zeros(len(hidden), np.bool_)
    everyone[np.flatnonzero(hidden)[shown]] = True
    return everyone


def _cost(metric: Metric, recoding: Recoding) -> float:
    """Return the cost of a recoding: smaller is better for every metric."""
    models = recoding.problem.models
    k = next((model.k for model in models if isinstance(model, KAnonymity)), 1)
    release = Release(recoding.problem.rows, recoding.classes.sizes, recoding.columns, k)
    value = metric.value(release)
    return -value if metric.higher_is_better else value
