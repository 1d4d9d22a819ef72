"""What was approved and may be handed over."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.reviews.models import ReviewRequest


class Release(models.Model):
    """Made by the approval itself; before it there is nothing to download."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    request = models.OneToOneField(ReviewRequest, on_delete=models.PROTECT, related_name="release")
    number = models.PositiveIntegerField()
    approved_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-released_at"]

    def __str__(self) -> str:
        return f"{self.request.run.dataset}, release {self.number}"


class Download(models.Model):
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="downloads")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"download of {self.release}"
