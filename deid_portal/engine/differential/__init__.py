"""Private answers: questions about a table, answered with noise, at a price in ε.

Everything about a question but its answer is known without the table: what it costs, how much noise
it gets, how wide its interval is.
"""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from deid_portal.engine.differential.answer import PrivateAnswer, answer
from deid_portal.engine.differential.budget.composition import (
    Bound,
    CompositionBounds,
    compose_prices,
)
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
    "compose_prices",
    "kinds_of",
    "load_query_plan",
    "parse_question",
    "read_question",
]


def parse_question(document: Mapping[str, Any] | Place, setting: PrivacySetting) -> PrivateQuestion:
    """Read a question; raises InvalidPlan with one sentence that names the place."""
    place = document if isinstance(document, Place) else Place(document)
    return parse_with(QUESTIONS, place, setting)


@singledispatch
def kinds_of(setting: PrivacySetting) -> dict[str, type[PrivateQuestion]]:
    """Return what can be asked under a setting, in the order it is shown."""
    return {kind: QUESTIONS[kind] for kind in QUESTIONS}


@singledispatch
def read_question(setting: PrivacySetting, document: Mapping[str, Any]) -> PrivateQuestion:
    """Read a question as its setting allows it; other settings register their own reader."""
    return parse_question(document, setting)
