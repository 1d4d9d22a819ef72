"""Taxonomies list the values of a column, so they go when the table goes.

What a steward kept in the team library stays: it was put there to outlive the table.
"""

from deid_portal.datasets.models import Dataset
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyVersion


def forget_taxonomies(dataset: Dataset) -> dict[str, int]:
    taxonomies = ColumnTaxonomy.objects.filter(column__dataset=dataset)
    count = taxonomies.count()
    taxonomies.delete()
    TaxonomyVersion.objects.filter(column__dataset=dataset).delete()
    return {"taxonomies": count}
