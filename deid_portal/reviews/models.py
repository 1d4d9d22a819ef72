"""Asking colleagues whether a run may be released, and their answers."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.runs.models import Run


class ReviewRequest(models.Model):
    class Status(models.TextChoices):
        SUBMITTED = "submitted", "Submitted"
        CHANGES_REQUESTED = "changes-requested", "Changes requested"
        APPROVED = "approved", "Approved"
        WITHDRAWN = "withdrawn", "Taken back"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="requests")
    number = models.PositiveIntegerField()
    purpose = models.CharField(max_length=200)
    status = models.CharField(max_length=20, choices=Status, default=Status.SUBMITTED)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    # What the decision is about. A vote carries these back and counts only while they are the same.
    input_sha256 = models.CharField(max_length=64)
    plan_sha256 = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=20)
    output_sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["run"],
                condition=models.Q(status__in=["submitted", "approved"]),
                name="one_open_request_per_run",
            )
        ]

    def __str__(self) -> str:
        return f"Request {self.number} for {self.run.dataset}"


class Decision(models.Model):
    class Verdict(models.TextChoices):
        APPROVE = "approve", "Approve"
        ASK_FOR_CHANGES = "ask-for-changes", "Ask for changes"

    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=20, choices=Verdict)
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["decided_at"]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()} by {self.decided_by}"


class Comment(models.Model):
    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="comments")
    text = models.TextField(max_length=4000)
    written_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["written_at"]

    def __str__(self) -> str:
        return f"comment by {self.written_by}"
