"""Review requests for the release of a run: votes, waivers and comments.

Votes and waivers belong to a *round*. Any change to what is being decided on starts the next round;
votes and waivers of earlier rounds stay on record but do not count. So none has to be marked as
void, and none can be missed.
"""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.querydesk.models import Question
from deid_portal.runs.models import Run
from deid_portal.vault.sealed_fields import SealedJSONField


class ReviewRequest(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        SUBMITTED = "submitted", "Submitted"
        CHANGES_REQUESTED = "changes-requested", "Changes requested"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"
        RELEASED = "released", "Released"
        WITHDRAWN = "withdrawn", "Withdrawn"
        EXPIRED = "expired", "Expired"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="requests")
    number = models.PositiveIntegerField()
    purpose = models.CharField(max_length=200)
    status = models.CharField(max_length=20, choices=Status, default=Status.SUBMITTED)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    # Who may download the release, for how long and how often.
    recipients = models.ManyToManyField(User, related_name="+", blank=True)
    download_days = models.PositiveIntegerField(default=30)
    downloads_per_person = models.PositiveIntegerField(default=5)
    # The sentences of the policy's checklist that the author confirmed.
    confirmed = models.JSONField(default=list, blank=True)
    # What the decision is about. Votes are submitted with these hashes and count only if equal.
    round = models.PositiveIntegerField(default=1)
    round_began_at = models.DateTimeField(null=True)
    input_sha256 = models.CharField(max_length=64)
    plan_sha256 = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=20)
    output_sha256 = models.CharField(max_length=64)
    # Noisy answers released with it; like the terms they change only in a new round.
    answers = models.ManyToManyField(Question, related_name="+", blank=True)
    answers_sha256 = models.CharField(max_length=64, blank=True, default="")

    # Start of the waiting time if later than the last change, for requests that were open when
    # deadlines were introduced.
    days_counted_from = models.DateTimeField(null=True)
    # The time of the last reminder.
    reminded_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["run"],
                condition=models.Q(
                    status__in=["draft", "submitted", "changes-requested", "approved", "released"]
                ),
                name="one_open_request_per_run",
            )
        ]

    def __str__(self) -> str:
        return f"Request {self.number} for {self.run.dataset}"


class Decision(models.Model):
    """A person's vote in one round; changed until the request closes."""

    class Verdict(models.TextChoices):
        APPROVE = "approve", "Approve"
        ASK_FOR_CHANGES = "ask-for-changes", "Ask for changes"
        REJECT = "reject", "Reject"

    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="decisions")
    round = models.PositiveIntegerField(default=1)
    verdict = models.CharField(max_length=20, choices=Verdict)
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["decided_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["request", "round", "decided_by"], name="one_vote_per_person_and_round"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()} by {self.decided_by}"


class Waiver(models.Model):
    """A failing gate accepted for a written reason; valid once a second person has agreed."""

    sealed_to = ("request_id", "round", "gate")

    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="waivers")
    round = models.PositiveIntegerField()
    gate = models.CharField(max_length=60)
    # The figure of the gate when the waiver was asked for; it may name a group of the table.
    measured = SealedJSONField()
    reason = models.TextField(max_length=1000)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    agreed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    agreed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["request", "round", "gate"], name="one_waiver_per_gate_and_round"
            )
        ]

    def __str__(self) -> str:
        return f"waiver of {self.gate}"


class Comment(models.Model):
    class About(models.TextChoices):
        REQUEST = "request", "the request"
        COLUMN = "column", "column"
        CHART = "chart", "chart"

    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="comments")
    about = models.CharField(max_length=10, choices=About, default=About.REQUEST)
    about_name = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField(max_length=4000)
    written_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    written_at = models.DateTimeField(auto_now_add=True)
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["written_at"]

    def __str__(self) -> str:
        return f"comment by {self.written_by}"
