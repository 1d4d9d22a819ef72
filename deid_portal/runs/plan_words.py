"""What a plan asks for, in a few words: for titles, lists and messages. Never a value."""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.networks import is_network_plan
from deid_portal.engine.wording.knowledge import KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import percent
from deid_portal.plans.changes import Basis, limit_of, look_alikes_of


def plan_words(plan: Mapping[str, Any]) -> str:
    """For example: 12 quasi-identifiers, hides among 5, up to 5 % left out."""
    if is_network_plan(plan):
        return f"{short_words(plan)}, {methods_words(plan)}"
    columns = plan.get("columns", {}).values()
    quasi = sum(column.get("role") == "quasi-identifier" for column in columns)
    counted = "1 quasi-identifier" if quasi == 1 else f"{quasi} quasi-identifiers"
    limit = limit_of(Basis(dict(plan)))
    left_out = "" if limit is None else f"up to {percent(limit)} left out" if limit else "all kept"
    return ", ".join(part for part in (counted, short_words(plan), left_out) if part)


def methods_words(plan: Mapping[str, Any]) -> str:
    return ", then ".join(method["name"] for method in Basis(dict(plan)).methods)


def short_words(plan: Mapping[str, Any]) -> str:
    """For example: hides among 5; else what the first rule or method is called."""
    look_alikes = look_alikes_of(Basis(dict(plan)))
    if is_network_plan(plan):
        known = KNOWLEDGE_TITLES[plan.get("knowledge", "degree")].lower()
        return f"{known}: hides among {look_alikes}" if look_alikes else known
    if look_alikes:
        return f"hides among {look_alikes}"
    models = plan.get("models") or []
    if models:
        return str(models[0]["model"])
    methods = plan.get("method") or {}
    first = methods[0] if isinstance(methods, list) else methods
    return str(first.get("name", ""))
