"""The entries of a report that viewers without row access may see, each with the reason.

A reviewer, an approver or an analyst may know nearly everybody in the original, and has the
release. From a figure over all records, suppressed ones included, they could compute the values of
the one person they do not know: from the difference of before and after, from the direction of
rounding, from the order of a ranking. So they see what may be published (`allow_list.py`), and the
entries listed here: counts in the release, and ranges of figures on the original values of
released records. Replacing suppressed records by others changes none of it;
`tests/reports/test_who_was_left_out.py` checks that. New entries are shown to stewards only until
they are listed.

Several runs on one table reveal more than each of them, as several releases would. So counts of
labels are shown for the promoted run only (`reports/visibility.py`), class sizes, which name no
values, for all.

For networks, figures before and after are both shown, since all people are in the release.
"""

from dataclasses import replace

from deid_portal.engine.publication.allow_list import (
    ANY,
    PUBLISHED,
    Allowed,
    Origin,
    Reason,
    pick_allowed,
)
from deid_portal.engine.publication.published_report import (
    retell,
    retell_columns,
    retell_utility,
    round_figures,
)
from deid_portal.engine.report import Report, written
from deid_portal.engine.report.detail import NO_DETAIL, PublishedDetail
from deid_portal.engine.report.left_out import KeptPeople
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.summary import RunSummary
from deid_portal.engine.taxonomies.recipe import ReadFile

# With fewer records a single one changes a share so much that it often moves to another range.
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

_NOT_SHOWN = ("plan", "plan_sha256", "note")  # plans name values; the note is replaced
IN_HOUSE: Allowed = {
    **{key: own for key, own in PUBLISHED.items() if key not in _NOT_SHOWN},
    "note": ASKED,
    "asked": ASKED,  # only in summaries (`runs/summaries.py`)
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
    report: Report, detail: PublishedDetail | None = None, read_file: ReadFile | None = None
) -> Report:
    """Return the report for viewers without row access.

    `detail` holds levels and loss computed from the published plan and the release
    (`Publication.detail`), `read_file` opens the files of that plan.
    """
    if report.network is not None:
        unnamed = replace(report, models=tuple(_without_values(rule) for rule in report.models))
        return Report.from_document(pick_allowed(unnamed.to_document(), IN_HOUSE_OF_NETWORKS))
    rules = [_asked(rule).to_document() for rule in report.models]
    if not report.solution:
        # The nearest miss and the remedies were computed from all records.
        asked = Report.telling(
            report=report.report, solution=False, engine=report.engine, input=report.input
        )
        shown = pick_allowed(asked.to_document(), IN_HOUSE)
        return Report.from_document({**shown, "note": NOTE, "models": rules})
    told = replace(
        retell(report, detail or NO_DETAIL, read_file),
        note=NOTE,
        kept_before=_in_bands(report.kept_before),
    )
    shown = round_figures(pick_allowed(told.to_document(), IN_HOUSE))
    measured = zip(rules, shown["models"], strict=True)
    return Report.from_document({**shown, "models": [{**rule, **own} for rule, own in measured]})


def show_summary_in_house(summary: RunSummary) -> RunSummary:
    """Return the summary of a run (`runs/summaries.py`) for viewers without row access.

    Summaries from earlier versions have no `detail`, so their loss is not shown.
    """
    document = summary.to_document()
    if summary.network is not None:
        return RunSummary.from_document(pick_allowed(document, IN_HOUSE_OF_NETWORKS))
    if not summary.solution:
        return RunSummary.from_document(pick_allowed(document, IN_HOUSE))
    detail = summary.detail or NO_DETAIL
    told = {
        "columns": written(retell_columns(summary.columns, detail)),
        "utility": retell_utility(summary.utility, detail).to_document(),
    }
    return RunSummary.from_document(round_figures(pick_allowed({**document, **told}, IN_HOUSE)))


def _in_bands(kept: KeptPeople | None) -> KeptPeople:
    """Return the risk on the original values of released records as ranges."""
    if kept is None or (kept.records or 0) < LEAST_BANDED:
        return KeptPeople()
    return KeptPeople(
        average_risk=_band_if_number(kept.average_risk),
        one_of_a_kind=_band_if_number(kept.one_of_a_kind),
    )


def _band_if_number(share: float | str | None) -> str | None:
    return band_of(share) if isinstance(share, float | int) else share


def band_of(share: float) -> str:
    """Return the range that contains a share, in words."""
    return next(words for most, words in BANDS if share <= most + ROUNDING)


def _asked(rule: RuleVerdict) -> RuleVerdict:
    """Return a rule with scalar parameters only; others may name values of the table."""
    told = {
        key: own
        for key, own in rule.parameters.items()
        if isinstance(own, str | int | float) or key == "columns"
    }
    return RuleVerdict(model=rule.model, parameters=told)


def _without_values(rule: RuleVerdict) -> RuleVerdict:
    return replace(rule, parameters=_asked(rule).parameters)
