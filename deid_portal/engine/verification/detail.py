"""Recompute the information loss of a release from its cells and the published taxonomies.

It is computed as in `publication/detail.py`: a label costs by its level and by the share of listed
values that it covers. A rule-based taxonomy lists no values, so the level of its labels is taken on
trust. Packages of earlier versions also have internal figures, which cannot be recomputed.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.privacy.k_anonymity import asked_k
from deid_portal.engine.publication.detail import BY_LABELS, measure_detail
from deid_portal.engine.publication.published_report import columns_of_several_levels
from deid_portal.engine.report import written
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.taxonomies import FileTaxonomy, FlatTaxonomy
from deid_portal.engine.utility import METRICS
from deid_portal.engine.utility.information_gain import measure_information_gain
from deid_portal.engine.utility.metric import ClassMetric
from deid_portal.engine.verification.claimed_release import ClaimedRelease
from deid_portal.engine.verification.claims import Claims

KEPT_BACK = "the recipe that says which taxonomy is whose was kept back"
OF_BEFORE = "it was measured against values of the original, which are not here"


def compare_claimed_columns(claimed: ClaimedRelease, claims: Claims) -> None:
    if not claimed.report.tells("columns"):
        return
    told = claimed.columns
    released = {name for name, own in told.items() if own.released}
    here = {name for name in claimed.table.names if name in claimed.roles}
    claims.hold(
        "columns.released",
        released == here,
        "report.json: the table has other columns than it says.",
    )
    gone = {name: own.distinct_after for name, own in told.items() if name not in here}
    claims.compare("values of removed columns", gone, dict.fromkeys(gone, 0))
    for name in sorted(released & here):
        _compare_column(claimed, claims, name, told[name])
    _compare_levels(claimed, claims, told)
    _compare_detail(claimed, claims, told)


def _compare_column(claimed: ClaimedRelease, claims: Claims, name: str, told: ColumnReport) -> None:
    found = int((claimed.table[name].counts > 0).sum())
    claims.compare(f"columns.{name}.distinct_after", told.distinct_after, found)
    is_hidden = told.level and told.level == told.height
    if is_hidden and name not in columns_of_several_levels(claimed.report.transformation):
        words = f"columns.{name}: said to be hidden, and it shows several values."
        claims.hold(f"columns.{name}.level", found <= 1, words)
    if name not in claimed.facts:
        nothing = {"level": None, "height": None, "loss": None}
        claims.compare(f"columns.{name}", told, nothing)


def _compare_levels(
    claimed: ClaimedRelease, claims: Claims, told: Mapping[str, ColumnReport]
) -> None:
    """Check that the levels in several places of a report agree, those of rounds included."""
    levels = claimed.report.transformation.levels
    found = {name: own.level for name, own in told.items() if own.level is not None}
    claims.compare("transformation.levels", levels, found)
    words = "transformation.levels: it names other columns than those with a level."
    claims.hold("transformation.levels of columns", set(levels) == set(found), words)
    rounds = claimed.report.transformation.rounds
    if rounds:
        shown = sum(own.records for own in rounds)
        claims.compare("transformation.rounds", shown, claimed.table.rows)
        claims.trust(
            "how many people each round shows",
            "labels do not tell in which round they were chosen",
            "transformation.rounds",
        )


def _compare_detail(
    claimed: ClaimedRelease, claims: Claims, told: Mapping[str, ColumnReport]
) -> None:
    """Compare levels and detail of every quasi-identifier, and of all of them together."""
    if not claimed.plan or claimed.is_of_before:
        why = OF_BEFORE if claimed.is_of_before else KEPT_BACK
        places = [f"columns.*.{key}" for key in ("level", "height", "loss")]
        claims.trust("detail lost", why, *places, *(f"utility.{name}" for name in BY_LABELS))
        return
    recipes = {name: claimed.recipe_of(name) or FlatTaxonomy() for name in claimed.facts}
    planned = claimed.plan["columns"]
    weights = {name: planned.get(name, {}).get("weight", 1.0) for name in recipes}
    levels = {name: told[name].level for name in recipes}
    found = measure_detail(recipes, weights, claimed.table, levels, claimed.left_out)
    for name, own in (found.columns or {}).items():
        claims.compare(f"columns.{name}", told[name], own)
    said = {name: own for name, own in _measures_of(claimed).items() if name in BY_LABELS}
    measured = written(found.utility)
    claims.compare("utility", said, measured)
    words = "utility: it says more of the detail lost than release and plan tell."
    claims.hold("detail of all columns", set(said) == set(measured), words)
    rules = [name for name, recipe in recipes.items() if not isinstance(recipe, FileTaxonomy)]
    if rules:
        claims.trust(
            f"the levels of {', '.join(rules)}",
            "their taxonomies are rules, and do not list the labels of each level",
            *(f"columns.{name}.level" for name in rules),
        )


def compare_utility(claimed: ClaimedRelease, claims: Claims) -> None:
    utility = _measures_of(claimed)
    if not utility:
        return
    sizes = claimed.measured.classes.sizes
    k = asked_k(model for model in claimed.models if model is not None)
    for name, metric in METRICS.items():
        if isinstance(metric, ClassMetric) and name in utility:
            found = metric.cost(sizes, claimed.left_out, k)
            claims.compare(f"utility.{name}", utility[name], found)
    before = written(claimed.report.utility_before) or {}
    same = {name: own.at_original for name, own in METRICS.items() if own.at_original is not None}
    claims.compare("utility_before", before, {k: own for k, own in same.items() if k in before})
    _compare_gain(claimed, claims, utility)


def _measures_of(claimed: ClaimedRelease) -> Mapping[str, Any]:
    """Return the claimed utility measures by name."""
    report = claimed.report
    return report.utility.to_document() if report.tells("utility") else {}


def _compare_gain(claimed: ClaimedRelease, claims: Claims, utility: Mapping[str, Any]) -> None:
    if "information_gain" not in utility:
        return
    wanted = claimed.plan.get("measures", {}).get("class_column")
    if wanted in claimed.table:
        others = [name for name in claimed.facts if name != wanted]
        gain = measure_information_gain(claimed.table, others, wanted).gain
        claims.compare("utility.information_gain", utility["information_gain"], gain)
    else:
        why = "the recipe that names its column was kept back"
        claims.trust("information gain", why, "utility.information_gain")
