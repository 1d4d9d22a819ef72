"""Two tables beside each other, which everything a report says beyond its models is told of."""

from dataclasses import dataclass
from functools import cached_property

from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.measures import Measures
from deid_portal.engine.plan import ColumnRole, Plan
from deid_portal.engine.search.check import Mask
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.taxonomies import Taxonomy


@dataclass(frozen=True, eq=False)
class Evidence:
    """Two tables beside each other: the original and what leaves, or would.

    `rows` holds the original row of each released record, None where it is not known. `drawn` says
    which original rows a sample drew, `groups` the group of each released record where equal cells
    are not what makes one.
    """

    plan: Plan
    problem: Problem
    released: Table
    rows: Codes | None
    drawn: Mask | None = None
    groups: Codes | None = None

    @property
    def measures(self) -> Measures:
        return self.plan.measures

    @property
    def measuring_seed(self) -> int | None:
        """Chooses what is looked at, such as queries; nothing that is drawn so protects anybody."""
        return self.plan.seed

    @property
    def original(self) -> Table:
        return self.problem.table

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.problem.names if name in self.released)

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        return dict(zip(self.problem.names, self.problem.taxonomies, strict=True))

    @property
    def knows_who_is_who(self) -> bool:
        return self.rows is not None and not (self.rows == NOBODY).any()

    @cached_property
    def told_names(self) -> list[str]:
        """Return the columns whose values a report tells in groups: all but identifiers.

        Those that were asked for and those that make or need protection come first.
        """
        first = (*self.problem.names, *self.plan.names_of(ColumnRole.SENSITIVE))
        rest = self.plan.names_of(ColumnRole.INSENSITIVE)
        return list(dict.fromkeys((*self.measures.groups, *first, *rest)))

    @cached_property
    def all_taxonomies(self) -> dict[str, Taxonomy]:
        """Return the taxonomies of quasi-identifiers and of sensitive columns."""
        built = dict(self.taxonomies)
        for name in self.plan.names_of(ColumnRole.SENSITIVE):
            planned = self.plan.column(name)
            if planned is not None and planned.taxonomy is not None:
                built[name] = planned.taxonomy.build(self.original[name])
        return built
