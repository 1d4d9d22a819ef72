"""What of a report people of the house may see who see no rows: a list, each entry with a reason.

A reviewer, an approver or an analyst may know a great deal about the people in the original, and
hold the release. Whatever was computed from everybody, people left out included, can be solved for
the one they do not know; before beside after tells it by subtraction, a rounded figure by the side
it falls on, a ranking by its order. So what they see is what may be published
(`allow_list.py`), and what is listed here on top: it is counted in the release, too, or in the
people of the release as they were and told in wide bands. Nobody left out has a part in any of it,
so exchanging them changes nothing; `tests/reports/test_who_was_left_out.py` holds that. A new entry
stays with the stewards until it is listed.

Several runs of one table tell more than each alone, as several releases would. Counts of labels are
told of the one run that was promoted (`reports/visibility.py`); sizes of groups, which name nobody,
of all.

All people of a network are in its release, so there before is told beside after.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.publication.allow_list import ANY, PUBLISHED, Allowed, Origin, Reason, pick
from deid_portal.engine.publication.published_report import (
    MEASURED_KEYS,
    describe_detail,
    describe_shown,
    round_figures,
)
from deid_portal.engine.taxonomies.recipe import ReadFile

Report = Mapping[str, Any]
# Of fewer people one would move a share by more than a hundredth, often over the edge of a band.
LEAST_BANDED = 200
ROUNDING = 1e-12
BANDS = ((0.05, "≤ 5 %"), (0.2, "5–20 %"), (0.5, "20–50 %"), (1.0, "> 50 %"))
NOTE = (
    "Figures that people left out have a part in were left out: with them, values of these people "
    "could be found."
)

ASKED = Reason(Origin.PLAN, "what the plan asks for")
COUNTED = Reason(
    Origin.RELEASE,
    "counted in the released table; labels of fewer than five people are told together",
)
BANDED = Reason(Origin.STATED, "the people of the release as they were, in wide bands")
EVERYBODY = Reason(Origin.STATED, "all people of a network are in its release")

_NOT_SHOWN = ("plan", "plan_sha256", "note")  # a plan names values; the note is another one here
IN_HOUSE: Allowed = {
    **{key: own for key, own in PUBLISHED.items() if key not in _NOT_SHOWN},
    "note": ASKED,
    "asked": ASKED,  # what a summary says of the plan (`runs/summaries.py`)
    "released_labels": {
        ANY: {
            "column": ASKED,
            "labels": {ANY: {"label": COUNTED, "records": COUNTED}},
            "others": COUNTED,
        }
    },
    "kept_before": {"average_risk": BANDED, "one_of_a_kind": BANDED},
    "spread": {
        ANY: {
            "column": ASKED,
            "after": {
                "l": COUNTED,
                "people_by_l": {ANY: dict.fromkeys(("from", "to", "records"), COUNTED)},
            },
        }
    },
}
IN_HOUSE_OF_NETWORKS: Allowed = {
    **dict.fromkeys(("report", "solution", "engine", "asked", "randomness"), ASKED),
    **dict.fromkeys(
        (
            "input", "rows", "notes", "note", "search", "transformation", "classes", "models",
            "risk", "sensitive", "columns", "utility", "utility_before", "network",
            "blocked_by", "blocking_model", "nearest", "remedies",
        ),
        EVERYBODY,
    ),
}  # fmt: skip


def show_in_house(
    report: Report, detail: Report | None = None, read_file: ReadFile | None = None
) -> dict[str, Any]:
    """Return a report for somebody who sees no rows.

    `detail` is what the published plan and the release say of detail lost (`Publication.detail`),
    `read_file` opens the files of that plan.
    """
    if "network" in report:
        unnamed = [{**_asked(rule), **_measured(rule)} for rule in report["models"]]
        return pick({**report, "models": unnamed}, IN_HOUSE_OF_NETWORKS)
    rules = [_asked(rule) for rule in report["models"]]
    if not report["solution"]:
        # How near it came, and what would work, was found out with everybody.
        asked = {key: report[key] for key in ("report", "solution", "engine", "input")}
        return {**pick(asked, IN_HOUSE), "note": NOTE, "models": rules}
    told = {
        **report,
        **describe_shown(report, detail or {}, read_file),
        "note": NOTE,
        "kept_before": _in_bands(report.get("kept_before", {})),
    }
    shown = round_figures(pick(told, IN_HOUSE))
    measured = zip(rules, shown["models"], strict=True)
    return {**shown, "models": [{**rule, **own} for rule, own in measured]}


def show_summary_in_house(summary: Report) -> dict[str, Any]:
    """Return the summary of a run (`runs/summaries.py`) for somebody who sees no rows.

    Summaries of before do not know what may be told of detail lost.
    """
    if summary.get("network"):
        return pick(summary, IN_HOUSE_OF_NETWORKS)
    if not summary.get("solution"):
        return pick(summary, IN_HOUSE)
    told = describe_detail(summary, summary.get("detail", {}))
    return dict(round_figures(pick({**summary, **told}, IN_HOUSE)))


def _in_bands(kept: Report) -> dict[str, str]:
    """Return the risk of the people of the release as they were, as a band of shares each."""
    if kept.get("records", 0) < LEAST_BANDED:
        return {}
    return {name: band_of(kept[name]) for name in ("average_risk", "one_of_a_kind")}


def band_of(share: float) -> str:
    """Return the wide band a share lies in, in words."""
    return next(words for most, words in BANDS if share <= most + ROUNDING)


def _asked(rule: Report) -> dict[str, Any]:
    """Return the words and numbers of a rule; whatever else it has may name values."""
    return {
        key: own
        for key, own in rule.items()
        if key not in MEASURED_KEYS and (isinstance(own, str | int | float) or key == "columns")
    }


def _measured(rule: Report) -> dict[str, Any]:
    return {key: own for key, own in rule.items() if key in MEASURED_KEYS}
