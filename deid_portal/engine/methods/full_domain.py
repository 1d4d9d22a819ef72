"""Full-domain generalization: one level per column for the whole table, chosen optimally."""

from dataclasses import dataclass
from typing import ClassVar

from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.methods.searching_method import SearchingMethod
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.problem import Problem


@dataclass(frozen=True)
class FullDomain(SearchingMethod):
    """The optimum over all combinations of levels, leaving out at most a share of the records."""

    name: ClassVar[str] = "full-domain"
    title: ClassVar[str] = "One level per column"
    is_in_plain_view: ClassVar[bool] = True
    can_be_swept: ClassVar[bool] = True
    can_be_estimated: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "P. Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001."
    )

    def find(self, problem: Problem, progress: Progress) -> SearchResult:
        allowed = records_allowed(self.suppression_limit, problem.rows)
        return self.find_base(problem, allowed, progress)

    def explain(self) -> str:
        return "Every column is shown at one level of detail; the best combination is found."
