"""The planning part of the subject of networks."""

from collections.abc import Mapping
from typing import Any

from deid_portal.datasets.subjects import SubjectKind
from deid_portal.engine import EngineError, InvalidPlan
from deid_portal.engine.networks import NetworkPlan
from deid_portal.networks.composition import chosen_knowledge, compose_network_plan
from deid_portal.networks.plan_fit import check_network_choice, check_network_plan_fits
from deid_portal.networks.policies import (
    check_attributes_decided,
    check_network_protection_chosen,
)
from deid_portal.plans.basis import AnyPlan
from deid_portal.plans.composition import ComposedNetworkPlan, ProtectionChoice, choice_of
from deid_portal.plans.models import Protection
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.web.refusals import refusal


class PlannedNetwork(PlannedSubject, kind=SubjectKind.NETWORK):
    def check_plan_chosen(self) -> None:
        check_network_protection_chosen(self.dataset)

    def compose(self) -> ComposedNetworkPlan:
        protection = self.dataset.protection
        return compose_network_plan(
            self.dataset, choice_of(protection), chosen_knowledge(protection)
        )

    def compose_again(
        self, choice: ProtectionChoice, approved: Mapping[str, Any]
    ) -> ComposedNetworkPlan:
        check_network_choice(self.dataset, choice, approved["knowledge"])
        return compose_network_plan(self.dataset, choice, approved["knowledge"])

    def check_fits(self, plan: AnyPlan) -> None:
        if not isinstance(plan, NetworkPlan):
            raise InvalidPlan("This is the plan of a table, and this is a network.")
        check_network_plan_fits(self.dataset, plan)

    def misfits(self, *, thorough: bool = False) -> list[str]:
        """Return the problem found by the engine, once columns and taxonomies are complete."""
        protection: Protection | None = getattr(self.dataset, "protection", None)
        if not thorough or protection is None or self._has_open_columns():
            return []
        try:
            check_network_choice(self.dataset, choice_of(protection), chosen_knowledge(protection))
        except EngineError as error:
            return [str(error)]
        return []

    def _has_open_columns(self) -> bool:
        without_place = self.dataset.columns.filter(taxonomy__uncovered__gt=0)
        return bool(refusal(check_attributes_decided, self.dataset)) or without_place.exists()
