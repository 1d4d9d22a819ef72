"""Private answers: questions about a table, answered with noise, at a price in ε.

Everything about a question but its answer is known without the table: what it costs, how much noise
it gets, how wide its interval is.
"""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.differential.answer import Answer, answer
from deid_portal.engine.differential.composition import Bound, Composition, compose
from deid_portal.engine.differential.domains import NumberDomain, ValuesDomain
from deid_portal.engine.differential.forecast import Forecast
from deid_portal.engine.differential.plan import QueryPlan, answer_plan, load_query_plan
from deid_portal.engine.differential.price import Price
from deid_portal.engine.differential.question import Question, parse_with
from deid_portal.engine.differential.questions import QUESTIONS
from deid_portal.engine.differential.setting import Neighbours, PersonUnit, Setting
from deid_portal.engine.documents import Place

__all__ = [
    "QUESTIONS",
    "Answer",
    "Bound",
    "Composition",
    "Forecast",
    "Neighbours",
    "NumberDomain",
    "PersonUnit",
    "Price",
    "QueryPlan",
    "Question",
    "Setting",
    "ValuesDomain",
    "answer",
    "answer_plan",
    "compose",
    "load_query_plan",
    "parse_question",
]


def parse_question(document: Mapping[str, Any] | Place, setting: Setting) -> Question:
    """Read a question; raises InvalidPlan with one sentence that names the place."""
    place = document if isinstance(document, Place) else Place(document)
    return parse_with(QUESTIONS, place, setting)
