"""The price of a composed question, shown before anything is spent.

Accuracy, ε and slider are one value: the one changed last determines the others. The page also
sends their previous values, so this works without scripts. The data is not read: everything follows
from the question, the terms and the ledger.
"""

import math
import re
from dataclasses import dataclass, replace

from django.http import QueryDict

from deid_portal.accounts.models import User
from deid_portal.engine.differential import NoiseForecast, read_question
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.wording.numbers import NBSP
from deid_portal.querydesk.amounts import epsilon_of, read_typed_number, shown
from deid_portal.querydesk.expected_rows import ExpectedRows, expect_rows
from deid_portal.querydesk.ledger import Balance, balance_of
from deid_portal.querydesk.models import Desk, Question, Terms
from deid_portal.querydesk.prices import (
    CONFIDENCE,
    CONFIDENCES,
    PricedQuestion,
    price_for_accuracy,
    price_question,
    round_up,
)
from deid_portal.querydesk.question_form import ComposedQuestion
from deid_portal.querydesk.selectors import closer_answer, stored_answer
from deid_portal.querydesk.vocabulary import (
    question_kind_words,
    sure_words,
    write_factor,
    write_surest_guess,
    write_wanted,
    write_width,
)

STEPS = 100
USUAL_MOST = 2.0


@dataclass(frozen=True)
class Tick:
    """A position of the slider with its price and accuracy."""

    epsilon: str
    width: str


@dataclass(frozen=True)
class Quote:
    """The price of the question, its accuracy, and whether the balance is enough."""

    balance: Balance
    epsilon: str
    accuracy: str
    slider: int
    confidence: float
    ticks: list[Tick]
    rows: ExpectedRows | None = None  # how many are supposed to fit, where accuracy depends on it
    priced: PricedQuestion | None = None
    forecast: NoiseForecast | None = None
    problem: str = ""
    free: Question | None = None  # the same question, answered or queued
    closer: Question | None = None  # the same question, answered more exactly
    closer_priced: PricedQuestion | None = None
    closer_width: str = ""
    fit_epsilon: str = ""  # what the balance could pay for
    fit_width: str = ""

    @property
    def width(self) -> float | None:
        return self.forecast.half_width if self.forecast else None

    @property
    def stored(self) -> Question | None:
        """The best answer that was paid for already, if it is as exact as this one or more."""
        return self.free or self.closer

    @property
    def to_ask(self) -> PricedQuestion | None:
        """What the main button asks: nobody pays for less than is there already."""
        return self.closer_priced or self.priced

    @property
    def micro(self) -> int:
        if self.priced is None or self.stored is not None:
            return 0
        return self.priced.micro

    @property
    def price(self) -> str:
        return shown(self.micro)

    @property
    def is_short(self) -> bool:
        return self.micro > self.balance.left

    @property
    def can_ask(self) -> bool:
        return self.priced is not None and not self.is_short

    @property
    def left_after(self) -> str:
        return shown(max(self.balance.left - self.micro, 0))

    @property
    def share_words(self) -> str:
        if not self.balance.left or self.is_short:
            return "more than is left"
        share = 100 * self.micro / self.balance.left
        return (
            f"{share:.0f}{NBSP}% of what is left"
            if share >= 1
            else f"under 1{NBSP}% of what is left"
        )

    @property
    def promise(self) -> str:
        """The accuracy of the answer, in words."""
        if self.priced is None or self.forecast is None:
            return ""
        if self.width is None or not self.priced.question.width_is_distance:
            return self.forecast.sentence
        if not self.width:
            return f"{sure_words(self.confidence)} are exact."
        off = write_width(self.width)
        return f"{sure_words(self.confidence)} lie within {off} of the truth{self._supposing}."

    @property
    def _supposing(self) -> str:
        return f" if {self.rows.number:,} or more fit" if self.rows else ""

    @property
    def odds(self) -> str:
        """The factor by which an answer can be likelier with a person than without."""
        if self.priced is None:
            return ""
        return write_factor(math.exp(self.priced.question.price.epsilon))

    @property
    def surest_guess(self) -> str:
        """The largest posterior chance of a guess whose prior chance was 1/2."""
        if self.priced is None:
            return ""
        return write_surest_guess(self.priced.question.price.epsilon)


def quote(
    desk: Desk, terms: Terms, person: User, composition: ComposedQuestion, posted: QueryDict
) -> Quote:
    """Return the price of the form's question; a problem is a message in it, never an exception."""
    reader = _QuoteReader(desk, terms, composition, posted)
    offer = Quote(
        balance=balance_of(desk, person, terms),
        epsilon=reader.text("epsilon"),
        accuracy=reader.text("accuracy"),
        slider=reader.slider(),
        confidence=reader.confidence,
        ticks=[],
    )
    try:
        offer = replace(offer, rows=reader.suppose_rows())
        offer = replace(offer, ticks=reader.ticks())
        priced = reader.price()
    except InvalidPlan as reason:
        return replace(offer, problem=_plain(str(reason), composition))
    offer = replace(
        offer,
        priced=priced,
        epsilon=shown(priced.micro),
        slider=reader.place_of(epsilon_of(priced.micro)),
        forecast=reader.forecast(priced),
        free=stored_answer(desk, terms, priced),
    )
    if reader.lead() != "accuracy" or offer.width is None:
        offer = replace(offer, accuracy=write_wanted(offer.width))
    if offer.free is None:
        offer = _with_closer_answer(offer, reader, closer_answer(desk, terms, priced))
    return _with_what_fits(offer, reader) if offer.is_short else offer


