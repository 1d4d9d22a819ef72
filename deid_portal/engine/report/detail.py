"""The detail a release lost, as its published plan lets anybody compute it."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.engine.report.part import Part, null


@dataclass(frozen=True)
class ColumnDetail(Part):
    """How coarse a released column is; None where the published plan does not tell."""

    level: int | None = null()
    height: int | None = null()
    level_name: str | None = null()
    loss: float | None = null()


@dataclass(frozen=True)
class DetailMeasures(Part):
    """Measures of all columns together; None where some column has no share of one."""

    loss: float | None = None
    iloss: float | None = None
    precision: float | None = None


@dataclass(frozen=True)
class PublishedDetail(Part):
    """Both are None where nothing was measured: for networks, and for releases of before."""

    columns: Mapping[str, ColumnDetail] | None = None
    utility: DetailMeasures | None = None


NO_DETAIL = PublishedDetail()
UNKNOWN_DETAIL = ColumnDetail()
