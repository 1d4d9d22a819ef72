"""A network: what a dataset of this kind has beside its rows (the nodes) and its columns."""

from typing import Any

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine.report.network import KnowledgeState
from deid_portal.vault.sealed_fields import SealedJSONField
from deid_portal.work.leases import Work


class Network(models.Model):
    """How the files are read, and what was found in them."""

    sealed_to = ("dataset_id",)

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="network")
    is_directed = models.BooleanField(default=False)
    # The file with what is known of each node besides its links; there need not be one.
    nodes_name = models.CharField(max_length=255, blank=True, default="")
    nodes_format = models.JSONField(default=dict)
    id_column = models.CharField(max_length=300, blank=True, default="")  # its first if empty
    links = models.BigIntegerField(default=0)
    intake = models.JSONField(default=dict)  # counts of what was dropped or is missing
    notes = models.JSONField(default=list)  # the same as sentences; they name no node
    # How many could be recognized, by what somebody may know; counts that could single out.
    risk = SealedJSONField(default=dict)
    # How many nodes have each number of links, and how many groups of look-alikes each size, by
    # what somebody may know: what a protection would cost is worked out from these.
    shape = SealedJSONField(default=dict)
    # How it differs from the version before; counts of people and links, no id.
    drift = SealedJSONField(default=dict)
    # Where nodes are drawn, and their links; for stewards, since a drawing shows every single one.
    drawing = SealedJSONField(default=dict)
    # How two people who know their own number of links find others; sentences, without an id.
    story = SealedJSONField(default=list)

    def __str__(self) -> str:
        return f"network of {self.dataset}"

    @property
    def knowledge_states(self) -> dict[str, KnowledgeState]:
        """Return who stands out, by what somebody may know."""
        return {known: KnowledgeState.from_document(own) for known, own in self.risk.items()}

    @property
    def nodes_file(self) -> str:
        """The name of the node table in the vault, beside the links."""
        return f"{self.dataset.folder}/nodes"

    @property
    def has_node_table(self) -> bool:
        return bool(self.nodes_name)

    @property
    def settings(self) -> dict[str, Any]:
        """What a plan says about the network as a whole."""
        named = {"id": self.id_column} if self.id_column else {}
        return {"directed": self.is_directed, **named}


class NetworkReading(Work):
    """The background work of reading both files and counting who could be recognized."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="network_readings")
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-queued_at"]

    def __str__(self) -> str:
        return f"reading of {self.dataset}"
