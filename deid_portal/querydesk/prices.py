"""Price and accuracy of a question, from the question and the declared terms alone.

The data is never read: nothing of the vault is opened.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.differential import (
    QUESTIONS,
    NoiseForecast,
    PrivacySetting,
    PrivateQuestion,
    read_question,
)
from deid_portal.engine.differential.question import LARGEST_EPSILON
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.networks.questions import NETWORK_QUESTIONS, read_setting
from deid_portal.querydesk.amounts import atto_of, epsilon_of, micro_of, shown
from deid_portal.querydesk.models import Terms

CONFIDENCE = 0.95
CONFIDENCES = (0.9, 0.95, 0.99)


@dataclass(frozen=True)
class PricedQuestion:
    """A question with its price, as it would be asked."""

    question: PrivateQuestion
    micro: int
    delta_atto: int
    topic: str

    @property
    def document(self) -> dict[str, Any]:
        return dict(self.question.to_document())

    @property
    def fingerprint(self) -> str:
        return str(self.question.fingerprint())

    def forecast(self, confidence: float, rows: int | None = None) -> NoiseForecast:
        """Return the forecast of the answer; takes a second for a trained model."""
        return self.question.forecast(confidence, rows)


def setting_of(terms: Terms) -> PrivacySetting:
    return read_setting(terms.setting)


def kind_named(name: str) -> type[PrivateQuestion]:
    """Return a kind of question, whatever it is about."""
    return {**QUESTIONS, **NETWORK_QUESTIONS}[name]


def price_question(terms: Terms, document: Mapping[str, Any]) -> PricedQuestion:
    """Read a question at the ε it names; raises InvalidPlan with the sentence to show."""
    setting = setting_of(terms)
    micro = _agreed_micro(terms, document.get("epsilon"))
    question = read_question(setting, {**document, "epsilon": epsilon_of(micro)})
    same = read_question(setting, {**document, "epsilon": 1.0})
    return PricedQuestion(
        question,
        micro_of(question.price.epsilon),
        atto_of(question.price.delta),
        str(same.fingerprint()),
    )


def price_for_accuracy(
    terms: Terms,
    document: Mapping[str, Any],
    half_width: float,
    confidence: float,
    rows: int | None = None,
) -> PricedQuestion:
    """Find the ε that keeps the answer within `half_width` of the truth with this confidence."""
    setting = setting_of(terms)
    asked = read_question(setting, {**document, "epsilon": 1.0})
    epsilon = round_up(asked.with_accuracy(half_width, confidence, rows).price.epsilon)
    return price_question(terms, {**document, "epsilon": max(epsilon, _smallest(terms))})


def round_up(epsilon: float) -> float:
    """Round a price to few digits; up, so that the wanted accuracy is kept."""
    if not math.isfinite(epsilon) or epsilon <= 0:
        return epsilon
    steps = 100 if epsilon >= 0.1 else 1000 if epsilon >= 0.01 else 100_000
    return math.ceil(round(epsilon * steps, 6)) / steps


def _smallest(terms: Terms) -> float:
    return epsilon_of(terms.smallest_micro)


def _agreed_micro(terms: Terms, epsilon: Any) -> int:
    """Return the price in millionths; refuse an invalid one."""
    try:
        number = float(epsilon)
    except (TypeError, ValueError):
        raise InvalidPlan("Say what you want to pay: ε is a number, for example 0.5.") from None
    if not math.isfinite(number) or number <= 0:
        raise InvalidPlan("ε must be a number above 0, for example 0.5.")
    if number > LARGEST_EPSILON:
        raise InvalidPlan(
            f"ε {number:,g} would protect nobody. "
            f"{LARGEST_EPSILON:g} is the most one question may cost."
        )
    micro = micro_of(epsilon)
    if micro < terms.smallest_micro:
        raise InvalidPlan(
            f"The steward accepts ε {shown(terms.smallest_micro)} or more per question; "
            "less would be noise only."
        )
    return micro
