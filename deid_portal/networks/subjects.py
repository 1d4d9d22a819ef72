"""What is true of networks, where rooms ask what a dataset is about."""

from collections.abc import Mapping
from typing import Any, ClassVar

from deid_portal.datasets.subjects import Subject, SubjectKind
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


class NetworkSubject(Subject, kind=SubjectKind.NETWORK):
    noun, series_noun, unit, icon = "network", "network", "people", "network"
    contents, single = "people and their links", "a person or a link"
    never_shown = "No link is ever shown"
    place, list_page, upload_page = "Networks", "networks:list", "networks:new"
    pages: ClassVar[Mapping[str, str]] = {
        "preview": "networks:show",
        "reading": "networks:reading",
        "protection": "networks:protection",
        "document": "networks:document",
        "changes": "networks:changes",
    }
    release_ending = "zip"  # an archive of all its files: one hash stands for the whole release
    takes_seed = needs_taxonomies = treats_identifiers = leaves_people_out = False

    @property
    def page_after_reading(self) -> str:
        if self.dataset.file_format.get("header_is_guessed"):
            return "networks:show"  # which asks whether the first line is a header
        return "networks:changes" if self.dataset.previous_id else "networks:risk"

    @property
    def size_words(self) -> str:
        return f"{self.dataset.network.links:,} links"


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
        """The engine judges the plan as a whole, once every column has a role and every value a
        place.
        """
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
