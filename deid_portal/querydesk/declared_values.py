"""Sources of value lists for declaring the domain of a column.

What must never happen: a list is filled from the table unnoticed, since it would reveal which
values occur. So nothing is filled in automatically; lists of the shelf are public; and the column's
own tree, which may have been made from the table, is used only if the steward asks for it, after a
warning.
"""

from dataclasses import dataclass

from deid_portal.datasets.models import DatasetColumn
from deid_portal.engine.taxonomies.library import SHELF
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.selectors import outline_of
from deid_portal.web.refusals import Refused

OWN_TREE = "tree"


@dataclass(frozen=True)
class Source:
    key: str
    label: str


def shelf_sources() -> list[Source]:
    return [Source(f"shelf-{entry.slug}", entry.name) for entry in SHELF.values() if entry.is_list]


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
    if outline is None:
        raise Refused(f"{column.name} has no tree that could be read here.")
    return sorted(branch.label for branch in outline.values() if branch.label)
