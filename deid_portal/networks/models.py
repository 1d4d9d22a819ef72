"""What a dataset that is a network has besides rows (its nodes) and columns."""

from typing import Any

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine.report.network import KnowledgeState
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Network(models.Model):
    """How the files of a network are read, and what was found in them."""

    sealed_to = ("dataset_id",)

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="network")
    is_directed = models.BooleanField(default=False)
    # The node table, a file of attributes of nodes; optional.
    nodes_name = models.CharField(max_length=255, blank=True, default="")
    nodes_format = models.JSONField(default=dict)
    id_column = models.CharField(max_length=300, blank=True, default="")  # empty: the first column
    links = models.BigIntegerField(default=0)
    intake = models.JSONField(default=dict)  # counts of what was dropped or is missing
    notes = models.JSONField(default=list)  # the same as sentences; they name no node
    # Numbers of identifiable people by background knowledge; sealed, since counts may be small.
    risk = SealedJSONField(default=dict)
    # Degree distribution, and class sizes by background knowledge, for estimating what a protection
    # would change.
    shape = SealedJSONField(default=dict)
    # Differences from the previous version: counts of people and links, no ids.
    drift = SealedJSONField(default=dict)
    # Layout and links of the drawing; for stewards only, since it shows single nodes.
    drawing = SealedJSONField(default=dict)
    # Example of two people who know their own degrees and identify others; sentences without ids.
    story = SealedJSONField(default=list)

    def __str__(self) -> str:
        return f"network of {self.dataset}"

    @property
    def knowledge_states(self) -> dict[str, KnowledgeState]:
        """Return how identifiable people are, by background knowledge."""
        return {known: KnowledgeState.from_document(own) for known, own in self.risk.items()}

    @property
    def nodes_file(self) -> str:
        """The name of the node table in the vault."""
        return f"{self.dataset.folder}/nodes"

    @property
    def has_node_table(self) -> bool:
        return bool(self.nodes_name)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a plan that concern the network as a whole."""
        named = {"id": self.id_column} if self.id_column else {}
        return {"directed": self.is_directed, **named}


class NetworkReading(Work):
    """The background job that reads both files and counts identifiable people."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="network_readings")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-queued_at"]

    def __str__(self) -> str:
        return f"reading of {self.dataset}"
