"""Levels chosen by hand: apply exactly these and leave out what still breaks a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.methods.method import RecodingMethod, records_allowed, suppression_limit
from deid_portal.engine.parameters import Declared, LevelsByColumn
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.utility import Loss

LIMIT = suppression_limit(default=1.0)


@dataclass(frozen=True)
class ChosenLevels(RecodingMethod):
    """One given level per column; a column not named stays exact."""

    levels: Mapping[str, int] = field(default_factory=dict)
    suppression_limit: float = 1.0

    name: ClassVar[str] = "levels"
    parameters: ClassVar[tuple[Declared, ...]] = (LevelsByColumn(), LIMIT)
    title: ClassVar[str] = "Levels chosen by hand"
    can_be_estimated: ClassVar[bool] = True
    takes_levels: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "L. Sweeney, Achieving k-anonymity privacy protection using generalization and "
        "suppression, IJUFKS 10(5), 2002."
    )

    @classmethod
    def parse(cls, place: Place) -> "ChosenLevels":
        place.check_keys(required=("name", "levels"), optional=("suppression_limit",))
        levels = {name: level.integer() for name, level in place["levels"].entries()}
        for name, level in levels.items():
            if level < 0:
                place["levels"][name].refuse("a level of 0 or more is accepted.")
        return cls(levels, LIMIT.read(place))

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "levels": dict(self.levels),
            "suppression_limit": self.suppression_limit,
        }

    def check_problem(self, place: Place, problem: Problem) -> None:
        heights = dict(zip(problem.names, problem.heights, strict=True))
        for name, level in self.levels.items():
            here = place["levels"][name]
            if name not in heights:
                here.refuse("only quasi-identifiers have levels.")
            if level > heights[name]:
                here.refuse(f"the taxonomy of this column has levels 0 to {heights[name]}.")

    def levels_without_search(self, names: Sequence[str]) -> Levels:
        return tuple(self.levels.get(name, 0) for name in names)

    def find(self, problem: Problem, progress: Progress) -> SearchResult:
        found = SearchResult(records_allowed(self.suppression_limit, problem.rows), nodes=1)
        # An earlier method may have left values whose taxonomy has fewer levels; then its top is
        # used.
        levels = tuple(
            min(self.levels.get(name, 0), height)
            for name, height in zip(problem.names, problem.heights, strict=True)
        )
        found.enter(problem.checker(Loss()).check(levels))
        return found

    def explain(self) -> str:
        return "Every column is shown at the level you choose; what still stands out is left out."
