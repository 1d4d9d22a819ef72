"""The answer to a network plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.report import NO_DETAILS, HouseDetails, Report
from deid_portal.engine.table.table import Table


@dataclass(frozen=True, eq=False)
class NetworkOutcome:
    """A released network with its report, or the report of why there is none.

    `released` is None exactly when `solution` is False. `tables` are released with it: groups and
    the links between them, noisy counts. `rows` holds the original node of each released one (-1
    for none) and `details` entries about single nodes; neither must be published.
    """

    solution: bool
    released: Network | None
    report: Report
    rows: Nodes | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
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
