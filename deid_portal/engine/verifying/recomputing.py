"""Compute the claims of a report again, from the released cells alone.

The released table is measured as if it were an original that nothing is done to: its groups are the
groups of the release. Everything that compares with the original is listed as taken on trust,
except where nobody was left out and nothing was moved, so that the release has the distribution of
the original.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import EngineError
from deid_portal.engine.grouping import Patterns, reduce_table
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS, PrivacyModel, parse_model
from deid_portal.engine.problem import Problem
from deid_portal.engine.progress import Progress
from deid_portal.engine.recoding import Recoding, Round
from deid_portal.engine.reporting import Measured, measure_recoding
from deid_portal.engine.risk.classes import bin_sizes, measure_risk, summarize_sizes
from deid_portal.engine.risk.guesses import measure_surest_guess
from deid_portal.engine.risk.safe_harbor import check_safe_harbor
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.table import Table
from deid_portal.engine.taxonomies import FlatTaxonomy, Recipe, parse_recipe
from deid_portal.engine.utility import METRICS
from deid_portal.engine.utility.information_gain import measure_information_gain
from deid_portal.engine.utility.metric import ClassMetric
from deid_portal.engine.verifying.claims import Claims
from deid_portal.engine.verifying.dictionary import mixed_columns

ReadFile = Callable[[str], bytes]
# Measured against the distribution of the original.
AGAINST_THE_ORIGINAL = ("t-closeness", "beta-likeness", "delta-disclosure")
# Measured with rows of the original, with another table, or with labels that were not released.
NEEDS_MORE = {
    "k-map": "it counts people of a population table",
    "delta-presence": "it counts people of a population table",
    "k-confusion": "it compares with the rows of the original",
    "k-concealment": "it compares with the rows of the original",
    "interval-disclosure": "it compares with the numbers of the original",
    "c-t-isolation": "it measures distances in the original",
    "personalized-privacy": "it needs what each person allows",
    "result-privacy": "it compares with results on the original",
}
MEASURED_KEYS = ("holds", "achieved", "achieved_before")
GROUPING_METHODS = ("bucketization", "permutation")


@dataclass(frozen=True, eq=False)
class Claimed:
    """A released table beside the report about it; `plan` is empty where it was kept back."""

    table: Table
    report: Mapping[str, Any]
    plan: Mapping[str, Any]
    read_file: ReadFile

    @cached_property
    def roles(self) -> dict[str, str]:
        told = self.report.get("columns") or self.plan.get("columns") or {}
        return {name: own.get("role") or "" for name, own in told.items()}

    def names_of(self, role: str) -> list[str]:
        return [name for name in self.table.names if self.roles.get(name) == role]

    @cached_property
    def facts(self) -> list[str]:
        return self.names_of("quasi-identifier")

    @cached_property
    def steps(self) -> list[str]:
        steps = self.report.get("transformation", {}).get("steps", [])
        return [str(step.get("method")) for step in steps]

    @cached_property
    def group_column(self) -> str | None:
        """The column that says who is in a group, where equal cells do not."""
        if not any(name in GROUPING_METHODS for name in self.steps):
            return None
        made = [name for name in self.table.names if name not in self.roles]
        return made[-1] if made else None

    @property
    def groups(self) -> list[str]:
        """The columns that make a group: the facts, unless the method numbered its groups."""
        return [self.group_column] if self.group_column else self.facts

    @cached_property
    def keeps_the_distribution(self) -> bool:
        """True when the release has the sensitive values of the original, all and no others."""
        rows = self.report["rows"]
        is_whole = not rows.get("suppressed", 1) and not rows.get("not_drawn", 0)
        return is_whole and not any(
            METHODS[name].moves_cells or METHODS[name].is_private
            for name in self.steps
            if name in METHODS
        )

    @cached_property
    def look_alikes(self) -> Patterns:
        """The people with equal cells in everything the recipient may know."""
        return reduce_table(self.table, self.facts, (), Progress(None))

    @cached_property
    def models(self) -> list[PrivacyModel | None]:
        """The rules as the report names them; None for one that cannot be read."""
        return [self._parse(entry) for entry in self.report.get("models", [])]

    def _parse(self, entry: Mapping[str, Any]) -> PrivacyModel | None:
        rule = {key: own for key, own in entry.items() if key not in MEASURED_KEYS}
        if rule.get("model") in NEEDS_MORE:
            return None
        try:
            return parse_model(Place(rule), self.read_file)
        except (EngineError, OSError, KeyError, TypeError):
            return None

    @cached_property
    def measured(self) -> Measured:
        readable = [model for model in self.models if model is not None]
        counted = [m for m in readable if all(name in self.table for name in m.counted_columns)]
        groups = self.groups
        problem = Problem.pose(
            self.table,
            {name: FlatTaxonomy() for name in groups},
            dict.fromkeys(groups, 1.0),
            counted,
            self._recipes(),
            Progress(None),
        )
        everyone = np.ones(len(problem.patterns.counts), np.bool_)
        return measure_recoding(Recoding(problem, (Round((0,) * len(groups), everyone),)))

    def _recipes(self) -> dict[str, Recipe | None]:
        """The taxonomies of sensitive columns, where the plan was published."""
        columns = self.plan.get("columns", {})
        return {
            name: parse_recipe(Place(columns[name]["taxonomy"]), self.read_file)
            for name in self.names_of("sensitive")
            if "taxonomy" in columns.get(name, {})
        }


def recompute(claimed: Claimed, claims: Claims) -> None:
    """Hold every number of the report that the table decides against the table."""
    _compare_with_plan(claimed, claims)
    _compare_rows(claimed, claims)
    _compare_risk(claimed, claims)
    _compare_models(claimed, claims)
    _compare_columns(claimed, claims)
    _compare_utility(claimed, claims)
    _list_what_is_trusted(claimed.report, claims)


def _compare_with_plan(claimed: Claimed, claims: Claims) -> None:
    """Roles and rules decide what is counted, so a report may not have its own."""
    if not claimed.plan:
        return
    told = claimed.report.get("columns") or {}
    planned = {n: own["role"] for n, own in claimed.plan["columns"].items() if n in told}
    said = {name: told[name].get("role") for name in planned}
    words = "report.json: a column has another role than in plan.json."
    claims.hold("roles of the plan", said == planned, words)
    rules = [
        {key: own for key, own in entry.items() if key not in MEASURED_KEYS}
        for entry in claimed.report.get("models", [])
    ]
    if "models" in claimed.report:
        words = "report.json: its rules are not those of plan.json."
        claims.hold("rules of the plan", rules == claimed.plan["models"], words)


def _compare_rows(claimed: Claimed, claims: Claims) -> None:
    report, sizes = claimed.report, claimed.measured.classes.sizes
    claims.compare("rows.released", report["rows"].get("released"), claimed.table.rows)
    found = {**summarize_sizes(sizes), "bins": bin_sizes(sizes)}
    claims.compare("classes", report.get("classes"), found)


def _compare_risk(claimed: Claimed, claims: Claims) -> None:
    risk = claimed.report["risk"]
    sizes = claimed.look_alikes.counts
    claims.compare("risk.after", risk.get("after"), measure_risk(sizes))
    details = risk.get("details", {}).get("after")
    if details is not None and claimed.facts:
        threshold = details.get("prosecutor", {}).get("threshold", 0.2)
        found = summarize_risk(claimed.look_alikes, threshold=threshold)
        is_bound = details.get("journalist", {}).get("is_bound", True)
        if not is_bound:
            claims.trust("risk of the journalist", "it counts people of a population table")
            for name in ("journalist", "marketer", "sample_uniques"):
                found.pop(name)
        claims.compare("risk.details.after", details, _plain(found))
    if "safe_harbor" in risk:
        found_kinds = sorted((f.column, f.identifier) for f in _findings(claimed.table))
        said = sorted((own["column"], own["identifier"]) for own in risk["safe_harbor"])
        claims.hold(
            "risk.safe_harbor", said == found_kinds, "risk.safe_harbor: other columns were found."
        )
    for name, own in claimed.report.get("sensitive", {}).items():
        if name in claimed.table:
            guesses = measure_surest_guess(claimed.table, claimed.groups, [name], Progress(None))
            claims.compare(f"sensitive.{name}.surest_guess", own.get("surest_guess"), guesses[name])


def _findings(table: Table) -> Sequence[Any]:
    return check_safe_harbor(table).findings


def _plain(document: Any) -> Any:
    """Return a document as JSON would give it back."""
    if isinstance(document, Mapping):
        return {str(key): _plain(own) for key, own in document.items()}
    if isinstance(document, list | tuple):
        return [_plain(own) for own in document]
    return document


def _compare_models(claimed: Claimed, claims: Claims) -> None:
    for place, entry in enumerate(claimed.report.get("models", [])):
        _compare_model(claimed, claims, place, entry)


def _compare_model(claimed: Claimed, claims: Claims, place: int, entry: Mapping[str, Any]) -> None:
    name, model = str(entry.get("model")), claimed.models[place]
    column = f" of {entry['column']}" if "column" in entry else ""
    if why := _why_not(claimed, model, name):
        claims.trust(f"{name}{column}", f"{why}{_against_the_release(claimed, model)}")
        return
    assert model is not None  # noqa: S101 - `_why_not` has said so
    classes, whole = claimed.measured.classes, claimed.measured.whole
    try:
        passes = bool(len(classes.sizes)) and bool(model.passes(classes, whole).all())
        found = {
            "achieved": model.achieved(classes, whole),
            "holds": passes and model.accepts(classes, whole),
        }
    except EngineError:
        claims.trust(f"{name}{column}", "it looks for labels that this release does not show")
        return
    claims.compare(f"models.{place}", entry, _plain(found))
    claims.hold(
        f"{name}{column} holds", bool(found["holds"]), f"{name}{column}: the rule does not hold."
    )


def _against_the_release(claimed: Claimed, model: PrivacyModel | None) -> str:
    """Say what a rule about the original reaches where the release takes its place."""
    if model is None or model.name not in AGAINST_THE_ORIGINAL:
        return ""
    if model.needs_taxonomy and not claimed.plan:
        return ""
    reached = model.achieved(claimed.measured.classes, claimed.measured.whole)
    figures = ", ".join(f"{name} {own:.4g}" for name, own in reached.items())
    return f"; compared with the release itself it is {figures}"


def _why_not(claimed: Claimed, model: PrivacyModel | None, name: str) -> str:
    """Return why a rule cannot be measured on the release; nothing where it can."""
    if name in NEEDS_MORE:
        return NEEDS_MORE[name]
    if model is None:
        known = name in MODELS
        return "it names files that are not in the package" if known else "it is not known here"
    gone = [own for own in model.counted_columns if own not in claimed.table]
    if gone:
        return f'it counts the column "{gone[0]}", which was not released'
    if name in AGAINST_THE_ORIGINAL and not claimed.keeps_the_distribution:
        return "it compares with the distribution of the original, people left out included"
    if model.needs_taxonomy and not claimed.plan:
        return "it needs the taxonomy that the recipe names, and the recipe was kept back"
    return ""


def _compare_columns(claimed: Claimed, claims: Claims) -> None:
    told = claimed.report.get("columns")
    if told is None:
        return
    released = {name for name, own in told.items() if own.get("released")}
    here = {name for name in claimed.table.names if name in claimed.roles}
    mixed = mixed_columns(claimed.report)
    claims.hold(
        "columns.released",
        released == here,
        "report.json: the table has other columns than it says.",
    )
    for name in sorted(released & here):
        column = claimed.table[name]
        found = int((column.counts > 0).sum())
        claims.compare(f"columns.{name}.distinct_after", told[name].get("distinct_after"), found)
        is_hidden = told[name].get("level") and told[name]["level"] == told[name].get("height")
        if is_hidden and name not in mixed:
            words = f"columns.{name}: said to be hidden, and it shows several values."
            claims.hold(f"columns.{name}.level", found <= 1, words)


def _compare_utility(claimed: Claimed, claims: Claims) -> None:
    utility, report = claimed.report.get("utility"), claimed.report
    if utility is None:
        return
    sizes = claimed.measured.classes.sizes
    left_out = int(report["rows"].get("suppressed", 0))
    asked = [own.get("k", 1) for own in report["models"] if own["model"] == "k-anonymity"]
    for name, metric in METRICS.items():
        if isinstance(metric, ClassMetric) and name in utility:
            found = metric.cost(sizes, left_out, asked[0] if asked else 1)
            claims.compare(f"utility.{name}", utility[name], found)
    precision = _precision(report, claimed.facts, left_out)
    if precision is not None and "precision" in utility:
        claims.compare("utility.precision", utility["precision"], precision)
    wanted = claimed.plan.get("measures", {}).get("class_column")
    if wanted in claimed.table and "information_gain" in utility:
        others = [name for name in claimed.facts if name != wanted]
        gain = measure_information_gain(claimed.table, others, wanted).gain
        claims.compare("utility.information_gain", utility["information_gain"], gain)


def _precision(report: Mapping[str, Any], facts: Sequence[str], left_out: int) -> float | None:
    """Compute precision from the stated levels; None where columns show several at once."""
    columns = [report["columns"].get(name, {}) for name in facts]
    is_mixed = bool(mixed_columns(report)) or any(own.get("level") is None for own in columns)
    if not columns or is_mixed:
        return None
    released = int(report["rows"]["released"])
    total = max(released + left_out, 1)
    costs = [
        (released * own["level"] / max(own.get("height") or 0, 1) + left_out) / total
        for own in columns
    ]
    return 1 - float(np.mean(costs))


def _list_what_is_trusted(report: Mapping[str, Any], claims: Claims) -> None:
    if "before" in report["risk"]:
        claims.trust("every risk before", "it is about the original")
    if "suppressed" in report["rows"]:
        claims.trust("how many people were left out", "they are not here to be counted")
    if "utility" in report:
        claims.trust(
            "detail lost (loss, iloss, entropy, ambiguity, divergence)",
            "it compares with the values of the original",
        )
    if "comparison" in report:
        claims.trust("how distributions changed", "they are compared with the original")
    if "attacks" in report:
        claims.trust("attacks in the report", "they are scored with the original")
