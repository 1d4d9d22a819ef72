"""Compute again how much detail a release lost, from its cells and the shape of its taxonomies.

A label costs by the share of all leaves that stand under it. How many do is told by the taxonomies
in the package and, for every column, by `taxonomies/shapes.json`; where both tell it, they must
agree. A taxonomy that is a rule lists no values: how many of the original stand behind its labels
is taken on trust, and only held against what is possible.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deid_portal.engine.publishing import SHAPES
from deid_portal.engine.taxonomies import FileTaxonomy
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL
from deid_portal.engine.utility import METRICS, SeparableMetric
from deid_portal.engine.utility.information_gain import measure_information_gain
from deid_portal.engine.utility.metric import ClassMetric
from deid_portal.engine.utility.shapes import EXACT, ColumnShape
from deid_portal.engine.verifying.claimed import Claimed
from deid_portal.engine.verifying.claims import Claims
from deid_portal.engine.verifying.dictionary import mixed_columns

BY_LABELS = ("loss", "iloss", "precision")
# Nothing is made coarser before a release is made.
BEFORE = {"loss": 0.0, "iloss": 0.0, "precision": 1.0, "entropy": 0.0}
NOT_STATED = "what the labels stand for is not in the package"


def compare_columns(claimed: Claimed, claims: Claims) -> None:
    told = claimed.report.get("columns")
    if told is None:
        return
    released = {name for name, own in told.items() if own.get("released")}
    here = {name for name in claimed.table.names if name in claimed.roles}
    claims.hold(
        "columns.released",
        released == here,
        "report.json: the table has other columns than it says.",
    )
    gone = {name: own.get("distinct_after") for name, own in told.items() if name not in here}
    claims.compare("values of removed columns", gone, dict.fromkeys(gone, 0))
    for name in sorted(released & here):
        _compare_column(claimed, claims, name, told[name])
    _trust_rules(claimed, claims)
    _compare_levels(claimed, claims, told)


def _compare_column(claimed: Claimed, claims: Claims, name: str, told: Mapping[str, Any]) -> None:
    column = claimed.table[name]
    found = int((column.counts > 0).sum())
    claims.compare(f"columns.{name}.distinct_after", told.get("distinct_after"), found)
    is_hidden = told.get("level") and told["level"] == told.get("height")
    if is_hidden and name not in mixed_columns(claimed.report):
        words = f"columns.{name}: said to be hidden, and it shows several values."
        claims.hold(f"columns.{name}.level", found <= 1, words)
    if name not in claimed.facts:
        nothing = {"level": None, "height": None, "loss": None}
        claims.compare(f"columns.{name}", {key: told.get(key) for key in nothing}, nothing)
    elif name in claimed.shapes:
        _compare_shape(claimed, claims, name, told)
    else:
        claims.trust(
            f"detail lost in {name}",
            NOT_STATED,
            f"columns.{name}.loss",
            f"columns.{name}.level",
            f"columns.{name}.height",
        )


def _compare_levels(claimed: Claimed, claims: Claims, told: Mapping[str, Any]) -> None:
    """The levels stand in two places of a report, and those of rounds beside them."""
    transformation = claimed.report.get("transformation", {})
    levels = transformation.get("levels", {})
    found = {name: own["level"] for name, own in told.items() if own.get("level") is not None}
    claims.compare("transformation.levels", levels, found)
    words = "transformation.levels: it names other columns than those with a level."
    claims.hold("transformation.levels of columns", set(levels) == set(found), words)
    rounds = transformation.get("rounds")
    if rounds:
        shown = sum(own["records"] for own in rounds)
        claims.compare("transformation.rounds", shown, claimed.table.rows)
        claims.trust(
            "how many people each round shows",
            "labels do not tell in which round they were chosen",
            "transformation.rounds",
        )


def _compare_shape(claimed: Claimed, claims: Claims, name: str, told: Mapping[str, Any]) -> None:
    shape, column = claimed.shapes[name], claimed.table[name]
    found: dict[str, Any] = {
        "height": shape.height,
        "loss": shape.costs(column, claimed.left_out)["loss"],
    }
    is_mixed = name in mixed_columns(claimed.report)
    if not is_mixed:
        levels = {shape.labels.get(label, EXACT)[1] for label in column.values}
        found["level"] = levels.pop() if len(levels) == 1 else None
    claims.compare(f"columns.{name}", told, found)
    words = f"{SHAPES}: what it says of {name} cannot be."
    claims.hold(f"shape of {name}", _is_possible(shape), words)
    recipe = claimed.recipe_of(name)
    if isinstance(recipe, FileTaxonomy):
        wrong = _differing(shape, recipe, column.values, is_strict=not is_mixed)
        words = f"{SHAPES}: {wrong:,} labels of {name} are not as its taxonomy has them."
        claims.hold(f"taxonomy of {name}", not wrong, words)


def _trust_rules(claimed: Claimed, claims: Claims) -> None:
    """List the columns of which nothing but the portal says how many values its labels hide."""
    names = [
        name
        for name in claimed.facts
        if name in claimed.shapes and not isinstance(claimed.recipe_of(name), FileTaxonomy)
    ]
    if names:
        claims.trust(
            f"how many values stand behind the labels of {', '.join(names)}",
            "their taxonomies are rules, and the values they were applied to are not here"
            if claimed.plan
            else "the recipe that says which taxonomy is whose was kept back",
        )


def _is_possible(shape: ColumnShape) -> bool:
    """Say whether labels of a column with so many leaves could stand for what is said of them.

    Labels that a method made itself, such as ranges, may overlap, so they are not added up.
    """
    return shape.leaves > 0 and all(
        1 <= leaves <= shape.leaves and 0 <= level <= shape.height
        for leaves, level in shape.labels.values()
    )


def _differing(
    shape: ColumnShape, recipe: FileTaxonomy, labels: Sequence[str | None], *, is_strict: bool
) -> int:
    """Count the labels that stand for another number of leaves in the taxonomy.

    Those that the taxonomy has not at all were made by the method, or stand on a level that is
    numbered in public; strict means that neither can be.
    """
    paths = [row for row in recipe.rows if row[0]]
    above = len(recipe.rows[0]) - 1
    root = recipe.rows[0][-1] if above else ROOT_LABEL
    if shape.leaves > len(paths):  # the column has gaps
        paths = [*paths, ("", *(label or "" for label in recipe.gap_path(above, root)))]
    if shape.leaves != len(paths) or shape.height != above:
        return len(labels)
    under = [Counter(level) for level in zip(*paths, strict=True)]
    wrong = 0
    for label in labels:
        leaves, level = shape.labels.get(label, EXACT)
        found = under[level][label or ""]
        wrong += found != leaves and bool(found or (is_strict and level))
    return wrong


def compare_utility(claimed: Claimed, claims: Claims) -> None:
    utility, report = claimed.report.get("utility"), claimed.report
    if utility is None:
        return
    sizes = claimed.measured.classes.sizes
    asked = [own.get("k", 1) for own in report["models"] if own["model"] == "k-anonymity"]
    for name, metric in METRICS.items():
        if isinstance(metric, ClassMetric) and name in utility:
            found = metric.cost(sizes, claimed.left_out, asked[0] if asked else 1)
            claims.compare(f"utility.{name}", utility[name], found)
    _compare_detail(claimed, claims, utility)
    before = report.get("utility_before", {})
    claims.compare("utility_before", before, {k: own for k, own in BEFORE.items() if k in before})
    _compare_gain(claimed, claims, utility)


def _compare_detail(claimed: Claimed, claims: Claims, utility: Mapping[str, Any]) -> None:
    """Compare the detail lost in all columns together."""
    found = _detail_by_shapes(claimed) or _detail_by_levels(claimed)
    for name in BY_LABELS:
        if name not in utility:
            continue
        if name in found:
            claims.compare(f"utility.{name}", utility[name], found[name])
        else:
            why = NOT_STATED if claimed.plan else "the recipe that weighs the columns was kept back"
            claims.trust(f"{name} of all columns together", why, f"utility.{name}")


def _detail_by_shapes(claimed: Claimed) -> dict[str, float]:
    """Return nothing where a column has no shape; without the plan, weights are not known."""
    facts = claimed.facts
    if not facts or any(name not in claimed.shapes for name in facts):
        return {}
    costs = [claimed.shapes[name].costs(claimed.table[name], claimed.left_out) for name in facts]
    planned = claimed.plan.get("columns", {})
    weights = np.array([planned.get(name, {}).get("weight", 1.0) for name in facts])
    found = {}
    for name in BY_LABELS if claimed.plan else ("precision",):
        metric = METRICS[name]
        assert isinstance(metric, SeparableMetric)  # noqa: S101 - all of them are
        total = metric.factors(weights) @ np.array([own[name] for own in costs])
        found[name] = metric.value_of_cost(float(total))
    return found


def _detail_by_levels(claimed: Claimed) -> dict[str, float]:
    """Compute precision from the stated levels; nothing where columns show several at once."""
    report = claimed.report
    columns = [report["columns"].get(name, {}) for name in claimed.facts]
    is_mixed = bool(mixed_columns(report)) or any(own.get("level") is None for own in columns)
    if not columns or is_mixed:
        return {}
    released, left_out = int(report["rows"]["released"]), claimed.left_out
    total = max(released + left_out, 1)
    costs = [
        (released * own["level"] / max(own.get("height") or 0, 1) + left_out) / total
        for own in columns
    ]
    return {"precision": 1 - float(np.mean(costs))}


def _compare_gain(claimed: Claimed, claims: Claims, utility: Mapping[str, Any]) -> None:
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
