"""Databases a team reads from, and the copying of one table or answer into the vault."""

from typing import Any
from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.sources.postgresql import Address, Encryption, TableOrQuery
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Connection(models.Model):
    """A database connection of a team. Only its name is stored in clear."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="connections")
    name = models.CharField(max_length=120)
    # host, port, database, user, password, encryption
    sealed = SealedJSONField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> Address:
        sealed: dict[str, Any] = self.sealed
        return Address(**{**sealed, "encryption": Encryption(sealed["encryption"])})


class Fetch(Work):
    """The background work of copying a table or query result into a dataset."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="fetches")
    connection = models.ForeignKey(Connection, on_delete=models.SET_NULL, null=True)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=120)
    # The table or the query; a query can name a person.
    sealed = SealedJSONField()
    dataset = models.OneToOneField(Dataset, on_delete=models.SET_NULL, null=True)

    class Meta:
        ordering = ["-queued_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def question(self) -> TableOrQuery:
        return TableOrQuery(**self.sealed)

    @property
    def rows_so_far(self) -> int:
        return int(self.figures.get("rows", 0))
