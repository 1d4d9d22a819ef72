"""The protection chosen for a dataset; with its columns and taxonomies it makes the Plan."""

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.common.sealing import SealedJSONField
from deid_portal.datasets.models import Dataset


class Protection(models.Model):
    """The `models` and `method` of a dataset's next plan, as plan-format writes them."""

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="protection")
    # Rules may name sensitive values, so they are sealed.
    rules = SealedJSONField(default=list)
    method = models.JSONField(default=dict)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"protection of {self.dataset}"
