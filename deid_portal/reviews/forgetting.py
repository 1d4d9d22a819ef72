"""A request to release rows that are being deleted has nothing left to be about."""

from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.reviews.models import ReviewRequest


def withdraw_open_requests(dataset: Dataset) -> dict[str, int]:
    waiting = ReviewRequest.objects.filter(
        run__dataset=dataset, status=ReviewRequest.Status.SUBMITTED
    )
    for request in waiting:
        request.status = ReviewRequest.Status.WITHDRAWN
        request.save(update_fields=["status", "changed_at"])
        record_event("review.withdrawn", actor=None, team=dataset.team, subject=request)
    return {"requests": len(waiting)}
