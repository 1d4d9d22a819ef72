"""Sources of value lists for declaring the domain of a column.

What must never happen: a list is filled from the table unnoticed, since it would reveal which
values occur. So nothing is filled in automatically; lists of the shelf are public; and the column's
own tree, which may have been made from the table, is used only if the steward asks for it, after a
warning.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.models import ColumnRoleChoices, DatasetColumn
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.label_order import order_of_labels
from deid_portal.engine.taxonomies.library import SHELF
from deid_portal.taxonomies.library import shelf_entry_of
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind
from deid_portal.taxonomies.selectors import outline_of, read_recipe
from deid_portal.web.refusals import Refused

OWN_TREE = "tree"
# Builders that keep the order in which values were written.
WRITTEN = (TaxonomyKind.TREE, TaxonomyKind.FILE)
PUBLIC_ROLES = (
    ColumnRoleChoices.QUASI_IDENTIFIER,
    ColumnRoleChoices.SENSITIVE,
    ColumnRoleChoices.INSENSITIVE,
)


@dataclass(frozen=True)
class Source:
    key: str
    label: str


def shelf_sources() -> list[Source]:
    return [Source(f"shelf-{entry.slug}", entry.name) for entry in SHELF.values() if entry.is_list]


def public_domains(columns: Iterable[DatasetColumn]) -> dict[int, dict[str, Any]]:
    """Return what columns may hold, by position, where everybody knows it: fields of the form.

    That is so of tagged columns with a taxonomy of the shelf as it came, lists that somebody
    publishes and ages, and of trees that were written down and whose labels the steward declared
    public. Trees made from this table name what occurs in it.
    """
    by_id = {column.pk: column for column in columns if column.role in PUBLIC_ROLES}
    taxonomies = ColumnTaxonomy.objects.filter(column__in=by_id).select_related("version")
    found: dict[int, dict[str, Any]] = {}
    for taxonomy in taxonomies:
        entry = shelf_entry_of(taxonomy)
        place = by_id[taxonomy.column_id].position
        if entry is None:
            if taxonomy.public_labels and (written := _written_order(taxonomy)):
                found[place] = {"kind": "list", "values": "\n".join(written)}
        elif entry.is_list:
            found[place] = {"kind": "list", "values": "\n".join(entry.shown())}
        elif entry.bounds is not None:
            low, high = entry.bounds
            found[place] = {"kind": "whole", "low": str(low), "high": str(high)}
    return found


def has_own_tree(column: DatasetColumn) -> bool:
    return ColumnTaxonomy.objects.filter(column=column, version__isnull=False).exists()


def values_from(column: DatasetColumn, key: str) -> list[str]:
    """Return the values of a shelf list, or of the column's tree; the gap is left out."""
    if key == OWN_TREE:
        return _values_of_tree(column)
    entry = SHELF.get(key.removeprefix("shelf-"))
    if entry is None or not entry.is_list:
        raise Refused("There is no such list of values.")
    return list(entry.shown())


def _values_of_tree(column: DatasetColumn) -> list[str]:
    taxonomy = ColumnTaxonomy.objects.filter(column=column).select_related("version").first()
    outline = outline_of(taxonomy.version) if taxonomy and taxonomy.version else None
    if taxonomy is None or outline is None:
        raise Refused(f"{column.name} has no tree that could be read here.")
    labels = {branch.label for branch in outline.values() if branch.label}
    written = [label for label in _written_order(taxonomy) if label in labels]
    if len(written) == len(labels):
        return written
    ranges = order_of_labels(labels)
    return sorted(labels, key=ranges.__getitem__ if ranges else str)


def _written_order(taxonomy: ColumnTaxonomy) -> list[str]:
    """Return the values of a tree that somebody typed or brought in a file, in their order.

    All other trees list values as the table does, and what comes first there is nobody's business.
    """
    version = taxonomy.version
    if (
        version is None
        or version.kind not in WRITTEN
        or version.words != TaxonomyKind(version.kind).label
    ):
        return []
    recipe = read_recipe(taxonomy.recipe, taxonomy.file_text)
    return list(recipe.paths(Column.from_cells("", [])))
