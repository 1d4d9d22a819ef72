"""Re-identification of the pseudonyms of a run, if a steward asked for it."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset, PseudonymKey
from deid_portal.vault.sealed_fields import SealedJSONField


class WayBack(models.Model):
    """The table pseudonym → original of one run, stored in the vault with the dataset's files."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="ways_back")
    run_id = models.UUIDField(unique=True)
    run_number = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField()
    key = models.ForeignKey(PseudonymKey, on_delete=models.PROTECT, related_name="ways_back")
    # The number of pseudonyms in the file.
    pseudonyms = models.PositiveBigIntegerField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.dataset}, run {self.run_number}"

    @property
    def file(self) -> str:
        return way_back_file(self.dataset, self.run_id, self.attempt)

    @property
    def team(self) -> Team:
        return self.dataset.team


def way_back_file(dataset: Dataset, run_id: object, attempt: int) -> str:
    """The file of an attempt; under the dataset's key, so it cannot outlive the dataset."""
    return f"datasets/{dataset.id}/ways-back/{run_id}-{attempt}"


class LookUp(models.Model):
    """A looked-up pseudonym and the reason; the result is not stored."""

    sealed_to = ("way_back_id", "looked_up_by_id", "pseudonym", "at")

    way_back = models.ForeignKey(WayBack, on_delete=models.CASCADE, related_name="look_ups")
    looked_up_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    pseudonym = models.CharField(max_length=64)
    # A reason is free text and can name a person.
    reason = SealedJSONField()
    found = models.BooleanField()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"look-up in {self.way_back}"
