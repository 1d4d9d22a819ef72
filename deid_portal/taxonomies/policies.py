"""Conditions for choosing a protection."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_columns_decided
from deid_portal.taxonomies.selectors import open_columns
from deid_portal.web.refusals import Refused


def check_taxonomies_complete(dataset: Dataset) -> None:
    check_columns_decided(dataset)
    missing = open_columns(dataset)
    if missing:
        names = ", ".join(column.name for column in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise Refused(f"A run needs a complete taxonomy for every quasi-identifier: {names}{more}.")