def _with_closer_answer(offer: Quote, reader: "_QuoteReader", closer: Question | None) -> Quote:
    """Add an answer that is more exact than what was asked for, and costs nothing any more."""
    if closer is None:
        return offer
    priced = price_question(reader.terms, closer.document)
    width = reader.forecast(priced).half_width
    words = "" if width is None else write_width(width)
    return replace(offer, closer=closer, closer_priced=priced, closer_width=words)


def _with_what_fits(offer: Quote, reader: "_QuoteReader") -> Quote:
    """Add the largest ε the balance allows, if any."""
    left = offer.balance.left
    if left < reader.terms.smallest_micro:
        return offer
    try:
        fitting = price_question(reader.terms, {**reader.document(), "epsilon": epsilon_of(left)})
    except InvalidPlan:
        return offer
    width = reader.forecast(fitting).half_width
    return replace(
        offer,
        fit_epsilon=shown(fitting.micro),
        fit_width=write_width(width) if width else "",
    )


def _plain(sentence: str, composition: ComposedQuestion) -> str:
    """Replace the engine's place by the form's: the field, or the column of a condition."""
    place, colon, rest = sentence.partition(": ")
    if not colon or " " in place:
        return sentence
    condition = re.match(r"where\[(\d+)\]", place)
    if condition and int(condition[1]) < len(composition.where):
        return f"{composition.where[int(condition[1])]['column']}: {rest}"
    labels = {own.name: own.label.removeprefix("Or ") for own in composition.kind.fields}
    if place == "accuracy" and "no accuracy" in rest:
        return _begin_large(rest)
    label = {**labels, "accuracy.half_width": "How exact"}.get(place.partition("[")[0])
    return _begin_large(f"{label}: {rest}" if label else rest)


def _begin_large(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


class _QuoteReader:
    def __init__(
        self, desk: Desk, terms: Terms, composition: ComposedQuestion, posted: QueryDict
    ) -> None:
        self.desk, self.terms = desk, terms
        self.composition, self.posted = composition, posted
        self.is_around = question_kind_words(composition.kind.kind).is_around
        self.rows: int | None = None
        self.confidence = self._confidence()
        self.low = epsilon_of(terms.smallest_micro)
        self.high = min(max(USUAL_MOST, 20 * self.low), 20.0)

    def text(self, name: str) -> str:
        return str(self.posted.get(name, "") or "").strip()

    def document(self) -> dict[str, object]:
        return self.composition.document()

    def suppose_rows(self) -> ExpectedRows | None:
        """Return about how many rows fit, if accuracy or question depend on it."""
        if not self.composition.says_rows:
            asked = read_question(self.composition.setting, {**self.document(), "epsilon": 1.0})
            if not asked.depends_on_rows:
                return None
        found = expect_rows(self.desk, self.terms, self.composition, self.text("rows"))
        self.rows = found.number
        self.composition = self.composition.with_rows(found.number)
        return found

    def _confidence(self) -> float:
        chosen = self.text("confidence")
        return next((one for one in CONFIDENCES if f"{one:g}" == chosen), CONFIDENCE)

    def slider(self) -> int:
        text = self.text("slider")
        return min(int(text), STEPS) if text.isascii() and text.isdigit() else 0

    def price(self) -> PricedQuestion:
        lead = self.lead()
        if lead == "accuracy":
            return self._price_for_accuracy()
        if lead == "epsilon":
            return price_question(self.terms, {**self.document(), "epsilon": self._epsilon()})
        return price_question(self.terms, {**self.document(), "epsilon": self._at(self.slider())})

    def lead(self) -> str:
        """Return which of the three was changed; initially the cheapest is shown."""
        if self.text("set-epsilon"):
            return "epsilon"
        changed = [
            name
            for name in ("accuracy", "epsilon", "slider")
            if self.text(name) and self.text(name) != self.text(f"was-{name}")
        ]
        if changed:
            return changed[0]
        return "epsilon" if self.text("epsilon") else "slider"

    def _price_for_accuracy(self) -> PricedQuestion:
        wanted = read_typed_number(self.text("accuracy").lstrip("± "))
        if wanted is None:
            raise InvalidPlan("Say how exact the answer must be: a number above 0.")
        document = self.document()
        return price_for_accuracy(self.terms, document, wanted, self.confidence, self.rows)

    def _epsilon(self) -> float | None:
        return read_typed_number(self.text("set-epsilon") or self.text("epsilon"))

    def _at(self, place: int) -> float:
        return max(round_up(self.low * (self.high / self.low) ** (place / STEPS)), self.low)

    def place_of(self, epsilon: float) -> int:
        if self.high <= self.low:
            return 0
        place = math.log(epsilon / self.low) / math.log(self.high / self.low)
        return min(max(round(STEPS * place), 0), STEPS)

    def forecast(self, priced: PricedQuestion) -> NoiseForecast:
        return priced.forecast(self.confidence, self.rows)

    def ticks(self) -> list[Tick]:
        """Three positions of the slider; without widths if there is no forecast."""
        prices = [self._at(place) for place in (0, STEPS // 2, STEPS)]
        return [Tick(f"{epsilon:.2f}", self._width_at(epsilon)) for epsilon in prices]

    def _width_at(self, epsilon: float) -> str:
        if not self.composition.can_be_exact:
            return ""
        try:
            priced = price_question(self.terms, {**self.document(), "epsilon": epsilon})
        except InvalidPlan:
            return ""
        width = self.forecast(priced).half_width
        if width is None:
            return ""
        if not width:
            return "exact"
        return f"± {write_width(width)}" if self.is_around else write_width(width)
