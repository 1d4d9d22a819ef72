"""No change: release the quasi-identifiers as they are, if the models already hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.methods.method import RecodingMethod
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility import Loss


@dataclass(frozen=True)
class NoChange(RecodingMethod):
    """Measured and released as it is; a model that does not hold means no solution."""

    name: ClassVar[str] = "none"
    title: ClassVar[str] = "No change"
    can_be_estimated: ClassVar[bool] = True
    cites: ClassVar[str] = "Nothing is done, so there is nothing to cite."
    needs_quasi_identifiers: ClassVar[bool] = False

    @classmethod
    def parse(cls, place: Place) -> "NoChange":
        place.check_keys(required=("name",))
        return cls()

    def to_document(self) -> dict[str, Any]:
        return {"name": self.name}

    def levels_without_search(self, names: Sequence[str]) -> Levels:
        return (0,) * len(names)

    def find(self, problem: Problem, progress: Progress) -> SearchResult:
        found = SearchResult(allowed=0, nodes=1)
        found.enter(problem.checker(Loss()).check((0,) * len(problem.names)))
        return found

    def explain(self) -> str:
        return "Nothing is made coarser; the table is measured and released as it is."
