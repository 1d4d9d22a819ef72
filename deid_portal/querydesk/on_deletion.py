"""A desk closes when its table is forgotten.

Answers stay: each is a differentially private output, and reveals no more after the table is
deleted. Terms and questions stay as the record of what the answers mean.
"""

from deid_portal.datasets.models import Dataset
from deid_portal.querydesk.models import Desk
from deid_portal.querydesk.services import close_desk


def close_with_the_table(dataset: Dataset) -> dict[str, int]:
    closed = 0
    for desk in Desk.objects.filter(series=dataset.series, closed_at=None):
        if desk.current.dataset_id == dataset.id:
            close_desk(desk=desk, closed_by=None)
            closed += 1
    return {"desks": closed} if closed else {}
