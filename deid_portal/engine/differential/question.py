"""The interface of every question: it is parsed, priced and forecast without the table."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, ClassVar, Self

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.fields import Field
from deid_portal.engine.differential.noise.forecast import CONFIDENCE, NoiseForecast
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import width_words
from deid_portal.engine.differential.selection.conditions import Condition, parse_conditions
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.differential.setting import PrivacySetting, parse_size
from deid_portal.engine.documents import Place, hash_document, plain_value
from deid_portal.engine.progress import Progress

SMALLEST_EPSILON = 1e-4
LARGEST_EPSILON = 20.0
COMMON = ("epsilon", "accuracy", "where")


@dataclass(frozen=True)
class PrivateQuestion(ABC):
    """A question with its price. Its own entries are dataclass fields named in `fields`."""

    setting: PrivacySetting
    epsilon: float
    where: tuple[Condition, ...]

    kind: ClassVar[str]
    label: ClassVar[str]  # on a tile
    tile: ClassVar[str]  # one line below it
    fields: ClassVar[tuple[Field, ...]] = ()
    has_accuracy: ClassVar[bool] = True  # an ε can be found from a wanted half width
    needs_delta: ClassVar[bool] = False  # it cannot be asked without a δ
    # What half widths are in: "people", "links", "percentiles", "squared"; empty: the unit of a
    # number column.
    answer_unit: ClassVar[str] = ""
    # Whether a half width is the largest distance of the answer from the truth. Where it is not,
    # the sentence of the forecast says what it is.
    width_is_distance: ClassVar[bool] = True
    is_count: ClassVar[bool] = False  # its one number counts people or links
    has_equal_intervals: ClassVar[bool] = True  # if it has several numbers

    @classmethod
    def parse(cls, place: Place, setting: PrivacySetting) -> Self:
        place.check_keys(required=("query",), optional=(*COMMON, *(own.name for own in cls.fields)))
        given = {own.name: own.read(place, setting) for own in cls.fields}
        question = cls(
            setting=setting,
            epsilon=LARGEST_EPSILON,
            where=parse_conditions(place["where"], setting),
            **given,
        )
        question.check(place)
        return question._priced(place)

    def check(self, place: Place) -> None:  # noqa: B027 - most have nothing to check
        """Refuse entries that do not fit each other or the setting."""

    def to_document(self) -> dict[str, Any]:
        """Return the question as asked, conditions sorted and defaults filled in."""
        own = {one.name: plain_value(getattr(self, one.name)) for one in self.fields}
        given = {name: value for name, value in own.items() if value is not None}
        conditions = [condition.to_document() for condition in self.where]
        return {"query": self.kind, **given, "where": conditions, "epsilon": self.epsilon}

    def fingerprint(self) -> str:
        """Return the same hash for the same question in the same setting."""
        setting = self.setting.to_document()
        setting["domains"] = {
            name: domain for name, domain in setting["domains"].items() if name in self.columns
        }
        return hash_document({"question": self.to_document(), "setting": setting})

    @property
    def columns(self) -> list[str]:
        """Return the columns the question looks at, the person's too."""
        named = [
            name
            for own in self.fields
            if getattr(self, own.name) is not None
            for name in own.columns_in(getattr(self, own.name))
        ]
        person = [self.setting.person.column] if self.setting.person else []
        return list(dict.fromkeys([*named, *(one.column for one in self.where), *person]))

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon)

    def words(self) -> str:
        """Return the question as a person says it; it may name declared values."""
        if not self.where:
            return f"{self.asks()}?"
        return f"{self.asks()}, where {' and '.join(one.words() for one in self.where)}?"

    @abstractmethod
    def asks(self) -> str:
        """Return the question without its conditions and question mark."""

    @property
    def depends_on_rows(self) -> bool:
        """Say whether its accuracy is known only together with the number of rows that fit."""
        return False

    @property
    def known_rows(self) -> int | None:
        """Return how many rows fit, where that is public: the declared size, if all of them do."""
        return None if self.where else self.setting.size

    @abstractmethod
    def forecast(self, confidence: float = CONFIDENCE, rows: int | None = None) -> NoiseForecast:
        """Say how much noise the answer will have if at least so many rows fit.

        Without `rows` the public number is taken. A wrong one costs no privacy: the answer gets the
        same noise, and the interval it comes with is made of noisy numbers alone.
        """

    @abstractmethod
    def explain(self) -> str:
        """Explain the mechanism, in plain words and as a formula."""

    @abstractmethod
    def ask(self, rows: SelectedRows, progress: Progress) -> NoisyResult:
        """Compute the answer, add the noise, and return only what may be shown."""

    def with_epsilon(self, epsilon: float) -> Self:
        return replace(self, epsilon=epsilon)

    def with_accuracy(
        self, half_width: float, confidence: float = CONFIDENCE, rows: int | None = None
    ) -> Self:
        """Return the question with the smallest ε that gives this; raises InvalidPlan."""
        return self._accurate(Place({}, "accuracy"), half_width, confidence, rows)

    def _priced(self, place: Place) -> Self:
        if ("epsilon" in place) == ("accuracy" in place):
            place.refuse('either "epsilon" or "accuracy" is needed.')
        if "epsilon" in place:
            return self.with_epsilon(read_epsilon(place["epsilon"]))
        here = place["accuracy"]
        here.check_keys(required=("half_width",), optional=("confidence", "rows"))
        confidence = float(here["confidence"].number()) if "confidence" in here else CONFIDENCE
        rows = parse_size(here["rows"])
        return self._accurate(here, float(here["half_width"].number()), confidence, rows)

    def _accurate(
        self, place: Place, half_width: float, confidence: float, rows: int | None
    ) -> Self:
        if not 0 < half_width < float("inf"):
            place["half_width"].refuse("a number above 0 is accepted.")
        if not 0.5 <= confidence <= 0.9999:
            place["confidence"].refuse("a number from 0.5 to 0.9999 is accepted.")
        largest = self.with_epsilon(LARGEST_EPSILON).forecast(confidence, rows)
        if largest.half_width is None:
            place.refuse(f"no accuracy can be promised for this; {largest.sentence}")
        if largest.half_width > half_width:
            place["half_width"].refuse(
                f"that is more exact than the largest epsilon gives; "
                f"{width_words(largest.half_width)} or more is accepted."
            )
        return self.with_epsilon(self._smallest_epsilon(half_width, confidence, rows))

    def _smallest_epsilon(self, half_width: float, confidence: float, rows: int | None) -> float:
        def is_enough(epsilon: float) -> bool:
            found = self.with_epsilon(epsilon).forecast(confidence, rows).half_width
            return found is not None and found <= half_width

        low, high = SMALLEST_EPSILON, LARGEST_EPSILON
        if is_enough(low):
            return low
        while high > low * (1 + 1e-7):
            middle = exp((log(low) + log(high)) / 2)
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return float(f"{high * (1 + 1e-6):.7g}")


def read_epsilon(place: Place) -> float:
    epsilon = float(place.number())
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        place.refuse(f"a number from {SMALLEST_EPSILON:g} to {LARGEST_EPSILON:g} is accepted.")
    return epsilon


def parse_with(
    kinds: Mapping[str, type[PrivateQuestion]], place: Place, setting: PrivacySetting
) -> PrivateQuestion:
    """Read a question of any kind."""
    place.check_object()
    kind = place["query"].choice(tuple(kinds))
    return kinds[kind].parse(place, setting)
