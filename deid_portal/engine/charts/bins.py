"""Bins of sizes and bands of chances, as axes name them."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.wording.numbers import NBSP


def bin_label(own: Mapping[str, Any]) -> str:
    """Name the sizes from … to … of a bin."""
    low, high = own["from"], own["to"]
    if high is None:
        return f"> {low - 1:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def band_label(band: Mapping[str, Any]) -> str:
    return str(band["label"]).replace(" %", f"{NBSP}%")


def in_percent(series: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {name: [100 * share for share in own] for name, own in series.items()}


def shares_of(counts: Sequence[float]) -> list[float]:
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]
