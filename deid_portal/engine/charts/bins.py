"""Axis labels for bins of class sizes and ranges of risk."""

from collections.abc import Mapping, Sequence

from deid_portal.engine.report.classes import SizeBin
from deid_portal.engine.report.left_out import GroupsApart
from deid_portal.engine.report.risk import RiskBand
from deid_portal.engine.report.sensitive import PeopleByValues
from deid_portal.engine.wording.numbers import NBSP


def bin_label(own: SizeBin | GroupsApart | PeopleByValues) -> str:
    """Return the range of sizes of a bin as a label."""
    low, high = own.from_, own.to
    if high is None:
        return f"> {low - 1:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def band_label(band: RiskBand) -> str:
    return band.label.replace(" %", f"{NBSP}%")


def in_percent(series: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {name: [100 * share for share in own] for name, own in series.items()}


def shares_of(counts: Sequence[float]) -> list[float]:
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]
