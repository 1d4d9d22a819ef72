"""The classes and columns of a table, original or released, from which all figures are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deid_portal.engine.privacy import WholeTable
from deid_portal.engine.privacy.population import count_fewest
from deid_portal.engine.search.recoding import Recoding
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts
from deid_portal.engine.utility import LabelledColumn, MeasuredColumn


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """The classes and columns of the table at one point: the original, or the release."""

    classes: Classes
    columns: Sequence[MeasuredColumn | LabelledColumn]
    levels: Mapping[str, int]  # of the quasi-identifiers that have one level throughout
    whole: WholeTable  # the original, which models compare with
    rows: int  # records it could have shown
    not_drawn: int = 0  # records outside the sample
    alike: Classes | None = None  # classes by equal cells, if `classes` are not

    @property
    def look_alikes(self) -> Classes:
        """Return the classes of equal cells, which an intruder who knows the cells is led to."""
        return self.classes if self.alike is None else self.alike

    @cached_property
    def people(self) -> Counts | None:
        """Return how many people of the population look like each of them; None without one."""
        return count_fewest(self.whole.populations, self.look_alikes, self.whole.original)


def measure_recoding(recoding: Recoding) -> MeasuredTable:
    """Measure what a recipient would see."""
    levels = dict(zip(recoding.problem.names, recoding.base, strict=True))
    problem = recoding.problem
    return MeasuredTable(recoding.classes, recoding.columns, levels, problem.whole, problem.rows)
