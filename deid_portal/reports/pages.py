"""The contents of each page of a report; this module only collects them.

A report has eleven pages, each with an address of its own; the first is the summary. In reports of
earlier versions parts that were not measured are None or empty.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from deid_portal.engine.charts.detail import change_chart, classifier_chart, loss_chart
from deid_portal.engine.charts.distributions import association_chart
from deid_portal.engine.charts.risk import (
    influence_chart,
    journalist_chart,
    risk_bands_chart,
    threshold_chart,
)
from deid_portal.engine.report import Report
from deid_portal.engine.report.utility import UtilityMeasures
from deid_portal.engine.utility import METRICS
from deid_portal.engine.wording.numbers import loss, thousands
from deid_portal.reports.attackers import (
    attacker_table,
    combinations_table,
    marketer_sentence,
    population_sentence,
)
from deid_portal.reports.columns import columns_title, describe_columns
from deid_portal.reports.combinations import view_combinations
from deid_portal.reports.distributions import (
    view_columns,
    view_pair,
    view_released_labels,
)
from deid_portal.reports.evidence import (
    classifier_problem,
    describe_attacks,
    describe_cuts,
    describe_randomized,
    describe_steps,
    safe_harbor_findings,
)
from deid_portal.reports.figures import linked_classes_chart, linked_left_out_chart
from deid_portal.reports.left_out import describe_apart, describe_left_out
from deid_portal.reports.lone_values import describe_lone_values
from deid_portal.reports.selectors import released_rows_of
from deid_portal.reports.side_by_side import view_side_by_side
from deid_portal.reports.spread import describe_spreads
from deid_portal.reports.who_pays import describe_who_pays
from deid_portal.runs.models import Run

Context = dict[str, Any]
METRIC_NAMES = {"iloss": "ILoss"}


@dataclass(frozen=True)
class ReportPageRequest:
    """A request for a page of a report, with the choices made on it."""

    run: Run
    report: Report  # as this person may see it
    chosen: QueryDict
    sees_values: bool = False

    def address(self, section: str = "") -> str:
        return address_of_report(self.run, section)


def address_of_report(run: Run, section: str = "") -> str:
    if section in ("", "summary"):
        return reverse("reports:report", args=[run.id])
    return reverse("reports:section", args=[run.id, section])


def _summary(asked: ReportPageRequest) -> Context:
    report = asked.report
    return {
        "charts": [risk_bands_chart(report), linked_classes_chart(report, asked.address("groups"))],
        **_columns(report),
        "left_out": describe_left_out(report),
        "who_pays": describe_who_pays(report, asked.chosen.get("column", "")),
    }


def _columns(report: Report) -> Context:
    return {"columns": describe_columns(report), "columns_title": columns_title(report)}


def _groups(asked: ReportPageRequest) -> Context:
    return {
        "classes": linked_classes_chart(asked.report, asked.address("groups")),
        "apart": describe_apart(asked.report, asked.chosen.get("size", "")),
        "has_isolation": bool(asked.report.isolation),
    }


def _risk(asked: ReportPageRequest) -> Context:
    report = asked.report
    return {
        "risk": risk_bands_chart(report),
        "attackers": attacker_table(report),
        "marketer": marketer_sentence(report),
        "lone_values": describe_lone_values(report),
        "population": population_sentence(report),
        "charts": _there(threshold_chart(report), journalist_chart(report)),
        "influence": influence_chart(report),
        "combinations": combinations_table(report),
        "attacks": describe_attacks(report),
        "safe_harbor": safe_harbor_findings(report),
    }


def _detail(asked: ReportPageRequest) -> Context:
    report = asked.report
    return {
        "loss": loss_chart(report),
        **_columns(report),
        "metrics": _metrics(report),
        "method_steps": describe_steps(report),
        "cuts": describe_cuts(report),
        "randomized": describe_randomized(report),
    }


@dataclass(frozen=True)
class MetricLine:
    name: str
    explain: str
    before: str
    after: str


def _metrics(report: Report) -> list[MetricLine]:
    before = report.utility_before or UtilityMeasures()
    return [
        MetricLine(
            name=METRIC_NAMES.get(name, name.replace("_", " ").capitalize()),
            explain=metric.explain(),
            before=_written(before.value_of(name)),
            after=_written(report.utility.value_of(name)),
        )
        for name, metric in METRICS.items()
        if report.utility.value_of(name) is not None
    ]


def _written(value: float | None) -> str:
    """Write a measure: large sums as whole numbers, shares in full."""
    return thousands(value) if value is None or value > 1000 else loss(value)


def _left_out(asked: ReportPageRequest) -> Context:
    report = asked.report
    return {
        "left_out": describe_left_out(report),
        "sizes": linked_left_out_chart(report, asked.address("left-out")),
        "apart": describe_apart(report, asked.chosen.get("size", "")),
    }


def _who_pays(asked: ReportPageRequest) -> Context:
    return {"who_pays": describe_who_pays(asked.report, asked.chosen.get("column", ""))}


def _distributions(asked: ReportPageRequest) -> Context:
    report, chosen = asked.report, asked.chosen
    column, first, second = (str(chosen.get(name, "")) for name in ("column", "first", "second"))
    view = view_columns if report.distributions else view_released_labels
    return {
        "columns": view(report, column, everything="all" in chosen),
        "pair": view_pair(report, first, second),
        "labels_are_kept_back": not asked.sees_values and report.released_labels is None,
        "charts": _there(association_chart(report), change_chart(report)),
        "classifiers": classifier_chart(report),
        "classifier_problem": classifier_problem(report),
        "queries": report.comparison.queries if report.comparison else None,
    }


def _sensitive(asked: ReportPageRequest) -> Context:
    return {"spreads": describe_spreads(asked.report, str(asked.chosen.get("group", "")))}


def _rows(asked: ReportPageRequest) -> Context:
    page = asked.chosen.get("page", "1")
    return {"released": released_rows_of(asked.run, int(page) if page.isdecimal() else 1)}


def _side_by_side(asked: ReportPageRequest) -> Context:
    wanted = {name: str(asked.chosen.get(name, "")) for name in ("rows", "group", "page")}
    return {"pairs": view_side_by_side(asked.run, wanted)}


def _combinations(asked: ReportPageRequest) -> Context:
    wanted = {name: str(value) for name, value in asked.chosen.items()}
    return {"combinations": view_combinations(asked.report, wanted)}


def _there(*charts: Any) -> list[Any]:
    return [chart for chart in charts if chart is not None]


@dataclass(frozen=True)
class Section:
    slug: str
    title: str
    make: Callable[[ReportPageRequest], Context]
    folder: str = "reports"
    for_stewards: bool = False  # shows rows or counts of those left out; while rows are kept
    is_there: Callable[[Report], bool] = lambda own: True

    @property
    def template(self) -> str:
        return f"{self.folder}/{self.slug.replace('-', '_')}.html"


SECTIONS = {
    section.slug: section
    for section in (
        Section("summary", "Summary", _summary),
        Section("groups", "Groups", _groups),
        Section("risk", "Risk", _risk),
        Section("detail", "Detail lost", _detail),
        Section("left-out", "Left out", _left_out),
        Section("who-pays", "Who pays", _who_pays),
        Section("distributions", "Distributions", _distributions),
        Section("sensitive", "Sensitive", _sensitive, is_there=lambda own: bool(own.spread)),
        Section("rows", "Rows", _rows, for_stewards=True),
        Section("side-by-side", "Side by side", _side_by_side, for_stewards=True),
        Section(
            "combinations",
            "Combinations",
            _combinations,
            for_stewards=True,
            is_there=lambda own: own.exploration is not None,
        ),
    )
}


@dataclass(frozen=True)
class ReportTab:
    title: str
    url: str
    is_current: bool


def tabs_of(
    asked: ReportPageRequest, current: str, sections: Mapping[str, Section], *, is_steward: bool
) -> list[ReportTab]:
    """Return links to the pages of a report; some are for stewards only."""
    shown = [
        section
        for section in sections.values()
        if (is_steward or not section.for_stewards) and section.is_there(asked.report)
    ]
    return [
        ReportTab(section.title, asked.address(section.slug), section.slug == current)
        for section in shown
    ]
