"""Initial values of builders: the taxonomy in force, else a suggestion for the values."""

import math
from typing import Any

from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind
from deid_portal.taxonomies.selectors import taxonomy_of
from deid_portal.taxonomies.typed_tree import write_typed_tree

# Trees are typed for small columns only; larger ones are uploaded as files.
VALUES_TYPED = 200


def initial_of(column: DatasetColumn, kind: str) -> dict[str, Any]:
    taxonomy = taxonomy_of(column)
    if taxonomy is not None and taxonomy.kind == kind:
        return _from_recipe(taxonomy)
    if kind == TaxonomyKind.TREE:
        return {"tree": _one_group_of(column)}
    if kind == TaxonomyKind.INTERVALS:
        return _intervals_for(column)
    return {}


def _from_recipe(taxonomy: ColumnTaxonomy) -> dict[str, Any]:
    recipe = taxonomy.recipe
    if taxonomy.kind == TaxonomyKind.TREE:
        return {"tree": write_typed_tree(recipe["tree"])}
    if taxonomy.kind == TaxonomyKind.INTERVALS:
        widen = ", ".join(str(factor) for factor in recipe["intervals"]["widen"])
        return {**recipe["intervals"], "widen": widen}
    if taxonomy.kind == TaxonomyKind.MASK:
        return {"side": recipe["mask"]["from"]}
    if taxonomy.kind == TaxonomyKind.DATES:
        levels, day = recipe["dates"], recipe.get("as_of")
        return {"ages": levels, "as_of": day} if day else {"units": levels}
    return {}


def _one_group_of(column: DatasetColumn) -> str:
    """Write every value under one root, for the steward to sort into groups."""
    if column.distinct > VALUES_TYPED:
        return ""
    texts = sorted(text for text in values_of(column).values if text is not None)
    return write_typed_tree({"*": texts}) if texts else ""


def _intervals_for(column: DatasetColumn) -> dict[str, Any]:
    """Cut the range into about twenty intervals, 1, 2 or 5 times a power of ten wide."""
    low, high = column.profile.get("minimum"), column.profile.get("maximum")
    if low is None or high is None or not math.isfinite(high - low) or high <= low:
        return {}
    rough = (high - low) / 20
    power = 10.0 ** len(str(int(rough))) / 10 if rough >= 1 else 1.0
    width = next((step * power for step in (1, 2, 5, 10) if step * power >= rough), rough)
    start = int(low // width * width)
    return {"start": start, "width": int(width) if width >= 1 else width, "widen": "2, 2, 2"}
