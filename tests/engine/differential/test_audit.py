"""Every mechanism and every kind of question before the auditor, with real noise.

It must accept ours and reject the broken ones; both are certain but for chances said in
`auditor.py` and computed below. Tables are fixed, noise is not seeded: it cannot be.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from deid_portal.engine.differential import Price, Question, Setting, answer
from deid_portal.engine.differential.grid import WHOLE, Grid
from deid_portal.engine.differential.local import check_local, randomize, respond, two_coins
from deid_portal.engine.differential.mechanisms import NoiseMechanism
from deid_portal.engine.differential.mechanisms.bounded_laplace import BoundedLaplace
from deid_portal.engine.differential.mechanisms.choosing import Exponential, NoisyMax
from deid_portal.engine.differential.mechanisms.discrete_gaussian import DiscreteGaussian
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.mechanisms.laplace_with_delta import LaplaceWithDelta
from deid_portal.engine.differential.noise import GAUSSIAN, GEOMETRIC, LAPLACE, Noise
from deid_portal.engine.differential.questions.choosing import ChoosingQuestion
from deid_portal.engine.differential.questions.logistic_regression import (
    LogisticRegression,
    NoisyGradients,
    find_noise_multiplier,
)
from deid_portal.engine.differential.questions.noisy import NoisyQuestion
from deid_portal.engine.differential.rows import Rows
from tests.engine.differential import auditor
from tests.engine.differential.auditor import accuse_choice, accuse_noise, accuse_outcomes
from tests.engine.differential.neighbours import BASE, HIGH, table, worst_pairs
from tests.engine.differential.questions import KINDS as ALL_KINDS
from tests.engine.differential.questions import NEIGHBOURS, ask, setting

PERSON = {"column": "person", "rows": 2}
# Few candidates, since each costs noise and the price does not depend on how many there are.
KINDS = [
    (kind, {**entry, "step": 250} if kind in ("median", "quantiles") else entry)
    for kind, entry in ALL_KINDS
    if kind != "logistic-regression"  # below
]
# With several rows a person, one example of each kind will do.
CAPPED = list(dict(reversed(KINDS)).items())


def test_a_false_alarm_is_rarer_than_once_in_ten_thousand_runs() -> None:
    pairs = 2  # of neighbors, for each question and relation
    honest = pairs * len(NEIGHBOURS) * (len(KINDS) + len(CAPPED)) + 40  # and the rest below
    assert honest <= auditor.CALLS
    assert 2 * 2 * auditor.EVENTS * auditor.CALLS * auditor.CHANCE < 1e-4 / 5


def is_accused(question: Question, own: Setting, drawn_by: Question | None = None) -> bool:
    """Say whether the auditor rejects a question; `drawn_by` draws in its place."""
    really = drawn_by or question
    return any(accuses(question, one, other, really) for one, other in worst_pairs(own))


def accuses(question: Question, one: Any, other: Any, drawn_by: Question) -> bool:
    first, second = (Rows.choose(own, drawn_by.setting, drawn_by.where) for own in (one, other))
    if isinstance(question, NoisyQuestion):
        assert isinstance(drawn_by, NoisyQuestion)
        exact = drawn_by.measure(first), drawn_by.measure(second)
        noises = drawn_by.noises()
        return accuse_noise(question.noises(), *exact, question.price, (noises, noises))
    assert isinstance(question, ChoosingQuestion)
    assert isinstance(drawn_by, ChoosingQuestion)
    promised = [chooser.price for chooser in question.choosers()]
    return accuse_choice(
        drawn_by.choosers(), drawn_by.score(first), drawn_by.score(second), promised
    )


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("kind", "entry"), KINDS)
def test_questions_keep_their_price(kind: str, entry: dict[str, Any], neighbours: str) -> None:
    own = setting(neighbours)
    assert not is_accused(ask(kind, entry, own), own)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("kind", "entry"), CAPPED)
def test_people_with_several_rows_are_kept_too(
    kind: str, entry: dict[str, Any], neighbours: str
) -> None:
    own = setting(neighbours, person=PERSON)
    assert not is_accused(ask(kind, entry, own), own)


ADDED_UP = [(kind, entry) for kind, entry in CAPPED if kind not in ("median", "quantiles")]


@pytest.mark.parametrize(("kind", "entry"), ADDED_UP)
def test_a_third_of_the_noise_is_found_out(kind: str, entry: dict[str, Any]) -> None:
    """A mutant that spends three times the ε it says, ten times where it is spread over six sums.

    The auditor then errs by more than six standard deviations or not at all.
    """
    own, times = setting(), 10 if kind == "linear-regression" else 3
    question = ask(kind, entry, own)
    assert is_accused(question, own, drawn_by=question.with_epsilon(times * question.epsilon))


@pytest.mark.parametrize(
    ("kind", "entry"),
    [("histogram", {"column": "age", "buckets": 4}), ("contingency", {"by": ["sex", "ward"]})],
)
def test_the_sensitivity_of_the_other_relation_is_found_out(
    kind: str, entry: dict[str, Any]
) -> None:
    own = setting("replace")
    wrong = ask(kind, entry, setting("add_remove"))
    assert is_accused(ask(kind, entry, own), own, drawn_by=wrong)


def test_forgetting_how_many_rows_a_person_has_is_found_out() -> None:
    own = setting(person={"column": "person", "rows": 3})
    question = ask("count", {}, own)
    one, other = next(worst_pairs(own))
    exact = [question.measure(Rows.choose(at, own, ())) for at in (one, other)]
    wrong = ask("count", {}, setting()).noises()
    assert accuse_noise(question.noises(), *exact, question.price, (wrong, wrong))


def test_bounds_read_from_the_data_are_found_out() -> None:
    """A mutant whose noise goes by the largest number of the table it is asked about."""
    one, other = table(BASE[:1]), table(BASE[:1], [HIGH])
    read = [max(float(text) for text in own["age"].values if text) for own in (one, other)]
    promised = ask("sum", {"column": "age"}, setting())
    mutants = [
        ask("sum", {"column": "age"}, setting(domains={"age": {"low": 0, "high": bound}}))
        for bound in read
    ]
    grid = promised.noises()[0].grid
    exact = [promised.measure(Rows.choose(own, promised.setting, ())) for own in (one, other)]
    drawn = [[rescaled(mutant.noises()[0], grid)] for mutant in mutants]
    assert accuse_noise(drawn[0], *exact, promised.price, (drawn[0], drawn[1]))


def rescaled(noise: Noise, grid: Grid) -> Noise:
    steps = round(noise.mechanism.sensitivity * noise.grid.step / grid.step)
    return replace(noise, grid=grid, mechanism=DiscreteLaplace(steps, noise.price.epsilon))


FINE = Grid(2.0**-20)
MECHANISMS = [
    Noise(GEOMETRIC, DiscreteLaplace(1, 1.0), WHOLE, 1.0),
    Noise(LAPLACE, DiscreteLaplace(1 << 20, 0.5), FINE, 1.0),
    Noise(GAUSSIAN, DiscreteGaussian(2.0**20, 1.0, 1e-3), FINE, 1.0),
    Noise(LAPLACE, LaplaceWithDelta(1 << 20, 0.5, 0.1), FINE, 1.0),
    Noise(LAPLACE, LaplaceWithDelta(1, 0.5, 0.1), WHOLE, 1.0),
    Noise(LAPLACE, LaplaceWithDelta(1 << 20, 0.5, 0.1, tight=False), FINE, 1.0),
]


@pytest.mark.parametrize("noise", MECHANISMS)
def test_noise_keeps_its_price_and_half_of_it_does_not(noise: Noise) -> None:
    zero, one = [np.array([0])], [np.array([round(1 / noise.grid.step)])]
    draws = 40_000 if noise.kind == GAUSSIAN else 8000
    assert not accuse_noise([noise], zero, one, noise.price, draws=draws)
    half = replace(noise, mechanism=Halved(noise.mechanism))
    assert accuse_noise([noise], zero, one, noise.price, ([half], [half]), draws=draws)


@dataclass(frozen=True)
class Halved(NoiseMechanism):
    """A mutant that draws half the noise."""

    whole: NoiseMechanism
    price: ClassVar[Price] = Price(0)
    scale: ClassVar[float] = 0.0

    def half_width(self, confidence: float) -> int:
        return self.whole.half_width(confidence)

    def measurement(self) -> Any:
        draw = self.whole.measurement()
        return lambda numbers: [
            number + round((noisy - number) / 2)
            for number, noisy in zip(numbers, draw(numbers), strict=True)
        ]


@pytest.mark.parametrize("mechanism", [NoisyMax, Exponential])
def test_choices_keep_their_price_and_a_third_of_the_noise_does_not(
    mechanism: type[NoisyMax],
) -> None:
    """One candidate rises and all others fall; or one rises alone, as when somebody is added."""
    level = [np.zeros(12, np.int64)]
    apart, alone = [np.array([1] + [-1] * 11)], [np.array([1] + [0] * 11)]
    assert not accuse_choice([mechanism(1, 1.0)], level, apart)
    assert not accuse_choice([mechanism(1, 1.0, monotonic=True)], level, alone)
    assert accuse_choice([mechanism(1, 3.0)], level, apart, [Price(1.0)])
    assert accuse_choice([mechanism(1, 3.0, monotonic=True)], level, alone, [Price(1.0)])
    assert accuse_choice([mechanism(1, 1.5, monotonic=True)], level, apart, [Price(1.0)])


def test_noise_kept_within_bounds_keeps_its_price() -> None:
    bounded = BoundedLaplace(0.0, 1.0, 1.0, 1.5, steps=30)
    one, other = (lambda at=at: int(bounded.release(at) * 5.999) for at in (0.0, 1.0))
    assert not accuse_outcomes(one, other, bounded.price, draws=1000)
    assert accuse_outcomes(one, other, Price(0.3), draws=1000)


def test_local_answers_keep_their_price() -> None:
    for categories, epsilon in ((2, 1.0), (4, 1.0)):
        say = respond(epsilon, categories)
        one, other = (lambda truth=truth, say=say: int(say(truth)) for truth in (0, 1))
        assert not accuse_outcomes(one, other, Price(epsilon))
        assert accuse_outcomes(one, other, Price(epsilon / 10))
    coins = two_coins()
    one, other = (
        lambda truth=truth: int(randomize(np.array([truth], np.int32), coins)[0])
        for truth in (0, 1)
    )
    assert not accuse_outcomes(one, other, Price(check_local(coins)))
    assert accuse_outcomes(one, other, Price(check_local(coins) / 10))


def test_a_round_of_noisy_gradients_keeps_its_price() -> None:
    """One round on everybody is a Gaussian mechanism; more rounds are dp-accounting's matter."""
    own = setting()
    entry = {"target": "sex", "positive": "F", "features": ["age"], "size": 9, "rounds": 1}
    question = ask("logistic-regression", {**entry, "share": 1}, own)
    assert isinstance(question, LogisticRegression)
    one, other = table(BASE), table(BASE, [HIGH])
    parts = [question._prepare(Rows.choose(at, own, ())) for at in (one, other)]
    gradients = NoisyGradients(question.clip, question.noise_multiplier(), 2)
    exact = [[gradients.measure(*part[:3], np.array([-9.0, -9.0]))] for part in parts]
    noise = Noise(GAUSSIAN, Multiplied(gradients.length, gradients.multiplier), gradients.grid, 1.0)
    assert not accuse_noise([noise], *exact, question.price)
    fifth = replace(noise, mechanism=Multiplied(gradients.length, gradients.multiplier / 5))
    assert accuse_noise([noise], *exact, question.price, ([fifth], [fifth]))
    assert find_noise_multiplier(1.0, 1e-3, 1.0, 1) > DiscreteGaussian(1.0, 1.0, 1e-3).scale


class Multiplied(DiscreteGaussian):
    """The noise of gradients: so many times their longest."""

    def __init__(self, length: float, multiplier: float) -> None:
        super().__init__(length, 1.0, 1e-3)
        object.__setattr__(self, "multiplier", multiplier)

    @property
    def scale(self) -> float:
        return self.sensitivity * self.multiplier  # type: ignore[attr-defined,no-any-return]


def test_whole_answers_keep_their_price() -> None:
    """From table to document, conditions and all; whoever sees the document sees no more."""
    own = setting(person=PERSON)
    question = ask("count", {"where": [{"column": "age", "at_least": 60}]}, own)
    pair = next(worst_pairs(own))
    middle = 3

    def shown(at: Any) -> int:
        value = answer(at, question).to_document()["value"]
        return int(np.clip(value - middle + 3, 0, 5))

    one, other = (lambda at=at: shown(at) for at in pair)
    assert not accuse_outcomes(one, other, question.price, draws=1000)
    assert accuse_outcomes(one, other, Price(question.price.epsilon / 10), draws=1000)
