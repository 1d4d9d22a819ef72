"""The sizes of equivalence classes."""

from dataclasses import dataclass

from deid_portal.engine.report.part import Part


@dataclass(frozen=True)
class SizeBin(Part):
    """The number of classes whose size is in a range; `to` is None for an open range."""

    from_: int
    to: int | None
    count: int


@dataclass(frozen=True)
class SizeSummary(Part):
    count: int
    smallest: int
    largest: int
    mean: float


@dataclass(frozen=True)
class ClassSizes(SizeSummary):
    bins: tuple[SizeBin, ...]
    bins_before: tuple[SizeBin, ...] | None = None
