"""What planning asks of a dataset: its plan as it is chosen now, and whether it fits."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine import InvalidPlan, Plan
from deid_portal.plans.basis import AnyPlan
from deid_portal.plans.carry_over import misfits_of_protection
from deid_portal.plans.composition import (
    AnyComposedPlan,
    ProtectionChoice,
    compose_chosen_plan,
    compose_plan,
)
from deid_portal.plans.policies import check_protection_chosen
from deid_portal.plans.services import check_choice, check_plan_fits


class PlannedSubject(SubjectPart):
    @abstractmethod
    def check_plan_chosen(self) -> None:
        """Refuse a run whose protection is not chosen yet."""

    @abstractmethod
    def compose(self) -> AnyComposedPlan:
        """Return the plan as it is chosen now."""

    @abstractmethod
    def compose_again(
        self, choice: ProtectionChoice, approved: Mapping[str, Any]
    ) -> AnyComposedPlan:
        """Lay an approved choice over the columns of this version; raises InvalidPlan.

        `approved` is the plan it was made in.
        """

    @abstractmethod
    def check_fits(self, plan: AnyPlan) -> None:
        """Refuse what a plan asks and this dataset cannot give; raises InvalidPlan."""

    @abstractmethod
    def misfits(self, *, thorough: bool = False) -> list[str]:
        """Say, a sentence each, what of the chosen protection does not fit this version."""


class PlannedTable(PlannedSubject, kind=SubjectKind.TABLE):
    def check_plan_chosen(self) -> None:
        check_protection_chosen(self.dataset)

    def compose(self) -> AnyComposedPlan:
        return compose_chosen_plan(self.dataset.protection)

    def compose_again(
        self, choice: ProtectionChoice, approved: Mapping[str, Any]
    ) -> AnyComposedPlan:
        check_choice(self.dataset, choice)
        return compose_plan(self.dataset, choice)

    def check_fits(self, plan: AnyPlan) -> None:
        if not isinstance(plan, Plan):
            raise InvalidPlan("This is the plan of a network, and this is a table.")
        check_plan_fits(self.dataset, plan)

    def misfits(self, *, thorough: bool = False) -> list[str]:
        return misfits_of_protection(self.dataset, thorough=thorough)


def check_plan_chosen(dataset: Dataset) -> None:
    """Refuse a run of a table or a network whose protection is not chosen yet."""
    PlannedSubject.of(dataset).check_plan_chosen()
