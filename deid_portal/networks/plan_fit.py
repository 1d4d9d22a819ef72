"""Whether a plan fits a network: what a run would refuse, said before anything is opened."""

from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.engine.networks import NetworkPlan
from deid_portal.networks.composition import compose_network_plan
from deid_portal.networks.guidance import why_closed
from deid_portal.plans.composition import ProtectionChoice


def check_network_plan_fits(dataset: Dataset, plan: NetworkPlan) -> None:
    """Refuse what this network is too small or too large for; raises InvalidPlan."""
    if dataset.rows and any(getattr(model, "k", 0) > dataset.rows for model in plan.models):
        raise InvalidPlan(f"The network has {dataset.rows:,} people, so nobody hides among more.")
    for method in plan.methods:
        if closed := why_closed(dataset, type(method)):
            raise InvalidPlan(f"{method.title}: {closed[0].lower()}{closed[1:]}")


def check_network_choice(dataset: Dataset, choice: ProtectionChoice, knowledge: str) -> NetworkPlan:
    """Return the plan a choice comes to; raises InvalidPlan with the sentence to show."""
    plan = compose_network_plan(dataset, choice, knowledge).to_plan()
    check_network_plan_fits(dataset, plan)
    return plan
