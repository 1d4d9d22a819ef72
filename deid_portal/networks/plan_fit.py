"""Whether a plan fits a network: what a run would refuse, said before anything is opened."""

from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.engine import EngineError, InvalidPlan
from deid_portal.engine.networks import NetworkPlan
from deid_portal.networks.composition import AnyPlan, compose_network_plan
from deid_portal.networks.guidance import why_closed
from deid_portal.plans.composition import ProtectionChoice, choice_of
from deid_portal.plans.models import Protection
from deid_portal.plans.services import check_plan_fits
from deid_portal.versions.selectors import Misfit, what_does_not_fit


def check_network_plan_fits(dataset: Dataset, plan: NetworkPlan) -> None:
    """Refuse what this network is too small or too large for; raises InvalidPlan."""
    if dataset.rows and any(getattr(model, "k", 0) > dataset.rows for model in plan.models):
        raise InvalidPlan(f"The network has {dataset.rows:,} people, so nobody hides among more.")
    for method in plan.methods:
        if closed := why_closed(dataset, type(method)):
            raise InvalidPlan(f"{method.title}: {closed[0].lower()}{closed[1:]}")


def check_any_plan_fits(dataset: Dataset, plan: AnyPlan) -> None:
    """Refuse what a plan asks and this table or network cannot give; raises InvalidPlan."""
    if isinstance(plan, NetworkPlan):
        check_network_plan_fits(dataset, plan)
    else:
        check_plan_fits(dataset, plan)


def check_network_choice(dataset: Dataset, choice: ProtectionChoice, knowledge: str) -> NetworkPlan:
    """Return the plan a choice comes to; raises InvalidPlan with the sentence to show."""
    plan = compose_network_plan(dataset, choice, knowledge).to_plan()
    check_network_plan_fits(dataset, plan)
    return plan


def what_does_not_fit_network(dataset: Dataset) -> list[Misfit]:
    """List what stands in the way of running the plan that was carried over."""
    found = what_does_not_fit(dataset)
    protection: Protection | None = getattr(dataset, "protection", None)
    if found or protection is None:
        return found
    try:
        knowledge = protection.answers.get("knowledge", "degree")
        check_network_choice(dataset, choice_of(protection), knowledge)
    except EngineError as error:
        there = reverse("networks:protection", args=[dataset.id])
        return [
            Misfit("The plan does not fit", str(error), "Change the plan", there, "shield-x"),
        ]
    return []
