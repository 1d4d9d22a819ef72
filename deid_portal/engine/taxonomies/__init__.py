"""Taxonomies: how the values of a column become coarser, level by level."""

from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies.dates import DateTaxonomy
from deid_portal.engine.taxonomies.edit_steps import apply_step, replay
from deid_portal.engine.taxonomies.files import FileTaxonomy, parse_rows, write_paths, write_rows
from deid_portal.engine.taxonomies.flat import FlatTaxonomy
from deid_portal.engine.taxonomies.groups import (
    ORDERS,
    group_by_quantiles,
    group_by_rules,
    group_neighbours,
    group_rare,
    parse_rules,
)
from deid_portal.engine.taxonomies.intervals import IntervalTaxonomy
from deid_portal.engine.taxonomies.json_files import is_json, parse_json, write_json
from deid_portal.engine.taxonomies.mask import MaskTaxonomy
from deid_portal.engine.taxonomies.outline import Branch, Outline
from deid_portal.engine.taxonomies.pasted_tree import looks_like_columns, parse_pasted
from deid_portal.engine.taxonomies.placement import propose_places
from deid_portal.engine.taxonomies.proposal import TaxonomyProposal, suggest_taxonomy
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.ruler import GroupStart, Ruler, lay_ruler
from deid_portal.engine.taxonomies.taxonomy import (
    LevelEffect,
    Taxonomy,
    TaxonomyNode,
    effect_of_levels,
    effect_on_counts,
)
from deid_portal.engine.taxonomies.tree import TreeTaxonomy

RECIPES: dict[str, type[Recipe]] = {
    recipe.kind: recipe
    for recipe in (FileTaxonomy, MaskTaxonomy, DateTaxonomy, IntervalTaxonomy, TreeTaxonomy)
}

__all__ = [
    "ORDERS",
    "RECIPES",
    "Branch",
    "DateTaxonomy",
    "FileTaxonomy",
    "FlatTaxonomy",
    "GroupStart",
    "IntervalTaxonomy",
    "LevelEffect",
    "MaskTaxonomy",
    "Outline",
    "Recipe",
    "Ruler",
    "Taxonomy",
    "TaxonomyNode",
    "TaxonomyProposal",
    "TreeTaxonomy",
    "apply_step",
    "effect_of_levels",
    "effect_on_counts",
    "group_by_quantiles",
    "group_by_rules",
    "group_neighbours",
    "group_rare",
    "is_json",
    "lay_ruler",
    "looks_like_columns",
    "parse_json",
    "parse_pasted",
    "parse_recipe",
    "parse_rows",
    "parse_rules",
    "propose_places",
    "replay",
    "suggest_taxonomy",
    "write_json",
    "write_paths",
    "write_rows",
]


def parse_recipe(place: Place, read_file: ReadFile | None = None) -> Recipe:
    """Read a taxonomy entry of a plan: an object with the one key that names its kind."""
    place.check_object()
    kinds = [kind for kind in place.value if kind in RECIPES]
    if len(kinds) != 1:
        place.refuse(f"exactly one of {', '.join(RECIPES)} is needed.")
    return RECIPES[kinds[0]].parse(place, read_file)
