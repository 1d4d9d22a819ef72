"""Numbers of rows read and released, and what was done to each column."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null

ALL_DETAIL, NEARLY_ALL_DETAIL = 0.9995, 0.9


@dataclass(frozen=True, kw_only=True)
class InputSummary(Part):
    """The original table; for a network, `rows` counts its nodes."""

    rows: int
    links: int | None = None
    sha256: str
    patterns: int  # different combinations of quasi-identifiers


@dataclass(frozen=True)
class RowCounts(Part):
    released: int
    suppressed: int
    not_drawn: int | None = None  # rows outside the sample; not counted as suppressed


@dataclass(frozen=True)
class ColumnReport(Part):
    """One column before and after; only quasi-identifiers have a height and a loss.

    `level` is also None if the column shows labels of several levels.
    """

    role: str | None
    released: bool
    distinct_before: int | None = None
    distinct_after: int | None = None
    level: int | None = null()
    height: int | None = null()
    level_name: str | None = null()
    loss: float | None = null()

    @property
    def is_hidden(self) -> bool:
        """True if a quasi-identifier shows one label for everybody, so that nothing is told."""
        if self.role != "quasi-identifier" or not self.released or (self.distinct_after or 0) > 1:
            return False
        if self.level is not None:
            return 0 < self.level == self.height
        return self.loss is not None and self.loss >= ALL_DETAIL

    def lost_of(self, rows: RowCounts) -> float:
        """Return the share of detail that the released records lost in this column.

        `loss` counts suppressed records as lost altogether, in every column alike.
        """
        total = rows.released + rows.suppressed
        if self.loss is None or not rows.released:
            return 0.0
        left_out = rows.suppressed / total
        return max(0.0, (self.loss - left_out) / (1 - left_out))


@dataclass(frozen=True)
class LostColumns:
    """The quasi-identifiers of which nothing is left, and those of which nearly nothing is."""

    hidden: tuple[str, ...]
    nearly: tuple[str, ...]

    @classmethod
    def of(cls, columns: Mapping[str, ColumnReport], rows: RowCounts) -> "LostColumns":
        hidden = tuple(name for name, own in columns.items() if own.is_hidden)
        nearly = tuple(
            name
            for name, own in columns.items()
            if name not in hidden and own.released and own.lost_of(rows) >= NEARLY_ALL_DETAIL
        )
        return cls(hidden, nearly)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.hidden, *self.nearly)
