"""Two tables beside each other, which everything a report says beyond its models is told of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.measures import Measures
from deid_portal.engine.plan import ColumnRole, Plan
from deid_portal.engine.privacy import SensitiveColumn
from deid_portal.engine.search.check import Mask
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.taxonomies import Taxonomy


@dataclass(frozen=True, eq=False)
class Evidence:
    """The original table and the released one (or, in an assessment, the table as it is).

    `rows` holds the original row of each released record, None if unknown. `drawn` marks the
    original rows of a sample. `groups` holds the class of each released record if classes are not
    defined by equal cells. `restated` holds columns of the whole table whose values every row shows
    as others, as it shows them.
    """

    plan: Plan
    problem: Problem
    released: Table
    rows: Codes | None
    drawn: Mask | None = None
    groups: Codes | None = None
    restated: Mapping[str, SensitiveColumn] = field(default_factory=dict)

    @property
    def measures(self) -> Measures:
        return self.plan.measures

    @property
    def measuring_seed(self) -> int | None:
        """Seed for sampling in measurements, such as queries; must not be used for protection."""
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
        """Return the columns whose values are reported in groups: all but identifiers.

        Those that the plan asks for come first, then quasi-identifiers and sensitive columns.
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
