from datetime import timedelta

from django.utils import timezone

from deid_portal.notices.models import Notice

KEPT_DAYS = 180


def forget_old_notices() -> int:
    """Delete old notices; the audit record keeps what happened."""
    limit = timezone.now() - timedelta(days=KEPT_DAYS)
    return Notice.objects.filter(at__lt=limit).delete()[0]
