"""The record of who did what: only ever appended to, each entry sealed to the one before."""

from typing import Any

from django.conf import settings
from django.db import models


class ChainHead(models.Model):
    """The one row that every writer locks, so that entries get their numbers one after another."""

    number = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="")

    def __str__(self) -> str:
        return f"entry {self.number}"


class Event(models.Model):
    number = models.BigIntegerField(unique=True)
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    # Kept as plain ids: a record outlives what it is about.
    team_id = models.UUIDField(null=True, db_index=True)
    action = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=40, db_index=True)
    subject_name = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.number} {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("An audit record is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("An audit record is never deleted.")

    @property
    def words(self) -> str:
        """The dotted fact as people say it: review.changes_requested, review changes requested."""
        return self.action.replace(".", " ").replace("_", " ")


class Verification(models.Model):
    """The last time the whole chain was walked: the one row there is of this."""

    at = models.DateTimeField()
    records = models.BigIntegerField()
    # The number of the first entry that does not fit; empty while all do.
    broken_at = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return "intact" if self.broken_at is None else f"broken at {self.broken_at}"
