"""The entries of a report that are published with its release, each with the reason.

A recipient may know nearly everybody in the original table. From a figure over all of it, however
aggregated (how far a distribution moved, the number of values before, the risk before), they could
compute the values of the one person they do not know. So an entry is published only if the
recipient can compute it from the rest of the package, and new entries of reports stay unpublished
until they are listed here.

The exception are totals: how many people were in the original, suppressed, and not in the sample.
Two originals with the same totals and the same release have the same published report; property
tests in `tests/engine/publication/test_publish_report.py` check that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

ANY = "*"  # any key of an object, every entry of a list
NOTHING: Any = object()


class Origin(StrEnum):
    """From what the recipient can compute an entry."""

    RELEASE = "the released table"
    PLAN = "the published plan"
    TOTAL = "a total that is stated"
    STATED = "the word of the portal"


@dataclass(frozen=True)
class Reason:
    """Why an entry is published; `is_private`: also with a differentially private release.

    Differential privacy covers whatever is computed from release and plan only, not totals of the
    original.
    """

    origin: Origin
    words: str
    is_private: bool = False


Allowed = Mapping[str, "Reason | Allowed"]

FORM = Reason(Origin.PLAN, "says which document this is", is_private=True)
PLAN = Reason(Origin.PLAN, "the published plan, or a hash of it", is_private=True)
COUNTED = Reason(Origin.RELEASE, "counted in the released table", is_private=True)
GROUPED = Reason(Origin.RELEASE, "read off the groups of people who look alike in the release")
LINKED = Reason(Origin.RELEASE, "counted in the released links", is_private=True)
PEOPLE = Reason(Origin.TOTAL, "how many people there were, never who they were")
ASKED = Reason(Origin.PLAN, "what the plan asks for")
CHOSEN = Reason(Origin.RELEASE, "the level of the labels that the release shows")
SHAPED = Reason(Origin.PLAN, "from released labels and what the published taxonomies list")
DECIDED = Reason(Origin.RELEASE, "measured on the release; absent where that cannot decide it")
HELD = Reason(Origin.STATED, "a release is made only if its rules hold")
POPULATED = Reason(
    Origin.RELEASE,
    "released groups looked up in the population that the plan names; where people were left out, "
    "what it is at most by the release alone",
)
PROMISED = Reason(Origin.PLAN, "the numbers of a promise, which follow from the plan", True)

_BAND: Allowed = dict.fromkeys(("label", "from", "to", "records", "share"), COUNTED)
_BIN: Allowed = dict.fromkeys(("from", "to", "count"), COUNTED)
_ATTACKER: Allowed = {
    **dict.fromkeys(
        ("highest", "lowest", "average", "share_above", "records_above", "is_bound"), POPULATED
    ),
    "threshold": ASKED,
    "bands": {ANY: POPULATED},
    "above": {ANY: {"chance": ASKED, "share": POPULATED}},
}
_RISK: Allowed = {
    "prosecutor": dict.fromkeys(("highest", "lowest", "average"), COUNTED),
    **dict.fromkeys(("journalist", "marketer", "sample_uniques"), COUNTED),
    "bands": {ANY: _BAND},
    "population": {"short_classes": POPULATED},
}
_DETAILS: Allowed = {
    **dict.fromkeys(("prosecutor", "journalist", "marketer"), _ATTACKER),
    "sample_uniques": dict.fromkeys(("records", "share", "in_population"), POPULATED),
    "columns": {
        ANY: dict.fromkeys(
            (
                "column", "classes", "average_risk", "highest_risk", "sample_uniques",
                "average_risk_saved", "uniques_saved",
            ),
            GROUPED,
        )
    },
    "pairs": {
        ANY: {
            "columns": {ANY: GROUPED},
            **dict.fromkeys(("average_risk", "sample_uniques", "average_risk_saved"), GROUPED),
        }
    },
    "combinations": {
        ANY: {
            "columns": {ANY: GROUPED},
            **dict.fromkeys(("distinct", "distinction", "separation"), GROUPED),
        }
    },
    "special_uniques": {
        "records": GROUPED, "by_size": {ANY: GROUPED}, "by_column": {ANY: GROUPED}
    },
    "population_uniques": {ANY: GROUPED},
}  # fmt: skip
_STRUCTURE: Allowed = dict.fromkeys(
    (
        "mean_degree", "largest_degree", "density", "clustering", "transitivity", "triangles",
        "components", "largest_component",
    ),
    LINKED,
)  # fmt: skip

PUBLISHED: Allowed = {
    **dict.fromkeys(("report", "solution", "engine"), FORM),
    **dict.fromkeys(("plan", "plan_sha256"), PLAN),
    "note": FORM,
    "randomness": FORM,
    "input": {"rows": PEOPLE},
    "rows": {"released": COUNTED, "suppressed": PEOPLE, "not_drawn": PEOPLE},
    "transformation": {
        "levels": {ANY: CHOSEN},
        # Each method decides which of its notes are published (`Method.published_figures`).
        "steps": PROMISED,
    },
    "classes": {
        **dict.fromkeys(("count", "smallest", "largest", "mean"), COUNTED),
        "bins": {ANY: _BIN},
    },
    # The rules themselves are taken from the published plan.
    "models": {ANY: {"holds": HELD, "achieved": DECIDED}},
    "risk": {
        "after": _RISK,
        "details": {"after": _DETAILS},
        "safe_harbor": {
            ANY: dict.fromkeys(("column", "identifier", "rows", "reason"), GROUPED),
        },
    },
    "sensitive": {ANY: dict.fromkeys(("surest_guess", "values", "lone_values"), GROUPED)},
    "columns": {
        ANY: {
            "role": ASKED,
            **dict.fromkeys(("released", "distinct_after"), GROUPED),
            **dict.fromkeys(("level", "level_name"), CHOSEN),
            **dict.fromkeys(("height", "loss"), SHAPED),
        }
    },
    "utility": {
        **dict.fromkeys(("discernibility", "average_class_size", "information_gain"), GROUPED),
        **dict.fromkeys(("loss", "iloss", "precision"), SHAPED),
    },
    "network": {
        **dict.fromkeys(("directed", "knowledge", "knowledge_words"), PROMISED),
        "nodes": {"after": LINKED},
        "links": {"after": LINKED},
        "risk": {ANY: {"words": PROMISED, "after": {ANY: LINKED}}},
        "structure": {"after": _STRUCTURE},
    },
}


def pick_allowed(
    document: Mapping[str, Any], allowed: Allowed = PUBLISHED, *, is_private: bool = False
) -> dict[str, Any]:
    """Return the listed entries of a report.

    `is_private`: only those published with a differentially private release.
    """
    picked = _pick(document, allowed, is_private)
    return {} if picked is NOTHING else dict(picked)


def _pick(document: Any, allowed: "Reason | Allowed | None", is_private: bool) -> Any:
    if allowed is None:
        return NOTHING
    if isinstance(allowed, Reason):
        return document if allowed.is_private or not is_private else NOTHING
    if isinstance(document, list | tuple):
        listed = [_pick(own, allowed.get(ANY), is_private) for own in document]
        return NOTHING if NOTHING in listed else listed
    if not isinstance(document, Mapping):
        return NOTHING
    entries = {
        key: _pick(own, allowed.get(key, allowed.get(ANY)), is_private)
        for key, own in document.items()
    }
    kept = {key: own for key, own in entries.items() if own is not NOTHING}
    return kept if kept or not document else NOTHING


def list_reasons(allowed: Allowed = PUBLISHED, place: str = "") -> Iterator[tuple[str, Reason]]:
    """Yield the path of every listed entry, `*` standing for any one step, with its reason."""
    for key, own in allowed.items():
        here = f"{place}.{key}" if place else key
        if isinstance(own, Reason):
            yield here, own
        else:
            yield from list_reasons(own, here)
