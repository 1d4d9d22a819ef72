"""Put together the plan of a dataset, be it a table or a network."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.engine import Plan
from deid_portal.engine.networks import NetworkPlan, is_network_plan
from deid_portal.plans.composition import (
    ComposedPlan,
    ProtectionChoice,
    choice_of,
    compose_chosen_plan,
    compose_plan,
)


@dataclass(frozen=True)
class ComposedNetworkPlan:
    """A network plan's document and the taxonomy files it names."""

    document: dict[str, Any]
    files: dict[str, str]

    def to_plan(self) -> NetworkPlan:
        """Validate; raises InvalidPlan with the sentence to show."""
        return _read_network_plan(self.document, self.files)


def compose_network_plan(
    dataset: Dataset, choice: ProtectionChoice, knowledge: str
) -> ComposedNetworkPlan:
    """Compose as for a table: the columns are those of the node table."""
    composed = compose_plan(dataset, replace(choice, weights={}))
    for column in composed.document["columns"].values():
        if "treatment" in column:
            column["treatment"] = "remove"  # nodes get new numbers; no id of theirs leaves
    document = {**composed.document, "network": dataset.network.settings, "knowledge": knowledge}
    return ComposedNetworkPlan(document, composed.files)


def compose_plan_of(dataset: Dataset) -> ComposedPlan | ComposedNetworkPlan:
    """Return the plan as it is chosen now."""
    if not dataset.is_network:
        return compose_chosen_plan(dataset.protection)
    knowledge = dataset.protection.answers.get("knowledge", "degree")
    return compose_network_plan(dataset, choice_of(dataset.protection), knowledge)


AnyPlan = Plan | NetworkPlan


def read_any_plan(document: Mapping[str, Any], files: Mapping[str, str]) -> AnyPlan:
    """Validate the plan of a table or of a network; raises InvalidPlan.

    A seed is left out where a change makes it one that would undo the protection.
    """
    if is_network_plan(document):
        return _read_network_plan(document, files).without_undoing_seed()
    plan = Plan.from_document(dict(document), read_file=lambda name: files[name].encode())
    return plan.without_undoing_seed()


def _read_network_plan(document: Mapping[str, Any], files: Mapping[str, str]) -> NetworkPlan:
    return NetworkPlan.from_document(dict(document), read_file=lambda name: files[name].encode())
