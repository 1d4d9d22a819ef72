"""A figure that occurs twice in a report is the same in both places, whatever the method."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from deid_portal.engine import Outcome, Plan, Table, assess, protect
from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.methods import METHODS, RecodingMethod
from deid_portal.engine.report import Report, written
from deid_portal.engine.report.risk import ClassRisk, RiskDetails
from deid_portal.engine.verification.claims import find_difference
from tests.engine.methods.test_every_method import QUASI, every_example, people, plan_for

Twins = Iterator[tuple[str, Any, Any]]
TOWN = "town.csv"
# Rules that promise nothing; what they achieve is what the report says of risk elsewhere.
RULES: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 2},
    {"model": "highest-risk", "limit": 1},
    {"model": "average-risk", "limit": 1},
    {"model": "sample-uniqueness", "limit": 1},
    {"model": "population-uniqueness", "limit": 1, "population_size": 500},
    {"model": "confidence-bounding", "h": 1, "column": "condition"},
]
AMONG_PEOPLE = {"model": "k-map", "k": 2, "population": TOWN}  # looks for labels of a taxonomy
MEASURES = {
    "risk": {"population": TOWN, "population_size": 500, "threshold": 0.25},
    "utility": {"groups": ["sex", "condition"]},
}


def town_of(table: Table) -> bytes:
    """Return a population of the people of a table and others, as a CSV file."""
    rows = [[own[name].cells() for name in QUASI] for own in (table, people(80, seed=8, gaps=0.1))]
    lines = [",".join(cell or "" for cell in row) for own in rows for row in zip(*own, strict=True)]
    return "\n".join([",".join(QUASI), *lines]).encode()


def state_of(report: Report, when: str) -> tuple[ClassRisk, RiskDetails | None]:
    risk, details = report.risk, report.risk.details
    assert details is not None
    if when == "before":
        assert risk.before is not None
        return risk.before, details.before
    return risk.after, details.after


def twins_of_risk(report: Report, when: str) -> Twins:
    risk, details = state_of(report, when)
    if details is None:  # a release in groups
        return
    for name in ("highest", "lowest", "average"):
        yield (
            f"prosecutor {name}",
            getattr(risk.prosecutor, name),
            getattr(details.prosecutor, name),
        )
    yield "journalist", risk.journalist, details.journalist.highest
    yield "marketer", risk.marketer, details.marketer.average
    yield "one of a kind", risk.sample_uniques, details.sample_uniques.share
    alone = next(band.records for band in risk.bands if band.from_ == 1)
    yield "one of a kind, people", alone, details.sample_uniques.records
    uniques = details.population_uniques.sample_uniques
    yield "one of a kind in the estimate", alone, uniques
    yield "bands", [band.share for band in risk.bands], details.prosecutor.bands
    yield "bound", details.journalist.is_bound, bool(risk.population.short_classes)
    rows = sum(band.records for band in risk.bands)
    yield "bands, people", 1.0 if rows else 0.0, sum(band.share for band in risk.bands)
    for attacker in ("prosecutor", "journalist", "marketer"):
        own = getattr(details, attacker)
        yield f"{attacker} above", own.share_above * rows, own.records_above
        above = {entry.chance: entry.share for entry in own.above}
        yield f"{attacker} above a half", above[0.5], own.bands[0]
    for own in details.columns:
        whole = own.average_risk + own.average_risk_saved
        yield f"without {own.column}", whole, risk.prosecutor.average
        yield f"alone without {own.column}", own.sample_uniques + own.uniques_saved, alone


def twins_of_classes(report: Report) -> Twins:
    """Groups after; where equal cells do not make them, risk is about other groups."""
    classes, known = report.classes, report.risk.after.prosecutor
    yield "groups", sum(own.count for own in classes.bins), classes.count
    before = sum(own.count for own in classes.bins_before)
    yield "groups before", before, report.input.patterns
    yield "mean", classes.mean * classes.count, report.rows.released
    k = next((own.parameters["k"] for own in report.models if own.model == "k-anonymity"), 1)
    yield "average class", report.utility.average_class_size, classes.mean / k
    if report.risk.details.after is not None:
        yield "smallest", 1 / classes.smallest, known.highest
        yield "largest", 1 / classes.largest, known.lowest
        yield "average", 1 / classes.mean, known.average


def twins_of_models(report: Report, when: str, achieved: str) -> Twins:
    reached = {own.model: getattr(own, achieved) for own in report.models}
    risk, details = state_of(report, when)
    if not reached or details is None:
        return
    if "k-anonymity" in reached:
        yield "k", 1 / reached["k-anonymity"]["k"], risk.prosecutor.highest
    yield "highest risk", reached["highest-risk"]["limit"], risk.prosecutor.highest
    yield "average risk", reached["average-risk"]["limit"], risk.prosecutor.average
    yield "sample uniques", reached["sample-uniqueness"]["limit"], risk.sample_uniques
    if "population-uniqueness" in reached:
        estimated = details.population_uniques.share
        yield "population uniques", reached["population-uniqueness"]["limit"], estimated
    if "k-map" in reached and not risk.population.short_classes:
        yield "k-map", 1 / reached["k-map"]["k"], risk.journalist
    if when == "after":
        guess = report.sensitive["condition"].surest_guess
        yield "surest guess", reached["confidence-bounding"]["h"], guess


def twins_of_cost(report: Report) -> Twins:
    columns, rows = report.columns, report.rows
    lost = [columns[name].loss for name in QUASI]
    yield "loss", report.utility.loss, sum(lost) / len(lost)
    for name, level in report.transformation.levels.items():
        yield f"level of {name}", columns[name].level, level
    if report.who_pays is not None:
        for table in report.who_pays:
            left_out = sum(group.suppressed for group in table.groups)
            yield f"left out by {table.column}", left_out, rows.suppressed
            told = sum(group.records for group in table.groups)
            yield f"people by {table.column}", told, rows.released + rows.suppressed
        whole = rows.released + rows.suppressed + (rows.not_drawn or 0)
        yield "people", whole, report.input.rows


def twins_of_house(outcome: Outcome) -> Twins:
    """What stays in the house beside what may leave."""
    assert outcome.details is not None
    report = outcome.report
    for spread in outcome.details.spread:
        guess = report.sensitive[spread.column].surest_guess
        yield f"surest guess of {spread.column}", spread.after.confidence, guess
        told = sum(own.records for own in spread.after.people_by_l)
        yield f"people of {spread.column}", told, report.rows.released
    shared = {own.column: own for own in report.who_pays or ()}
    for table in outcome.details.who_pays or ():
        if table.column in shared:
            yield f"who pays by {table.column}", table, shared[table.column]


def differences(twins: Twins) -> list[str]:
    return [
        words
        for name, one, other in twins
        if (words := find_difference(written(one), written(other), name))
    ]


def all_twins(report: Report) -> Twins:
    yield from twins_of_risk(report, "before")
    yield from twins_of_risk(report, "after")
    yield from twins_of_classes(report)
    yield from twins_of_models(report, "before", "achieved_before")
    yield from twins_of_models(report, "after", "achieved")
    yield from twins_of_cost(report)


# Rules that a method refuses, or that its example does not keep.
NOT_KEPT = {
    "none": ("k-anonymity", "k-map"),
    "microaggregation": ("k-anonymity",),
    "top-down": ("population-uniqueness",),
}


def with_population(method: dict[str, Any], table: Table) -> Plan:
    kind = METHODS[method["name"]]
    labelled = [AMONG_PEOPLE] if issubclass(kind, RecodingMethod) else []
    refused = NOT_KEPT.get(kind.name, ())
    rules = [own for own in (*RULES, *labelled) if own["model"] not in refused]
    asked = plan_for(method).to_document() | {"measures": MEASURES}
    town = town_of(table)
    asked["models"] = rules if kind.makes_classes else []
    return Plan.from_document(asked, read_file=lambda name: town)


@every_example
def test_figures_agree_with_each_other(method: dict[str, Any]) -> None:
    table = people(60, gaps=0.1)
    plan = with_population(method, table)
    outcome = protect(table, plan)
    if outcome.released is None or outcome.rows is None:
        assert method["name"] == "dp-table", "which shows nobody of so few"
        risk = outcome.report.risk.after
        assert (risk.journalist, risk.marketer, risk.sample_uniques) == (0, 0, 0)
        return
    assert differences(all_twins(outcome.report)) == []
    assert differences(twins_of_house(outcome)) == []
    if outcome.report.risk.details.after is not None and (outcome.rows != NOBODY).all():
        measured = assess(table, plan, outcome.released).risk
        assert differences(iter([("risk", measured.after, outcome.report.risk.after)])) == []


def test_a_figure_that_differs_is_found() -> None:
    table = people(60)
    report = protect(table, with_population({"name": "full-domain"}, table)).report
    names = [name for name, _, _ in all_twins(report)]
    assert len(names) > 60
    for place in ("journalist", "marketer", "sample_uniques"):
        changed = json.loads(json.dumps(report.to_document()))
        changed["risk"]["after"][place] += 0.1
        assert differences(all_twins(Report.from_document(changed)))
    measured = report.utility.to_document().values()
    assert np.isfinite([own for own in measured if own is not None]).all()
