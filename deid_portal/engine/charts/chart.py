"""A chart: what was found as a sentence, the drawing, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@dataclass(frozen=True)
class LinkedCell:
    """A cell that leads further; a click on the bar at `place` does, too."""

    text: str
    href: str
    place: int

    def __str__(self) -> str:
        return self.text


Cell = str | LinkedCell


@dataclass(frozen=True)
class ChartTable:
    """The numbers of a chart; the first cell of a row names it. `folds`: closed at first."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    folds: bool = False

    @property
    def is_folded(self) -> bool:
        """Closed on the page: where it is meant to be, or would take more room than the chart."""
        return self.folds or len(self.columns) > 9 or len(self.rows) > 12


@dataclass(frozen=True)
class Chart:
    """The title states the finding.

    A chart without a figure has too much to draw and is a table only, one without a table stands
    beside its numbers.
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
