"""Carrying the protection over to the next version of a table, and finding what does not fit."""

from collections.abc import Iterator
from typing import Any

from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.engine import EngineError
from deid_portal.engine.methods import METHODS
from deid_portal.engine.parameters import columns_named
from deid_portal.engine.privacy import MODELS, sensitive_columns_of
from deid_portal.plans.composition import choice_of
from deid_portal.plans.models import Protection
from deid_portal.plans.policies import check_protection_chosen
from deid_portal.plans.services import check_choice
from deid_portal.web.refusals import refusal


def copy_protection(before: Dataset, dataset: Dataset) -> Protection | None:
    """Copy the protection; its author stays the same, who may not approve its releases."""
    chosen = Protection.objects.filter(dataset=before).first()
    if chosen is None:
        return None
    return Protection.objects.create(
        dataset=dataset,
        rules=chosen.rules,
        method=chosen.method,
        measures=chosen.measures,
        answers=chosen.answers,
        changed_by=chosen.changed_by,
    )


def misfits_of_protection(dataset: Dataset, *, thorough: bool = False) -> list[str]:
    """Return a sentence for each problem of the chosen protection with the columns.

    Names are always compared. With `thorough` the engine also validates the whole plan, once
    columns and taxonomies are complete; that may load columns.
    """
    protection: Protection | None = getattr(dataset, "protection", None)
    if protection is None:
        return []
    roles = {column.name: column.role for column in dataset.columns.all()}
    found = list(dict.fromkeys([*_misfits_of_rules(protection, roles), *_gone(protection, roles)]))
    if found or not thorough or refusal(check_protection_chosen, dataset):
        return found
    try:
        check_choice(dataset, choice_of(protection))
    except EngineError as error:
        return [str(error)]
    return []


def _misfits_of_rules(protection: Protection, roles: dict[str, str]) -> Iterator[str]:
    for rule in protection.rules:
        for name in sensitive_columns_of(rule):
            if name in roles and roles[name] != ColumnRoleChoices.SENSITIVE:
                yield f"The rule {rule['model']} is about {name}, which is not sensitive here."


def _gone(protection: Protection, roles: dict[str, str]) -> Iterator[str]:
    """Return the columns that rules and methods need and the file does not have."""
    for rule in protection.rules:
        for name in _names_in(rule, MODELS[rule["model"]]):
            if name not in roles:
                yield f"The rule {rule['model']} is about {name}, which this file does not have."
    for method in choice_of(protection).methods:
        for name in _names_in(method, METHODS[method["name"]]):
            if name not in roles:
                yield f"The method {method['name']} needs {name}, which this file does not have."


def _names_in(document: dict[str, Any], kind: Any) -> Iterator[str]:
    return columns_named(kind.parameters, document)
