"""What must be decided before a run can start."""

from deid_portal.common.refusals import Refused
from deid_portal.datasets.models import ColumnRole, Dataset
from deid_portal.taxonomies.policies import check_taxonomies_complete


def check_protection_chosen(dataset: Dataset) -> None:
    check_taxonomies_complete(dataset)
    if getattr(dataset, "protection", None) is None:
        raise Refused("Choose a protection first.")
    _check_rules_fit(dataset)


def _check_rules_fit(dataset: Dataset) -> None:
    """A column may have changed its role after a rule about it was chosen."""
    columns = dataset.columns.all()
    sensitive = {column.name for column in columns if column.role == ColumnRole.SENSITIVE}
    for rule in dataset.protection.rules:
        if "column" in rule and rule["column"] not in sensitive:
            raise Refused(
                f"A rule is about {rule['column']}, which is no longer sensitive. "
                "Look at the protection again."
            )
