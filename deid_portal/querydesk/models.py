"""A desk: a table that is open for questions, its terms, what was asked, and what it cost.

The budget belongs to the people in the table. Next month's file holds most of the same people, so
a desk belongs to all versions of a dataset (its series): a newer version goes on with what is left
of the budget and never begins with a full one.
"""

from typing import Any
from uuid import uuid4

from django.db import models
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Desk(models.Model):
    """A dataset open for questions; every payment locks this row."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="desks")
    series = models.UUIDField(unique=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-opened_at"]

    def __str__(self) -> str:
        return f"query desk of {self.current.dataset}"

    def get_absolute_url(self) -> str:
        return reverse("querydesk:show", args=[self.id])

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def current(self) -> "Terms":
        """The terms in force, which are the last ones; uses a prefetched list."""
        return next(iter(self.terms.all()))


class Period(models.TextChoices):
    ONCE = "once", "never"
    MONTH = "month", "every month"
    QUARTER = "quarter", "every quarter"
    YEAR = "year", "every year"


class Terms(models.Model):
    """What a steward opened, for whom and with which budgets. Immutable: changes are new terms."""

    sealed_to = ("desk_id", "number")

    desk = models.ForeignKey(Desk, on_delete=models.PROTECT, related_name="terms")
    number = models.PositiveIntegerField()
    # The version of the dataset that answers.
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="desk_terms")
    # The engine's setting: neighbours, unit of privacy and declared domains, which name values.
    setting = SealedJSONField()
    total_micro = models.BigIntegerField()
    analyst_micro = models.BigIntegerField()
    # What all people together may spend between two refills; empty for no such limit.
    pool_micro = models.BigIntegerField(null=True)
    period = models.CharField(max_length=10, choices=Period)
    smallest_micro = models.BigIntegerField()
    delta_total_atto = models.BigIntegerField(default=0)
    set_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["desk", "number"], name="terms_are_numbered_per_desk")
        ]

    def __str__(self) -> str:
        return f"terms {self.number} of {self.dataset}"


class Question(Work):
    """A question of a person, and its noisy answer; the exact one is never stored.

    `drawing_at` is written before noise is drawn. If a question has it but no answer, its worker
    died in between: it ends without an answer and without a refund, because a second draw at the
    same price would allow a choice between two answers.
    """

    desk = models.ForeignKey(Desk, on_delete=models.PROTECT, related_name="questions")
    terms = models.ForeignKey(Terms, on_delete=models.PROTECT, related_name="questions")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # A key from the form: a double click is one question.
    key = models.UUIDField()
    kind = models.CharField(max_length=40)
    # Both name declared values.
    document = SealedJSONField()
    words = SealedJSONField()
    # Of the question with its price, and without it.
    fingerprint = models.CharField(max_length=64)
    topic = models.CharField(max_length=64)
    # The table that was in force when it was asked.
    table_id = models.UUIDField(null=True)
    price_micro = models.BigIntegerField()
    delta_atto = models.BigIntegerField(default=0)
    # The question whose stored answer this one got for free.
    repeat_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="repeats"
    )
    drawing_at = models.DateTimeField(null=True)
    answer = SealedJSONField(null=True)

    class Meta:
        ordering = ["-queued_at"]
        constraints = [
            models.UniqueConstraint(fields=["asked_by", "key"], name="one_question_per_click")
        ]
        indexes = [
            models.Index(fields=["desk", "fingerprint"], name="the_same_question"),
            models.Index(fields=["desk", "topic"], name="the_same_at_another_price"),
        ]

    def __str__(self) -> str:
        return f"question about {self.terms.dataset}"

    @property
    def source(self) -> "Question":
        """The question that was answered from the table."""
        return self.repeat_of or self

    @property
    def is_free(self) -> bool:
        return self.repeat_of_id is not None


class Wish(models.Model):
    """Somebody asks for more budget; an approver grants or declines it, with a reason."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        GRANTED = "granted", "Granted"
        DECLINED = "declined", "Declined"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    desk = models.ForeignKey(Desk, on_delete=models.PROTECT, related_name="wishes")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    micro = models.BigIntegerField()
    reason = models.TextField(max_length=1000)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    granted_micro = models.BigIntegerField(default=0)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    answer = models.TextField(max_length=1000, blank=True, default="")

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["desk", "asked_by"],
                condition=models.Q(status="waiting"),
                name="one_waiting_wish_per_person",
            )
        ]

    def __str__(self) -> str:
        return f"wish of {self.asked_by} for more budget"


class Entry(models.Model):
    """One line of the ledger, only ever appended. What is left is the terms plus these sums."""

    class Kind(models.TextChoices):
        PAID = "paid", "Paid"
        FREE = "free", "Free"
        RETURNED = "returned", "Given back"
        GRANTED = "granted", "Granted"

    desk = models.ForeignKey(Desk, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    # A refund counts in the period of the payment.
    counts_at = models.DateTimeField(default=timezone.now)
    # Changes of the person's account, the common account of the period, and the dataset's.
    person_micro = models.BigIntegerField(default=0)
    pool_micro = models.BigIntegerField(default=0)
    total_micro = models.BigIntegerField(default=0)
    delta_atto = models.BigIntegerField(default=0)
    question = models.ForeignKey(
        Question, null=True, on_delete=models.PROTECT, related_name="entries"
    )
    wish = models.ForeignKey(Wish, null=True, on_delete=models.PROTECT, related_name="entries")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["desk", "number"], name="entries_are_numbered"),
            models.UniqueConstraint(fields=["question", "kind"], name="paid_and_returned_once"),
        ]
        indexes = [models.Index(fields=["desk", "person"], name="account_of_a_person")]

    def __str__(self) -> str:
        return f"entry {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("An entry of the ledger is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("An entry of the ledger is never deleted.")


class Draft(models.Model):
    """A composed question that was not asked; it costs nothing and uses no data."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    desk = models.ForeignKey(Desk, on_delete=models.CASCADE, related_name="drafts")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    saved_at = models.DateTimeField(auto_now=True)
    # The fields of the form, and the question in words.
    fields = SealedJSONField()
    words = SealedJSONField()

    class Meta:
        ordering = ["-saved_at"]

    def __str__(self) -> str:
        return f"draft of {self.person}"
