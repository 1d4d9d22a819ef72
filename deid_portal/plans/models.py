"""The protection chosen for a dataset; with its columns and taxonomies it makes the Plan."""

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.common.sealing import SealedJSONField
from deid_portal.datasets.models import Dataset


class Protection(models.Model):
    """What a dataset's next plan asks for, as plan-format writes `models`, `method`, `measures`."""

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="protection")
    # Rules and methods may name values of the table, so they are sealed.
    rules = SealedJSONField(default=list)
    method = SealedJSONField(default=dict)
    measures = SealedJSONField(default=dict)
    # Quasi-identifiers whose detail counts more or less than usual, and what chance starts from.
    weights = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    # What was answered in plain words, if the plan came from there; empty for experts' plans.
    answers = SealedJSONField(default=dict)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"protection of {self.dataset}"
