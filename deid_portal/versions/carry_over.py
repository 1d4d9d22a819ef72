"""Carrying decisions about a table over to its next version, when that has been read.

Columns are matched by name and type: a column of another type must be decided again. Packing
compares the tables and applies the taxonomies to the new values; unpacking writes everything in the
transaction that ends the reading, with one audit record. So the new version appears with everything
carried over, or not at all.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.table_hooks import Unpack
from deid_portal.engine import Table
from deid_portal.engine.progress import ProgressCallback
from deid_portal.plans.carry_over import copy_protection
from deid_portal.taxonomies.models import TaxonomyVersion
from deid_portal.taxonomies.selectors import may_have_taxonomy, taxonomy_of
from deid_portal.taxonomies.services import lay_over, put_carried
from deid_portal.versions.comparison import Drift, compare_versions


@dataclass(frozen=True)
class CarriedDecisions:
    """What is carried from one version to the next; columns by name."""

    before: Dataset
    drift: Drift
    decided: dict[str, DatasetColumn]
    taxonomies: dict[str, TaxonomyVersion]

    def unpack(self, dataset: Dataset, asked_by: User) -> None:
        columns = {column.name: column for column in dataset.columns.all()}
        self._give_roles(columns)
        for name, version in self.taxonomies.items():
            # A copy, because after a database outage all of this is written a second time.
            is_public = self.decided[name].taxonomy.public_labels
            put_carried(columns[name], copy(version), is_public)
        protection = copy_protection(self.before, dataset)
        dataset.drift = self.drift.to_document()
        dataset.save(update_fields=["drift", "changed_at"])
        record_event(
            "dataset.carried_over",
            actor=asked_by,
            team=dataset.team,
            subject=dataset,
            facts={
                "from_version": self.before.version,
                "roles": {columns[name].number: old.role for name, old in self.decided.items()},
                "taxonomies": len(self.taxonomies),
                "incomplete_taxonomies": sum(
                    version.uncovered > 0 for version in self.taxonomies.values()
                ),
                "plan": protection is not None,
            },
        )

    def _give_roles(self, columns: dict[str, DatasetColumn]) -> None:
        for name, old in self.decided.items():
            columns[name].role = columns[name].carried_role = old.role
            columns[name].treatment = old.treatment
        chosen = [columns[name] for name in self.decided]
        DatasetColumn.objects.bulk_update(chosen, ["role", "carried_role", "treatment"])


def pack(dataset: Dataset, table: Table, progress: ProgressCallback) -> Unpack:
    """Prepare everything slow; nothing is written yet."""
    before = dataset.previous
    if before is None:
        raise ValueError("The first version of a dataset has nothing to be carried over.")
    drift = compare_versions(before, table, progress)
    decided = {column.name: column for column in _decided_alike(before, table)}
    words = f"Carried over from {before.version_number}"
    taxonomies = {}
    for name, column in decided.items():
        taxonomy = taxonomy_of(column) if may_have_taxonomy(column) else None
        version = lay_over(taxonomy, table[name], words) if taxonomy else None
        if version is not None:
            taxonomies[name] = version
    return CarriedDecisions(before, drift, decided, taxonomies).unpack


def _decided_alike(before: Dataset, table: Table) -> Iterator[DatasetColumn]:
    """Yield the columns with a role that the new table has under the same name and type."""
    columns = before.columns.select_related("taxonomy__changed_by", "taxonomy__version__taken_from")
    for column in columns.exclude(role=""):
        if column.name in table and table[column.name].type.value == column.type:
            yield column
