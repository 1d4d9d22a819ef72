"""A comparison holds values of both tables; those of a forgotten table are deleted."""

from deid_portal.datasets.models import Dataset
from deid_portal.versions.comparison import Drift


def forget_in_the_next_version(dataset: Dataset) -> dict[str, int]:
    """Delete the bars of the comparison with the version before and with the one after."""
    if dataset.drift is not None:
        _forget_bars(dataset)
    later = list(dataset.next_versions.exclude(drift=None))
    for version in later:
        _forget_bars(version)
    return {"comparisons": len(later) + (dataset.drift is not None)}


def _forget_bars(dataset: Dataset) -> None:
    dataset.drift = Drift.from_document(dataset.drift).without_values().to_document()
    dataset.save(update_fields=["drift"])
