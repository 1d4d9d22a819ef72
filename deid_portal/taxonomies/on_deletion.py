"""Taxonomies list the values of a column, so they are deleted with the table.

Taxonomies in the team's library stay: a steward kept them for other tables.
"""

from deid_portal.datasets.models import Dataset
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyVersion


def forget_taxonomies(dataset: Dataset) -> dict[str, int]:
    taxonomies = ColumnTaxonomy.objects.filter(column__dataset=dataset)
    count = taxonomies.count()
    taxonomies.delete()
    TaxonomyVersion.objects.filter(column__dataset=dataset).delete()
    return {"taxonomies": count}
