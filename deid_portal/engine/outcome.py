"""The answer to a plan."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deid_portal.engine.report import NO_DETAILS, HouseDetails, Report
from deid_portal.engine.table.table import Codes, Table

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Outcome:
    """A released table with its report, or the report of why there is none.

    `released` is None exactly when `solution` is False; the report then says which model blocked
    and how near the nearest combination came. `rows` holds the original row of each released
    record, for attacks on one's own release. `details` are entries of the report by values of the
    table, in groups of people. Neither must be published.
    """

    solution: bool
    released: Table | None
    report: Report
    rows: Codes | None = None
    details: HouseDetails = NO_DETAILS

    @property
    def full_report(self) -> Report:
        """Return the report with its details; like them, it must not be published."""
        return self.report.with_details(self.details)

    def figures(self) -> dict[str, Any]:
        """Return the charts of the report and its details as figures of Plotly, by name.

        They must not be published, since they show the details.
        """
        from deid_portal.engine.charts.gallery import figures_of

        return figures_of(self.full_report)

    @cached_property
    def frame(self) -> "DataFrame | None":
        """Return the release as a data frame of pandas; None if there is none."""
        return None if self.released is None else self.released.to_pandas()
