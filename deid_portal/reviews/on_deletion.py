"""Closes the open review requests of a table that is deleted."""

from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.reviews.models import ReviewRequest

Status = ReviewRequest.Status
# States that could still lead to a release.
STILL_OPEN = (Status.DRAFT, Status.SUBMITTED, Status.CHANGES_REQUESTED, Status.APPROVED)


def withdraw_open_requests(dataset: Dataset) -> dict[str, int]:
    requests = ReviewRequest.objects.filter(run__dataset=dataset, release__isnull=True)
    waiting = requests.filter(status__in=STILL_OPEN)
    found = list(waiting)
    for request in found:
        request.status = Status.WITHDRAWN
        request.save(update_fields=["status", "changed_at"])
        record_event("review.withdrawn", actor=None, team=dataset.team, subject=request)
    return {"requests": len(found)}
