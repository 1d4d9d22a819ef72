"""Attacks on finished runs, and outside tables that an intruder might have."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.runs.models import Run
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class OutsideTable(models.Model):
    """An outside table uploaded for one test. Its file is deleted as soon as the test has ended.

    Its hash, its size and, sealed, its name and columns are kept.
    """

    class Use(models.TextChoices):
        LINKAGE = "linkage", "What an intruder might have"
        CONTROL = "control", "People who are not in the table"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="outside_tables")
    use = models.CharField(max_length=10, choices=Use, default=Use.LINKAGE)
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    file_bytes = models.BigIntegerField()
    file_sha256 = models.CharField(max_length=64)
    # File name, format, column names and suggested pairs; sealed, since a header may be a data row.
    about = SealedJSONField(default=dict)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-uploaded_at"]

    def __str__(self) -> str:
        return f"outside table for {self.run}"

    @property
    def folder(self) -> str:
        """A separate folder in the vault, so that deletion destroys its key."""
        return f"attacks/{self.id}"

    @property
    def file(self) -> str:
        return f"{self.folder}/table"

    @property
    def file_name(self) -> str:
        return str(self.about.get("file_name", ""))


class RunCrossing(models.Model):
    """What crossing a run with the other releases of its people gave, which takes seconds.

    `question` is what was crossed and how; an answer to another question is out of date.
    """

    run = models.OneToOneField(
        Run, on_delete=models.CASCADE, primary_key=True, related_name="crossing"
    )
    question = models.JSONField()
    answer = SealedJSONField()

    def __str__(self) -> str:
        return f"crossing of {self.run}"


class AttackTest(Work):
    """One attack on one release. Results are kept with the run; the newest test counts."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="attack_tests")
    attack = models.CharField(max_length=40)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    outside = models.ForeignKey(
        OutsideTable, null=True, on_delete=models.PROTECT, related_name="tests"
    )
    # Parameters of the attack, and columns of an outside table.
    parameters = SealedJSONField(default=dict)
    # The release that was attacked, by the hash that votes and packages are bound to.
    output_sha256 = models.CharField(max_length=64)
    result = SealedJSONField(null=True)

    class Meta:
        ordering = ["-queued_at"]
        indexes = [models.Index(fields=["run", "attack"], name="tests_of_a_run")]

    def __str__(self) -> str:
        return f"{self.attack} on {self.run}"
