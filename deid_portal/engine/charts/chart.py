"""A chart: its finding as a sentence, the figure, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


MOST_COLUMNS_OPEN, MOST_ROWS_OPEN = 9, 4


@dataclass(frozen=True)
class LinkedCell:
    """A cell with a link; a click on the bar at index `place` follows it, too."""

    text: str
    href: str
    place: int

    def __str__(self) -> str:
        return self.text


Cell = str | LinkedCell


@dataclass(frozen=True)
class ChartTable:
    """The numbers of a chart; the first cell of a row names it. `folds`: shown collapsed."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    folds: bool = False

    @property
    def is_folded(self) -> bool:
        """True if shown collapsed: on request, or if it would take much of a page."""
        return (
            self.folds or len(self.columns) > MOST_COLUMNS_OPEN or len(self.rows) > MOST_ROWS_OPEN
        )


@dataclass(frozen=True)
class Chart:
    """The title states the finding.

    A chart without a figure has too many points to draw, so only its table is shown. A chart
    without a table is shown on a page that lists the numbers elsewhere.
    """

    id: str
    title: str
    caption: str
    figure: Figure | None
    table: ChartTable | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.figure is not None and not hasattr(self.figure, "to_plotly_json"):
            raise TypeError(f"The figure of the chart {self.id} is none of Plotly's.")
