from django.utils import timezone

from deid_portal.celery_app import app
from deid_portal.reviews.deadlines import look_after, waiting_requests


@app.task
def remind_and_expire() -> None:
    """Run every hour by the scheduler."""
    now = timezone.now()
    for request_id in waiting_requests():
        look_after(request_id, now)
