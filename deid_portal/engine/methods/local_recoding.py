"""Local recoding: records the best levels leave out get other levels, in several rounds."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from deid_portal.engine.compiled.cores import run_both
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.methods.searching_method import SearchingMethod
from deid_portal.engine.privacy.k_anonymity import asked_k
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.check import Check, Mask
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import Recoding, Round, select_patterns
from deid_portal.engine.utility import METRICS, MeasuredRelease, Metric


@dataclass(frozen=True)
class LocalRecoding(SearchingMethod):
    """The optimum for the table, then for what it left out, until nothing improves.

    Two starts are tried: the best levels with any number of records left out, which leave more to
    later rounds, and the best within the limit, which are valid already.
    """

    name: ClassVar[str] = "local-recoding"
    title: ClassVar[str] = "Several levels per column"
    is_in_plain_view: ClassVar[bool] = True
    can_be_swept: ClassVar[bool] = True
    can_be_estimated: ClassVar[bool] = True
    may_beat_estimate: ClassVar[bool] = True
    searches_again: ClassVar[int] = 4
    cites: ClassVar[str] = (
        "J. Xu et al., Utility-based anonymization using local recoding, KDD 2006."
    )

    def find(self, problem: Problem, progress: Progress) -> SearchResult:
        allowed = records_allowed(self.suppression_limit, problem.rows)
        (freely, by_freely), (found, by_found) = run_both(
            lambda own: self._start(problem, max(problem.rows - 1, 0), own),
            lambda own: self._start(problem, allowed, own),
            progress,
        )
        found.checked += freely.checked
        tries = [(freely.best, by_freely), (found.best, by_found)]
        valid = [(best, own) for best, own in tries if own and own.suppressed <= allowed]
        if valid:
            metric = METRICS[self.metric]
            found.best, found.recoding = min(valid, key=lambda pair: _cost(metric, pair[1]))
        # Each round is optimal for its records; how to divide records among rounds is not searched.
        found.optimal = found.best is None and found.optimal
        found.bound = float("-inf")
        return found

    def explain(self) -> str:
        return (
            "Most people are shown at one combination of levels; those who would be left out get "
            "coarser levels of their own."
        )

    def _start(
        self, problem: Problem, allowed: int, progress: Progress
    ) -> tuple[SearchResult, Recoding | None]:
        """Return the best levels that leave out at most so many, and the recoding they lead to."""
        found = self.find_base(problem, allowed, progress)
        if found.best is None:
            return found, None
        return found, self._recode(problem, found.best, found, progress)

    def _recode(
        self, problem: Problem, start: Check, found: SearchResult, progress: Progress
    ) -> Recoding:
        """Add rounds as long as the remainder can be shown and the result is better."""
        metric = METRICS[self.metric]
        recoding = Recoding.of_check(problem, start)
        while recoding.suppressed:
            longer = self._add_round(recoding, found, progress)
            if longer is None or _cost(metric, longer) >= _cost(metric, recoding):
                break
            recoding = longer
        return recoding

    def _add_round(
        self, recoding: Recoding, found: SearchResult, progress: Progress
    ) -> Recoding | None:
        """Show what can be shown of the remainder; None if nothing can without breaking a rule."""
        hidden, problem = ~recoding.shown, recoding.problem
        remainder = replace(problem, patterns=select_patterns(problem.patterns, hidden))
        rest = self.find_base(remainder, max(remainder.patterns.rows - 1, 0), progress)
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
    k = asked_k(models)
    release = MeasuredRelease(recoding.problem.rows, recoding.classes.sizes, recoding.columns, k)
    value = metric.value(release)
    return -value if metric.higher_is_better else value
