"""A plan that asks questions: {"plan": 1, "privacy": …, "domains": …, "queries": […]}."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid_portal.engine.differential.answer import PrivateAnswer, answer, check_columns
from deid_portal.engine.differential.budget.composition import CompositionBounds, compose_prices
from deid_portal.engine.differential.question import PrivateQuestion, parse_with
from deid_portal.engine.differential.questions import QUESTIONS
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.documents import PLAN_VERSION, Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Table
from deid_portal.engine.version import ENGINE_VERSION

MOST_QUERIES = 1000


@dataclass(frozen=True)
class QueryPlan:
    """A setting and the questions asked in it, all of them known before the first is answered."""

    setting: PrivacySetting
    questions: tuple[PrivateQuestion, ...]

    @classmethod
    def from_document(cls, document: Any) -> "QueryPlan":
        """Read a plan, refusing anything unknown; raises InvalidPlan with the place."""
        place = Place(document)
        place.check_keys(required=("plan", "privacy", "domains", "queries"))
        if place["plan"].value != PLAN_VERSION or isinstance(place["plan"].value, bool):
            place["plan"].refuse(f"version {PLAN_VERSION} is accepted.")
        place["privacy"].check_keys(("neighbours",), ("person", "size", "delta"))
        setting = PrivacySetting.parse(place["privacy"], place["domains"])
        items = read_queries(place)
        return cls(setting, tuple(parse_with(QUESTIONS, item, setting) for item in items))

    def to_document(self) -> dict[str, Any]:
        privacy = self.setting.to_document()
        domains = privacy.pop("domains")
        queries = [question.to_document() for question in self.questions]
        return {"plan": PLAN_VERSION, "privacy": privacy, "domains": domains, "queries": queries}

    def spent(self) -> CompositionBounds:
        """Return what all answers cost together; their prices are fixed, so every bound holds."""
        prices = [question.price for question in self.questions]
        return compose_prices(
            prices, sum(one.delta for one in prices) + (self.setting.delta or 0.0)
        )


def read_queries(place: Place) -> list[Place]:
    items = place["queries"].items()
    if not 1 <= len(items) <= MOST_QUERIES:
        place["queries"].refuse(f"a list of 1 to {MOST_QUERIES} questions is accepted.")
    return items


def answer_plan(
    table: Table, plan: QueryPlan, progress: ProgressCallback | None = None
) -> dict[str, Any]:
    """Answer every question of a plan and return the report."""
    for question in plan.questions:
        check_columns(table, question)
    return report_of(plan, [answer(table, question, progress) for question in plan.questions])


def report_of(plan: QueryPlan, answers: Sequence[PrivateAnswer]) -> dict[str, Any]:
    """Return the report of a plan.

    Unlike other reports it says neither how many rows the table has nor its hash: both are answers
    without noise.
    """
    return {
        "report": 1,
        "plan": plan.to_document(),
        "engine": ENGINE_VERSION,
        "answers": [one.to_document() for one in answers],
        "spent": plan.spent().to_document(),
    }


def load_query_plan(path: Path) -> QueryPlan:
    """Read a plan file."""
    return QueryPlan.from_document(load_document(path))


def load_document(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidPlan(f'There is no readable plan at "{path}".') from None
    except (ValueError, RecursionError):
        raise InvalidPlan(f'The plan "{path}" is not valid JSON.') from None
