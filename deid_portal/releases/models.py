"""Releases: what was approved, who may download it, and who did."""

from datetime import datetime
from uuid import UUID, uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.reviews.models import ReviewRequest
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Release(models.Model):
    """Created by the approval; before it nothing can be downloaded."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    request = models.OneToOneField(ReviewRequest, on_delete=models.PROTECT, related_name="release")
    number = models.PositiveIntegerField()
    approved_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)
    withdrawal_reason = models.TextField(max_length=1000, blank=True, default="")

    class Meta:
        ordering = ["-released_at"]

    def __str__(self) -> str:
        return f"{self.request.run.dataset}, release {self.number}"

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None


class Grant(models.Model):
    """One person's right to download a release: how often, and until when.

    `taken` is increased in one conditional update, so that the last download is given once.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="grants")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    granted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    allowed = models.PositiveIntegerField()
    taken = models.PositiveIntegerField(default=0)
    last_taken_at = models.DateTimeField(null=True)
    # When the person asked for a new period, while the request is unanswered.
    asked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["granted_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["release", "person"], name="one_grant_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.release} for {self.person}"

    @property
    def left(self) -> int:
        return max(self.allowed - self.taken, 0)

    def is_over(self, now: datetime) -> bool:
        return self.expires_at <= now

    def is_open(self, now: datetime) -> bool:
        return not self.is_over(now) and self.left > 0


class Download(models.Model):
    """One counted download; resumed parts of it belong to the same download."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="downloads")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    # The hash of the package. Empty for downloads of versions that did not store it.
    sha256 = models.CharField(max_length=64, blank=True, default="")
    # Bytes sent so far, over all parts.
    sent = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"download of {self.release}"


class TableFormat(models.TextChoices):
    """File format of the table in a package; the value is the file name extension."""

    CSV = "csv", "CSV"
    PARQUET = "parquet", "Parquet"
    XLSX = "xlsx", "XLSX"
    SPSS = "sav", "SPSS"


class Statement(models.Model):
    """The state at the approval: gates, waivers, votes, attacks. Certificates are made from it.

    Stored because policy, attacks and names can change later; written once and immutable.
    """

    sealed_to = ("release_id",)

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="statement")
    document = SealedJSONField()

    def __str__(self) -> str:
        return f"statement of {self.release}"

    @property
    def stated(self) -> ReleaseStatement:
        return ReleaseStatement.from_document(self.document)


class SigningKey(models.Model):
    """The public key of a signing key of packages; never deleted."""

    fingerprint = models.CharField(max_length=64, unique=True)
    public_key = models.TextField()
    first_used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-first_used_at", "-id"]

    def __str__(self) -> str:
        return f"signing key {self.fingerprint[:16]}"


class Package(Work):
    """One zip of a release, with the table in one format. Packed once and then immutable."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="packages")
    format = models.CharField(max_length=10, choices=TableFormat)
    # None: requested by the approval.
    asked_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    # Name, purpose, size and sha256 of each file; no value of the table.
    files = models.JSONField(default=list, blank=True)
    # The fingerprint of the key that signed it.
    key_fingerprint = models.CharField(max_length=64, default="", blank=True)
    # Result of the verification after packing: summary, verdict, is_whole, counts, failures.
    verified = models.JSONField(default=dict, blank=True)
    # Notes about missing files and the reasons, such as for the PDF.
    notes = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["format"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "format"], name="one_package_per_release_and_format"
            )
        ]

    def __str__(self) -> str:
        return f"package of {self.release} as {self.get_format_display()}"

    @property
    def is_ready(self) -> bool:
        return self.status == self.Status.FINISHED

    @property
    def file(self) -> str:
        """The name of the zip in the vault, different for each attempt."""
        return f"{self.attempt_folder(self.attempt)}/package.zip"

    def attempt_folder(self, attempt: int) -> str:
        return f"{package_folder(self.release_id)}/{self.format}/{attempt}"


def package_folder(release_id: UUID) -> str:
    """The folder of a release in the vault, which has a separate key."""
    return f"releases/{release_id}"
