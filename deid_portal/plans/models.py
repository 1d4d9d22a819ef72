"""The protection chosen for a dataset; with its columns and taxonomies it makes the Plan."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.vault.sealed_fields import SealedJSONField


class Protection(models.Model):
    """The `models`, `method` and `measures` of a dataset's next plan, in plan format."""

    sealed_to = ("dataset_id",)

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="protection")
    # Rules and methods may name values of the table, so they are sealed.
    rules = SealedJSONField(default=list)
    method = SealedJSONField(default=dict)
    measures = SealedJSONField(default=dict)
    # Weights of quasi-identifiers other than 1, and the seed.
    weights = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    # The answers in plain words, if the plan was made of them; else empty.
    answers = SealedJSONField(default=dict)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"protection of {self.dataset}"


class PopulationTable(models.Model):
    """A population table of a dataset, with the columns to compare only."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="populations")
    file_name = models.CharField(max_length=200)
    rows = models.PositiveBigIntegerField()
    columns = models.JSONField()
    sha256 = models.CharField(max_length=64)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["added_at"]

    def __str__(self) -> str:
        return f"{self.file_name} of {self.dataset}"

    @property
    def name(self) -> str:
        """Its name in plans."""
        return f"population/{self.id}.csv"

    @property
    def file(self) -> str:
        """Its file in the vault, in the folder of its dataset."""
        return f"datasets/{self.dataset_id}/populations/{self.id}"
