"""The order of labels that are ranges of numbers, read as a person would."""

import re
from collections.abc import Iterable

NUMBER = r"[+-]?\d+(?:\.\d+)?"
RANGE = re.compile(rf"[\[(\]]?\s*(?P<low>{NUMBER})(?:\s*(?:,|;|-|–|\.\.)\s*{NUMBER})?\s*[\])\[]?\Z")
ABOVE = re.compile(rf"(?:>=|>|≥)\s*(?P<low>{NUMBER})\Z")
BELOW = re.compile(rf"(?:<=|<|≤)\s*{NUMBER}\Z")


def order_of_labels(labels: Iterable[str | None]) -> dict[str, tuple[float, str]] | None:
    """Return what each label is sorted by: where its range begins, then its text.

    Gaps are left out. None if a label is no range, so that nothing but the texts says an order.
    """
    starts = {label: _start(label) for label in labels if label is not None}
    if None in starts.values():
        return None
    return {label: (start, label) for label, start in starts.items() if start is not None}


def _start(label: str) -> float | None:
    if BELOW.match(label):
        return float("-inf")
    found = RANGE.match(label) or ABOVE.match(label)
    return float(found["low"]) if found else None
