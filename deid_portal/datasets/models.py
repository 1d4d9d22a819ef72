"""A dataset: one uploaded table of one team, and what was decided about each of its columns.

A network is a dataset, too: its rows are the nodes, its columns their attributes. Next month's file
is a dataset of its own, the next version in the same series: it has its own rows, runs and
releases, and decisions about the version before are carried over.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.subjects import Subject, SubjectKind
from deid_portal.engine import ColumnType
from deid_portal.vault import vault
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class ColumnRoleChoices(models.TextChoices):
    IDENTIFIER = "identifier", "Identifier"
    QUASI_IDENTIFIER = "quasi-identifier", "Quasi-identifier"
    SENSITIVE = "sensitive", "Sensitive"
    INSENSITIVE = "insensitive", "Harmless"


class TreatmentChoices(models.TextChoices):
    REMOVE = "remove", "Remove"
    PSEUDONYM = "pseudonym", "Replace by a pseudonym"
    REVERSIBLE = "reversible", "Pseudonym with a way back"
    MASK = "mask", "Mask: ***** in every row"


TYPE_LABELS = {
    "text": "text",
    "integer": "whole number",
    "number": "number",
    "date": "date",
    "boolean": "yes or no",
}


# Incomplete uploads are deleted after this time.
ARRIVING_KEPT = timedelta(hours=24)


class Dataset(models.Model):
    class State(models.TextChoices):
        UPLOADED = "uploaded", "Check the preview"
        READING = "reading", "Reading the file"
        READY = "ready", "Ready"
        FORGOTTEN = "forgotten", "Deleted"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=SubjectKind, default=SubjectKind.TABLE)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="datasets")
    name = models.CharField(max_length=120)
    # Shared by all versions of a table; lists show the newest one.
    series = models.UUIDField(default=uuid4, editable=False, db_index=True)
    version = models.PositiveIntegerField(default=1)
    previous = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="next_versions"
    )
    # How it differs from the previous version, counted when it was read (versions/comparison.py).
    # It names values of both.
    drift = SealedJSONField(null=True)
    state = models.CharField(max_length=10, choices=State, default=State.UPLOADED)
    file_name = models.CharField(max_length=255)
    file_bytes = models.BigIntegerField()
    file_sha256 = models.CharField(max_length=64)
    # How the file is read: kind, delimiter, sheet, …; detected first, then as the steward says.
    file_format = models.JSONField(default=dict)
    # What the file itself says: the format, the evidence for each setting, the sheets it has.
    detection = models.JSONField(default=dict)
    rows = models.BigIntegerField(default=0)
    # The lease under which the table in force was read; its columns lie in the vault under it.
    table_id = models.UUIDField(null=True)
    # The day on which the file and all values are deleted automatically.
    delete_on = models.DateField(null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-changed_at"]
        constraints = [
            models.UniqueConstraint(fields=["series", "version"], name="one_dataset_per_version")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("guide:enter", args=[self.id])

    @property
    def version_label(self) -> str:
        """Number and month, as a pill shows them: v3 · Oct 2026."""
        return f"{self.version_number} · {timezone.localtime(self.created_at):%b %Y}"

    @property
    def version_number(self) -> str:
        return f"v{self.version}"

    @property
    def row_count(self) -> int | None:
        return self.rows if self.is_ready else None

    @cached_property
    def column_count(self) -> int | None:
        return self.columns.count() if self.is_ready else None

    @property
    def folder(self) -> str:
        """The folder in the vault; it has its own key and is deleted as a whole."""
        return f"datasets/{self.id}"

    @property
    def upload_file(self) -> str:
        """The name of the uploaded file in the vault."""
        return f"{self.folder}/upload"

    @property
    def is_ready(self) -> bool:
        return self.state == self.State.READY

    @cached_property
    def subject(self) -> Subject:
        """What it is about, a table or a network: everything that depends on that asks here."""
        return Subject.of(self)

    @property
    def is_forgotten(self) -> bool:
        return self.state == self.State.FORGOTTEN

    def column_file(self, table_id: UUID | None, position: int) -> str:
        """The name of one column in the vault: one file each, so that pages open what they need."""
        return f"{self.folder}/table-{table_id}/{position}"


class ArrivingUpload(models.Model):
    """A file that is being uploaded in pieces, which are appended in the vault."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="arriving_uploads")
    sent_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="arriving_uploads")
    file_name = models.CharField(max_length=255)
    file_bytes = models.BigIntegerField()
    # Modification time on the sender's machine: with name and size it identifies the file when an
    # upload is resumed.
    file_stamp = models.BigIntegerField()
    arrived_bytes = models.BigIntegerField(default=0)
    # The name of the dataset; empty for the name of the file.
    name = models.CharField(max_length=120, blank=True, default="")
    next_of = models.ForeignKey(Dataset, null=True, on_delete=models.SET_NULL, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["started_at"]

    def __str__(self) -> str:
        return self.file_name

    @property
    def folder(self) -> str:
        return f"{vault.INCOMING}/{self.id}"

    @property
    def file(self) -> str:
        return f"{self.folder}/file"

    @property
    def percent(self) -> int:
        return int(100 * self.arrived_bytes / max(self.file_bytes, 1))

    @property
    def kept_until(self) -> datetime:
        return self.changed_at + ARRIVING_KEPT


class Reading(Work):
    """The background work of reading a whole file into a table and counting its columns."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="readings")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    file_format = models.JSONField()
    # The rows that could not be read: number and words, never a cell.
    row_problems = models.JSONField(default=list)

    class Meta:
        ordering = ["-queued_at"]

    def __str__(self) -> str:
        return f"reading of {self.dataset}"


class DatasetColumn(models.Model):
    """A column of a dataset. Counts are in clear; anything that holds a value is sealed."""

    sealed_to = ("dataset_id", "position")

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="columns")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=300)
    type = models.CharField(
        max_length=10, choices=[(t.value, TYPE_LABELS[t.value]) for t in ColumnType]
    )
    role = models.CharField(max_length=20, choices=ColumnRoleChoices, blank=True, default="")
    # The role carried over from the version before; shown as such while unchanged.
    carried_role = models.CharField(
        max_length=20, choices=ColumnRoleChoices, blank=True, default=""
    )
    treatment = models.CharField(
        max_length=10, choices=TreatmentChoices, default=TreatmentChoices.REMOVE
    )
    missing = models.BigIntegerField(default=0)
    distinct = models.BigIntegerField(default=0)
    uniques = models.BigIntegerField(default=0)
    rarest = models.BigIntegerField(default=0)
    profile = SealedJSONField(default=dict)
    # What the engine suggests, and why; it names columns and counts, never a value.
    suggestion = models.JSONField(default=dict)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "position"], name="one_column_per_position")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def number(self) -> int:
        return self.position + 1

    @property
    def is_free_text(self) -> bool:
        return bool(self.suggestion.get("is_free_text"))

    @property
    def type_label(self) -> str:
        return "free text" if self.is_free_text else TYPE_LABELS[self.type]

    @property
    def is_carried(self) -> bool:
        return bool(self.role) and self.role == self.carried_role

    @property
    def is_quasi_identifier(self) -> bool:
        return self.role == ColumnRoleChoices.QUASI_IDENTIFIER


class Tagging(models.Model):
    """Roles a person assigned in one step, which can be undone."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="taggings")
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    # Roles by position, before and after.
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"tagging of {self.dataset}"


class PseudonymKey(models.Model):
    """The secret key of a team's pseudonyms, independent of the data key.

    The newest key is in force. An older one is kept while pseudonyms made with it can be looked up.
    """

    sealed_to = ("team_id", "number")

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="pseudonym_keys")
    number = models.PositiveIntegerField(default=1)
    secret = SealedJSONField(null=True)  # None once it was destroyed
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "number"], name="pseudonym_keys_are_numbered_per_team"
            )
        ]

    def __str__(self) -> str:
        return f"pseudonym key {self.number} of {self.team}"

    @property
    def bytes(self) -> bytes:
        return bytes.fromhex(self.secret)
