"""Private answers: questions about a table, answered with noise, at a price in ε.

Everything about a question but its answer is known without the table: what it costs, how much noise
it gets, how wide its interval is.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.differential.answer import PrivateAnswer, answer
from deid_portal.engine.differential.budget.composition import Bound, CompositionBounds, compose
from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.noise.forecast import NoiseForecast
from deid_portal.engine.differential.plan import QueryPlan, answer_plan, load_query_plan
from deid_portal.engine.differential.question import PrivateQuestion, parse_with
from deid_portal.engine.differential.questions import QUESTIONS
from deid_portal.engine.differential.selection.domains import NumberDomain, ValuesDomain
from deid_portal.engine.differential.setting import Neighbours, PersonUnit, PrivacySetting
from deid_portal.engine.documents import Place

__all__ = [
    "QUESTIONS",
    "Bound",
    "CompositionBounds",
    "Neighbours",
    "NoiseForecast",
    "NumberDomain",
    "PersonUnit",
    "PrivacyPrice",
    "PrivacySetting",
    "PrivateAnswer",
    "PrivateQuestion",
    "QueryPlan",
    "ValuesDomain",
    "answer",
    "answer_plan",
    "compose",
    "load_query_plan",
    "parse_question",
]


def parse_question(document: Mapping[str, Any] | Place, setting: PrivacySetting) -> PrivateQuestion:
    """Read a question; raises InvalidPlan with one sentence that names the place."""
    place = document if isinstance(document, Place) else Place(document)
    return parse_with(QUESTIONS, place, setting)
