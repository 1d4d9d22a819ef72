"""Information loss of a release, as computed from the release and its published plan only.

Internal figures are relative to the values of the original, also of suppressed records, so they
must not be published. A published taxonomy that lists values tells how many of them a label covers.
A rule-based taxonomy tells the level of a label, but not how many values of the original it
covers: such a column has a precision, but a loss only if it is shown exactly or suppressed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.report.detail import ColumnDetail, DetailMeasures, PublishedDetail
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, Taxonomy
from deid_portal.engine.utility import METRICS, SeparableMetric
from deid_portal.engine.utility.shown import find_labels

Label = str | None
BY_LABELS = ("loss", "iloss", "precision")


@dataclass(frozen=True)
class ColumnCosts:
    """A released column on its level, which is None where the published plan does not tell."""

    level: int | None
    height: int
    level_name: str | None
    costs: Mapping[str, float]  # by metric, of those that can be computed

    @property
    def detail(self) -> ColumnDetail:
        return ColumnDetail(self.level, self.height, self.level_name, self.costs.get("loss"))


def measure_detail(
    recipes: Mapping[str, Recipe],
    weights: Mapping[str, float],
    released: Table,
    levels: Mapping[str, int | None],
    left_out: int,
) -> PublishedDetail:
    """Return what a report says of levels and detail, from taxonomies as published.

    `recipes` are those of the quasi-identifiers; `levels` has the columns whose labels are all of
    one level. Suppressed records count as a complete loss.
    """
    found = {
        name: _measure(recipe, released[name], levels.get(name), left_out)
        for name, recipe in recipes.items()
        if name in released
    }
    costs = [own.costs for own in found.values()]
    return PublishedDetail(
        columns={name: own.detail for name, own in found.items()},
        utility=_add_up(costs, [weights[name] for name in found]),
    )


def _add_up(costs: Sequence[Mapping[str, float]], weights: Sequence[float]) -> DetailMeasures:
    """Return the weighted metrics over all columns, of those that are known for every column."""
    found = {}
    for name in BY_LABELS:
        metric = METRICS[name]
        assert isinstance(metric, SeparableMetric)  # noqa: S101 - true for all of BY_LABELS
        if costs and all(name in own for own in costs):
            factors = metric.factors(np.array(weights, np.float64))
            total = factors @ np.array([own[name] for own in costs])
            found[name] = metric.value_of_cost(float(total))
    return DetailMeasures(**found)


def _measure(recipe: Recipe, column: Column, level: int | None, left_out: int) -> ColumnCosts:
    if isinstance(recipe, FileTaxonomy):
        return _measure_listed(_listed(recipe, column), column, level, left_out)
    return _measure_rule(recipe, column, level, left_out)


def _listed(recipe: FileTaxonomy, column: Column) -> Taxonomy:
    """Build the taxonomy from its listed values, with the missing value if the release has any."""
    return recipe.build(Column.from_cells(column.name, [None] if column.missing else []))


def _measure_listed(
    taxonomy: Taxonomy, column: Column, level: int | None, left_out: int
) -> ColumnCosts:
    shown = [column.values[code] for code in np.flatnonzero(column.counts)]
    places = _find_places(taxonomy, shown, level)
    name = None if level is None else taxonomy.level_names[level]
    costs = _costs_by_leaves(taxonomy, column, places, left_out) if places else {}
    return ColumnCosts(level, taxonomy.height, name, costs)


def _find_places(
    taxonomy: Taxonomy, shown: Sequence[Label], level: int | None
) -> dict[Label, tuple[int, int]]:
    """Return level and code of every label; empty if a label is not in the taxonomy."""
    if level is None:
        found = find_labels(taxonomy, shown)
    else:
        codes = {label: code for code, label in enumerate(taxonomy.labels[level])}
        found = {label: (level, codes[label]) for label in shown if label in codes}
    return found if len(found) == len(shown) else {}


def _costs_by_leaves(
    taxonomy: Taxonomy, column: Column, places: Mapping[Label, tuple[int, int]], left_out: int
) -> dict[str, float]:
    used = np.flatnonzero(column.counts)
    found = [places[column.values[code]] for code in used]
    leaves = np.array([taxonomy.leaves[level][code] for level, code in found], np.float64)
    levels = np.array([level for level, _ in found], np.float64)
    counts, everything = column.counts[used].astype(np.float64), taxonomy.leaf_count

    def mean(costs: Numbers, hidden: float) -> float:
        return (float(costs @ counts) + hidden * left_out) / max(column.rows + left_out, 1)

    return {
        "loss": mean((leaves - 1) / max(everything - 1, 1), 1.0),
        "iloss": mean((leaves - 1) / everything, (everything - 1) / everything),
        "precision": mean(levels / max(taxonomy.height, 1), 1.0),
    }


def _measure_rule(recipe: Recipe, column: Column, level: int | None, left_out: int) -> ColumnCosts:
    """Report the level for rule-based taxonomies.

    The share of values is known only for exact and suppressed cells.
    """
    names = recipe.level_names(column) or ("exact", "hidden")
    height = len(names) - 1
    if level is None:
        return ColumnCosts(None, height, None, {})
    if level >= height and int((column.counts > 0).sum()) > 1:
        # The rule masks all characters of the longest label, and labels differ in length.
        names = (
            *names[:-1],
            *(f"{hidden} hidden" for hidden in range(height, level + 1)),
            "hidden",
        )
        height = level + 1
    level = min(level, height)

    def mean(cost: float) -> float:
        return (column.rows * cost + left_out) / max(column.rows + left_out, 1)

    costs = {"precision": mean(level / max(height, 1))}
    if level in (0, height):
        costs["loss"] = mean(float(level > 0))
    return ColumnCosts(level, height, names[level], costs)
