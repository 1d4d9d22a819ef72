"""Compose the plan of a network: columns of its node table, and knowledge of links."""

from dataclasses import replace

from deid_portal.datasets.models import Dataset
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import complete_methods
from deid_portal.plans.composition import ComposedNetworkPlan, ProtectionChoice, compose_plan
from deid_portal.plans.models import Protection

USUAL_KNOWLEDGE = "degree"


def compose_network_plan(
    dataset: Dataset, choice: ProtectionChoice, knowledge: str
) -> ComposedNetworkPlan:
    """Compose as for a table, with the columns of the node table."""
    composed = compose_plan(dataset, replace(choice, weights={}))
    for column in composed.document["columns"].values():
        if "treatment" in column:
            column["treatment"] = "remove"  # nodes get new numbers; their ids are not released
    methods = complete_methods(choice.methods, Knowledge(knowledge))
    document = {
        **composed.document,
        "network": dataset.network.settings,
        "knowledge": knowledge,
        "method": methods[0] if len(methods) == 1 else methods,
    }
    return ComposedNetworkPlan(document, composed.files)


def chosen_knowledge(protection: Protection) -> str:
    """Return the background knowledge chosen on the protection page."""
    return str(protection.answers.get("knowledge", USUAL_KNOWLEDGE))
