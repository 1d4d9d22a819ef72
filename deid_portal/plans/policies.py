"""Conditions for starting a run."""

from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.engine.privacy import sensitive_columns_of
from deid_portal.taxonomies.policies import check_taxonomies_complete
from deid_portal.web.refusals import Refused


def check_protection_chosen(dataset: Dataset) -> None:
    check_taxonomies_complete(dataset)
    if getattr(dataset, "protection", None) is None:
        raise Refused("Choose a protection first.")
    _check_rules_fit(dataset)


def _check_rules_fit(dataset: Dataset) -> None:
    """Refuse models about columns whose role was changed later.

    Only names are compared, since lists check every dataset; the engine validates the whole plan
    when a run starts.
    """
    columns = dataset.columns.all()
    sensitive = {column.name for column in columns if column.role == ColumnRoleChoices.SENSITIVE}
    for rule in dataset.protection.rules:
        for name in sensitive_columns_of(rule):
            if name not in sensitive:
                is_here = any(column.name == name for column in columns)
                lost = "is no longer sensitive" if is_here else "this file does not have"
                raise Refused(
                    f"A rule is about {name}, which {lost}. Look at the protection again."
                )
