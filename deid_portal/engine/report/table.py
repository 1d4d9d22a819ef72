"""Numbers of rows read and released, and what was done to each column."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


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
