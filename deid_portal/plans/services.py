from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import check_can_change
from deid_portal.engine import Plan
from deid_portal.engine.documents import Place
from deid_portal.plans.composition import compose_plan
from deid_portal.plans.models import Protection
from deid_portal.taxonomies.policies import check_taxonomies_complete


def choose_protection(
    *, dataset: Dataset, chosen_by: User, rules: list[dict[str, Any]], method: dict[str, Any]
) -> Plan:
    """Keep rules and method; raises InvalidPlan, and keeps nothing, if they make no sense."""
    check_can_change(chosen_by, dataset)
    check_taxonomies_complete(dataset)
    plan = compose_plan(dataset, rules=rules, method=method).to_plan()
    for model in plan.models:
        model.check_rows(Place(model.to_document(), model.name), dataset.rows)
    with transaction.atomic():
        Protection.objects.update_or_create(
            dataset=dataset,
            defaults={"rules": rules, "method": method, "changed_by": chosen_by},
        )
        dataset.save(update_fields=["changed_at"])
        record_event(
            "plan.protection_chosen",
            actor=chosen_by,
            team=dataset.team,
            subject=dataset,
            facts={"rules": [rule["model"] for rule in rules], "plan_sha256": plan.sha256},
        )
    return plan
