"""Checks whether a plan fits a network, without opening its files."""

from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.engine.networks import NetworkPlan
from deid_portal.networks.composition import compose_network_plan
from deid_portal.networks.guidance import why_closed
from deid_portal.plans.composition import ProtectionChoice


def check_network_plan_fits(dataset: Dataset, plan: NetworkPlan) -> None:
    """Raise InvalidPlan if the network is too small or too large for the plan."""
    if dataset.rows and any(getattr(model, "k", 0) > dataset.rows for model in plan.models):
        raise InvalidPlan(f"The network has {dataset.rows:,} people, so nobody hides among more.")
    for method in plan.methods:
        if closed := why_closed(dataset, type(method)):
            raise InvalidPlan(f"{method.title}: {closed[0].lower()}{closed[1:]}")


def check_network_choice(dataset: Dataset, choice: ProtectionChoice, knowledge: str) -> NetworkPlan:
    """Return the plan of a choice; raises InvalidPlan with the message to show."""
    plan = compose_network_plan(dataset, choice, knowledge).to_plan()
    check_network_plan_fits(dataset, plan)
    return plan
