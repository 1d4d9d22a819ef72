from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import InvalidPlan, Plan, Table
from deid_portal.engine.documents import Place
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.plans.composition import ProtectionChoice, choice_of, compose_plan
from deid_portal.plans.models import Protection
from deid_portal.plans.proposals import Answers
from deid_portal.taxonomies.policies import check_taxonomies_complete


def choose_protection(
    *,
    dataset: Dataset,
    chosen_by: User,
    rules: list[dict[str, Any]],
    method: dict[str, Any] | list[dict[str, Any]],
    measures: dict[str, Any] | None = None,
    weights: dict[str, float] | None = None,
    seed: int | None = None,
    answers: Answers | None = None,
) -> Plan:
    """Save a choice; raises InvalidPlan, without saving, if it is invalid."""
    check_can_change(chosen_by, dataset)
    check_taxonomies_complete(dataset)
    choice = ProtectionChoice(rules, method, measures or {}, weights or {}, seed)
    plan = check_choice(dataset, choice)
    written = answers.to_document() if answers is not None else {}
    saved: Protection | None = getattr(dataset, "protection", None)
    if saved is not None and choice_of(saved) == choice and saved.answers == written:
        return plan  # already saved; its author stays the same
    with transaction.atomic():
        _write(dataset, choice, answers=written, changed_by=chosen_by)
        record_event(
            "plan.protection_chosen",
            actor=chosen_by,
            team=dataset.team,
            subject=dataset,
            facts={
                "rules": [model.name for model in plan.models],
                "methods": [method.name for method in plan.methods],
                "plan_sha256": plan.sha256,
            },
        )
    return plan


def _write(
    dataset: Dataset, choice: ProtectionChoice, *, answers: dict[str, Any], changed_by: User
) -> None:
    Protection.objects.update_or_create(
        dataset=dataset,
        defaults={
            "rules": choice.rules,
            "method": choice.method,
            "measures": choice.measures,
            "weights": choice.weights,
            "seed": choice.seed,
            "answers": answers,
            "changed_by": changed_by,
        },
    )
    dataset.save(update_fields=["changed_at"])


def check_choice(dataset: Dataset, choice: ProtectionChoice) -> Plan:
    """Validate a choice, also against the table; raises InvalidPlan with the message to show."""
    plan = compose_plan(dataset, choice).to_plan()
    plan.check_seed()
    for name in choice.weights:
        if name not in plan.quasi_identifiers:
            raise InvalidPlan(f'weights: only quasi-identifiers have a weight; "{name}" is none.')
    check_plan_fits(dataset, plan)
    return plan


def check_plan_fits(dataset: Dataset, plan: Plan) -> None:
    """Refuse a plan that does not fit this table; raises InvalidPlan."""
    for index, model in enumerate(plan.models):
        place = Place(model.to_document(), f"models[{index}]")
        model.check_rows(place, dataset.rows)
        if type(model).check_table is not PrivacyModel.check_table:
            model.check_table(place, _columns_of(dataset, plan, model))


def _columns_of(dataset: Dataset, plan: Plan, model: PrivacyModel) -> Table:
    """Load the columns a model counts."""
    chosen = dataset.columns.filter(name__in=model.counted_columns)
    return plan.typed(Table(tuple(values_of(column) for column in chosen)))
