"""Claims of a report that cannot be computed from its release, each with the reason.

Every number of a report must be either compared with the release or listed here; a test checks
that. Reports published today hold only totals of the original (`publication/allow_list.py`), so
most entries are for packages of earlier versions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.verification.claims import Claims


@dataclass(frozen=True)
class TrustedParts:
    """Entries of a report; in their paths `*` stands for any one step."""

    name: str
    why: str
    places: tuple[str, ...]


TRUSTED = (
    TrustedParts(
        "every risk before",
        "it is about the original",
        ("risk.before", "risk.details.before", "classes.bins_before"),
    ),
    TrustedParts(
        "what the rules reached before", "it is about the original", ("models.*.achieved_before",)
    ),
    TrustedParts(
        "how many people were left out",
        "they are not here to be counted",
        ("rows.suppressed", "rows.not_drawn"),
    ),
    TrustedParts(
        "rows, patterns and values of the original",
        "the original is not in the package",
        ("input", "columns.*.distinct_before"),
    ),
    TrustedParts(
        "groups before (discernibility, average group)",
        "they are groups of the original",
        ("utility_before.discernibility", "utility_before.average_class_size"),
    ),
    TrustedParts(
        "entropy",
        "it counts how often each exact value occurs in the original",
        ("utility.entropy",),
    ),
    TrustedParts(
        "ambiguity",
        "it counts which exact values occur in the original",
        ("utility.ambiguity",),
    ),
    TrustedParts(
        "divergence",
        "it compares with the combinations of exact values in the original",
        ("utility.kl_divergence",),
    ),
    TrustedParts(
        "squared error (information loss)",
        "it measures how far numbers were moved from the original ones",
        ("utility.information_loss",),
    ),
    TrustedParts(
        "how distributions changed", "they are compared with the original", ("comparison",)
    ),
    TrustedParts("attacks in the report", "they are scored with the original", ("attacks",)),
    TrustedParts(
        "how the release was searched for and made",
        "the search ran on the original",
        ("search", "coarser", "transformation.steps", "transformation.cuts"),
    ),
)


def list_what_is_trusted(report: Mapping[str, Any], claims: Claims) -> None:
    for own in TRUSTED:
        if any(_has(report, place.split(".")) for place in own.places):
            claims.trust(own.name, own.why, *own.places)


def _has(document: Any, steps: list[str]) -> bool:
    if not steps:
        return document not in ({}, [], None)
    return any(_has(inner, steps[1:]) for inner in _inner(document, steps[0]))


def _inner(document: Any, step: str) -> Iterator[Any]:
    if step == "*" and isinstance(document, list):
        yield from document
    elif isinstance(document, Mapping):
        yield from (own for key, own in document.items() if step in ("*", key))
