"""The record of who did what: append-only, each entry linked to the one before by hashes."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from deid_portal.audit.hashes import content_hash_of, hash_of
from deid_portal.work.leases import Work


class ChainHead(models.Model):
    """The one row that every writer locks, so that entries get their numbers one after another."""

    number = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="")
    # Number and hash of the notes written outside the database.
    notes = models.BigIntegerField(default=0)
    notes_hash = models.CharField(max_length=64, blank=True, default="")
    # The hash of the latest record of an acceptance; empty if there is none.
    accepted = models.CharField(max_length=64, blank=True, default="")
    # Seal of all fields, with a key that is not in the database (heads.py).
    seal = models.CharField(max_length=80, blank=True, default="")

    def __str__(self) -> str:
        return f"entry {self.number}"


class EventQuerySet(models.QuerySet["Event"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("An audit record is never changed.")

    def delete(self) -> NoReturn:
        raise TypeError("An audit record is never deleted.")


class Event(models.Model):
    number = models.BigIntegerField(unique=True)
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    # Plain ids, not foreign keys: a record outlives its subject.
    team_id = models.UUIDField(null=True, db_index=True)
    action = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=40, db_index=True)
    subject_name = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=dict)
    # Both empty in records of versions without content hashes.
    salt = models.CharField(max_length=32, blank=True, default="")
    content_hash = models.CharField(max_length=64, blank=True, default="")
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        indexes = [models.Index(fields=["team_id", "-number"], name="audit_of_a_team")]

    def __str__(self) -> str:
        return f"{self.number} {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("An audit record is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("An audit record is never deleted.")

    def document(self) -> dict[str, Any]:
        """Return the record as it is hashed and exported."""
        return {
            "number": self.number,
            "at": self.at.isoformat(timespec="microseconds"),
            "actor_id": self.actor_id,
            "team_id": str(self.team_id) if self.team_id else None,
            "action": self.action,
            "subject_kind": self.subject_kind,
            "subject_id": self.subject_id,
            "subject_name": self.subject_name,
            "facts": self.facts,
            "salt": self.salt,
            "content_hash": self.content_hash,
            "previous_hash": self.previous_hash,
            "hash": self.hash,
        }

    def seal(self) -> None:
        """Fill in the hashes of a new record."""
        self.content_hash = content_hash_of(self.document())
        self.hash = hash_of(self.document())

    @property
    def fits(self) -> bool:
        """Say whether the record still matches its hashes."""
        document = self.document()
        return self.hash == hash_of(document) and self.content_hash == content_hash_of(document)


class Verification(models.Model):
    """The result of the last verification of the whole chain; there is only one row."""

    at = models.DateTimeField()
    records = models.BigIntegerField()
    # The number of the first invalid entry, and the problem; empty if all are valid.
    broken_at = models.BigIntegerField(null=True)
    problem = models.CharField(max_length=300, blank=True, default="")
    # How many notes outside the database were compared with the records.
    anchors = models.PositiveIntegerField(default=0)
    # Seal of all fields, so that nobody can write "intact" into the database.
    seal = models.CharField(max_length=80, blank=True, default="")

    def __str__(self) -> str:
        return "intact" if self.broken_at is None else f"broken at {self.broken_at}"


class ChainCheck(Work):
    """A verification of the whole chain that somebody asked for; its result is that one row."""

    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-queued_at"]

    def __str__(self) -> str:
        return "verification of the record"
