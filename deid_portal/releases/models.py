"""What was approved and may be handed over, to whom, and who took it."""

from datetime import datetime
from uuid import UUID, uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.reviews.models import ReviewRequest
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Release(models.Model):
    """Made by the approval itself; before it there is nothing to download."""

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
    """One person's right to take a release: how often, and until when.

    `taken` is counted up in one conditional update, so the last download is given once.
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
    # When the person asked for a new period that nobody has answered yet.
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
    """One copy taken. What a cut connection left to be fetched belongs to the same download."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="downloads")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    # Which bytes: the fingerprint of the package. Empty for downloads of before it was kept.
    sha256 = models.CharField(max_length=64, blank=True, default="")
    # How many bytes were asked for so far, over all parts.
    sent = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"download of {self.release}"


class TableFormat(models.TextChoices):
    """As what the table lies in a package; the value is how its name ends."""

    CSV = "csv", "CSV"
    PARQUET = "parquet", "Parquet"
    XLSX = "xlsx", "XLSX"
    SPSS = "sav", "SPSS"


class Statement(models.Model):
    """What stood at the approval: gates, waivers, votes, attacks. Certificates are made from it.

    Kept because policy, attacks and names go on changing; written once and never again.
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
    """The public half of a key that packages were signed with; none is ever removed."""

    fingerprint = models.CharField(max_length=64, unique=True)
    public_key = models.TextField()
    first_used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-first_used_at", "-id"]

    def __str__(self) -> str:
        return f"signing key {self.fingerprint[:16]}"


class Package(Work):
    """One zip of a release, with the table in one format. Packed once; then it never changes."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="packages")
    format = models.CharField(max_length=10, choices=TableFormat)
    # Nobody: the approval itself had it packed.
    asked_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    # Of each file in it: name, purpose, size, sha256; no value of the table.
    files = models.JSONField(default=list, blank=True)
    # The fingerprint of the public key that checks its signature.
    key_fingerprint = models.CharField(max_length=64, default="", blank=True)
    # What verifying it right after packing gave: summary, verdict, is_whole, counts, failures.
    verified = models.JSONField(default=dict, blank=True)
    # Sentences about what is missing in it and why, such as the PDF.
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
        """The zip in the vault; a name per attempt, so two workers never share one."""
        return f"{self.attempt_folder(self.attempt)}/package.zip"

    def attempt_folder(self, attempt: int) -> str:
        return f"{package_folder(self.release_id)}/{self.format}/{attempt}"


def package_folder(release_id: UUID) -> str:
    """The folder of a release in the vault; it has a key of its own."""
    return f"releases/{release_id}"
