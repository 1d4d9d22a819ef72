"""What a report says of the table: how many rows came and left, and what became of its columns."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True, kw_only=True)
class InputSummary(Part):
    """The table as it came; of a network, `rows` are its nodes."""

    rows: int
    links: int | None = None
    sha256: str
    patterns: int  # different combinations of quasi-identifiers


@dataclass(frozen=True)
class RowCounts(Part):
    released: int
    suppressed: int
    not_drawn: int | None = None  # of a sample; they are not counted as suppressed


@dataclass(frozen=True)
class ColumnReport(Part):
    """One column before and after; only a quasi-identifier has a height and loses detail.

    `level` is None, too, where labels of several levels are shown.
    """

    role: str | None
    released: bool
    distinct_before: int | None = None
    distinct_after: int | None = None
    level: int | None = null()
    height: int | None = null()
    level_name: str | None = null()
    loss: float | None = null()
