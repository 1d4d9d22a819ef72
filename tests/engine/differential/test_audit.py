"""Every mechanism and every kind of question before the auditor, with real noise.

It must accept ours and reject the broken ones: half the noise, a sensitivity that forgets how many
rows a person has or how neighbors differ, bounds and values read from the table. Both are certain
but for chances said in `auditor.py`, the false alarms computed below. Tables are fixed, noise is
not seeded: it cannot be.

The gate tries every kind of question under both relations, every variant and every mechanism, and
every mutant of every kind; `make audit` tries all cases, with more draws.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.differential import (
    QUESTIONS,
    PrivacyPrice,
    PrivacySetting,
    PrivateQuestion,
    answer,
)
from deid_portal.engine.differential.local import check_local, coin, randomize, respond, two_coins
from deid_portal.engine.differential.mechanisms import NoiseMechanism
from deid_portal.engine.differential.mechanisms.bounded_laplace import BoundedLaplace
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.mechanisms.laplace_with_delta import LaplaceWithDelta
from deid_portal.engine.differential.noise.grid import WHOLE, NoiseGrid
from deid_portal.engine.differential.noise.noise import LAPLACE, GridNoise
from deid_portal.engine.differential.questions.choosing_question import ChoosingQuestion
from deid_portal.engine.differential.questions.logistic_regression import (
    LogisticRegression,
    NoisyGradients,
)
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.progress import Progress
from deid_portal.engine.randomness.secret_sampling import draw_in_secret
from deid_portal.engine.randomness.transition_matrix import Transition
from tests.engine.differential import auditor
from tests.engine.differential.audit_cases import CASES, DELTA, FEW, HIGH, Case, row
from tests.engine.differential.auditor import (
    Pair,
    Scores,
    accuses,
    choices,
    noisy_sums,
    repeated,
    runs,
)
from tests.engine.differential.questions import DOMAINS, NAMES, NEIGHBOURS, ask, setting

PERSON = {"column": "person", "rows": 2}
CAPPED = [case for case in CASES if case.is_capped]
OTHERS = 60  # audits of honest mechanisms below that are not of CASES


def first_with(cases: Iterable[Case], facts_of: Callable[[Case], set[Hashable]]) -> Iterator[Case]:
    """Return the cases that have something none before them has."""
    seen: set[Hashable] = set()
    for case in cases:
        if not facts_of(case) <= seen:
            yield case
        seen |= facts_of(case)


def facts_of(case: Case) -> set[Hashable]:
    extras = {(key, case.entry[key]) for key in ("variant", "mechanism") if key in case.entry}
    return {(case.kind, case.neighbours), *extras}


IN_GATE = list(first_with(CASES, facts_of))


def audited(cases: Iterable[Case], in_gate: Iterable[Case]) -> pytest.MarkDecorator:
    """Try all cases, those that are not for the gate only where there is time for long tests."""
    short = list(in_gate)
    params = [
        pytest.param(case, id=str(case), marks=[] if case in short else pytest.mark.long)
        for case in cases
    ]
    return pytest.mark.parametrize("case", params)


def of_every_kind(cases: Sequence[Case]) -> pytest.MarkDecorator:
    return audited(cases, first_with(cases, lambda case: {case.kind}))


every_case = audited(CASES, IN_GATE)


def test_a_false_alarm_is_rarer_than_once_in_ten_thousand_runs() -> None:
    honest = len(CASES) + len(CAPPED) + OTHERS
    assert honest * 2 * auditor.EVENTS * auditor.CHANCE < 1e-4 / 5


def test_every_kind_stands_before_the_auditor_under_both_relations() -> None:
    assert {(case.kind, case.neighbours) for case in IN_GATE} == {
        (kind, neighbours)
        for kind in QUESTIONS
        for neighbours in NEIGHBOURS
        if kind != "logistic-regression"  # below
    }


def judge(
    case: Case,
    own: PrivacySetting,
    mutate: Callable[[PrivateQuestion], Sequence[Any]] | None = None,
) -> bool:
    """Say whether the auditor accuses a question, or a mutant that draws what `mutate` says."""
    question, wanted = case.question(own), slice(None)
    if case.part is not None:
        wanted = slice(case.part, case.part + 1)
    rows = [
        SelectedRows.choose(table, own, question.where, question.columns)
        for table in case.tables(own)
    ]
    promised = parts_of(question)[wanted]
    exact = [exact_parts(question, one)[wanted] for one in rows]
    drawn = mutate(question)[wanted] if mutate else None
    make = choices if isinstance(question, ChoosingQuestion) else noisy_sums
    price = question.price if case.part is None else promised[0].price
    return accuses(make(promised, exact, drawn), price, case.draws)


def exact_parts(question: PrivateQuestion, rows: SelectedRows) -> Sequence[Any]:
    if isinstance(question, ChoosingQuestion):
        return question.score(rows)
    assert isinstance(question, NoisyQuestion)
    return question.measure(rows)


def parts_of(question: PrivateQuestion) -> Sequence[Any]:
    """Return the noises or the choosers of a question."""
    if isinstance(question, ChoosingQuestion):
        return question.choosers()
    assert isinstance(question, NoisyQuestion)
    return question.noises()


def halved(question: PrivateQuestion) -> Sequence[Any]:
    return [half(part) for part in parts_of(question)]


def half(part: GridNoise | NoisyMax) -> GridNoise | NoisyMax:
    if isinstance(part, NoisyMax):
        return replace(part, epsilon=2 * part.epsilon)
    return replace(part, mechanism=Halved(part.mechanism))


@dataclass(frozen=True)
class Halved(NoiseMechanism):
    """A mutant that draws half the noise."""

    whole: NoiseMechanism
    price: ClassVar[PrivacyPrice] = PrivacyPrice(0)
    scale: ClassVar[float] = 0.0

    def half_width(self, confidence: float) -> int:
        return self.whole.half_width(confidence)

    def measurement(self) -> Any:
        draw = self.whole.measurement()
        return lambda numbers: [
            number + round((noisy - number) / 2)
            for number, noisy in zip(numbers, draw(numbers), strict=True)
        ]


@every_case
def test_questions_keep_their_price(case: Case) -> None:
    assert not judge(case, case.setting())


@of_every_kind(CAPPED)
def test_questions_about_people_with_several_rows_keep_it_too(case: Case) -> None:
    assert not judge(case, case.setting(person=PERSON))


@every_case
def test_half_the_noise_is_found_out(case: Case) -> None:
    assert judge(case, case.setting(), halved)


@of_every_kind([case for case in CAPPED if case.by_cap])
def test_forgetting_how_many_rows_a_person_has_is_found_out(case: Case) -> None:
    careless = parts_of(case.question(case.setting()))
    assert judge(case, case.setting(person=PERSON), lambda question: on_grids(careless, question))


REPLACED = [case for case in CASES if case.by_relation and case.neighbours == "replace"]


@of_every_kind(REPLACED)
def test_the_sensitivity_of_the_other_relation_is_found_out(case: Case) -> None:
    careless = parts_of(case.question(setting("add_remove", delta=DELTA)))
    assert judge(case, case.setting(), lambda question: careless)


def on_grids(careless: Sequence[Any], question: PrivateQuestion) -> Sequence[Any]:
    """Return the noise of a mutant in steps of the question's own grids."""
    if isinstance(question, ChoosingQuestion):
        return careless
    return [
        noise if noise.grid == own.grid else regridded(noise, own.grid)
        for noise, own in zip(careless, parts_of(question), strict=True)
    ]


def regridded(noise: GridNoise, grid: NoiseGrid) -> GridNoise:
    steps = round(noise.mechanism.scale * noise.price.epsilon * noise.grid.step / grid.step)
    return replace(noise, grid=grid, mechanism=DiscreteLaplace(steps, noise.price.epsilon))


FINE = NoiseGrid(2.0**-20)
WITH_DELTA = [
    GridNoise(LAPLACE, LaplaceWithDelta(1 << 20, 2.0, 0.05), FINE, 1.0),
    GridNoise(LAPLACE, LaplaceWithDelta(1, 2.0, 0.05), WHOLE, 1.0),
    GridNoise(LAPLACE, LaplaceWithDelta(1 << 20, 2.0, 0.05, tight=False), FINE, 1.0),
]


@pytest.mark.parametrize("noise", WITH_DELTA)
def test_laplace_noise_with_a_delta_keeps_its_price_and_half_of_it_does_not(
    noise: GridNoise,
) -> None:
    exact = [[np.array([0])], [np.array([round(1 / noise.grid.step)])]]
    assert not accuses(noisy_sums([noise], exact), noise.price, FEW)
    assert accuses(noisy_sums([noise], exact, [half(noise)]), noise.price, FEW)


def test_noise_kept_within_bounds_keeps_its_price_and_half_of_it_does_not() -> None:
    ours, mutant = (BoundedLaplace(0.0, 1.0, 1.0, epsilon, steps=30) for epsilon in (2.0, 4.0))
    ends = [[ours.scores(at)] for at in (0.0, 1.0)]
    assert not accuses(choices([ours.chooser], ends), ours.price, 3000)
    assert accuses(choices([ours.chooser], ends, [mutant.chooser]), ours.price, 3000)


def spoken(say: Callable[[int, int], Scores]) -> Pair:
    """Return runs of local answers of somebody whose truth is 0, and of somebody whose is 1."""

    def run(truth: int, draws: int) -> Scores:
        said = say(truth, draws)
        return (said == 0).astype(float) - (said == 1)

    return partial(run, 0), partial(run, 1)


@pytest.mark.parametrize("categories", [2, 4])
def test_local_answers_keep_their_price_and_half_the_noise_does_not(categories: int) -> None:
    ours, mutant = (
        spoken(lambda truth, draws, say=say: repeated(say, truth, draws))
        for say in (respond(2.0, categories), respond(4.0, categories))
    )
    assert not accuses(ours, PrivacyPrice(2.0), FEW)
    assert accuses(mutant, PrivacyPrice(2.0), FEW)


COINS = [two_coins(), coin(0.5, 0.75), Transition.for_epsilon(1.0, 2), Transition.for_epsilon(2, 7)]


@pytest.mark.parametrize("matrix", COINS, ids=["two-coins", "coin", "binary", "seven"])
def test_matrices_of_local_answers_keep_their_price(matrix: Transition) -> None:
    """A mutant with half the noise: chances twice as far apart, measured by their logarithms."""
    price = PrivacyPrice(check_local(matrix))
    sharper = matrix.matrix**2 / (matrix.matrix**2).sum(axis=1, keepdims=True)
    ours, mutant = (
        spoken(lambda truth, draws, own=own: randomize(np.full(draws, truth, np.int32), own))
        for own in (matrix, Transition(sharper))
    )
    assert not accuses(ours, price, 40_000)
    assert accuses(mutant, price, 40_000)


# What tells two tables apart where bounds, or values, are read from them; few rows, or many.
TWO = [row(0, 0, "M", "A", "2021-01-01"), row(10, 10, "M", "A", "2021-03-01")]
MANY = [row(0, 0, "M", "A"), row(10, 10, "F", "A")] * 100
FAR = row(1000, 1000, "F", "B", "2021-12-31")
WIDE = {"low": 0, "high": 1000}
DECLARED = {**DOMAINS, "age": WIDE, "pay": WIDE}
TRUNCATED = {"variant": "truncated", "lowest": 2, "highest": 8, "size": 20}
COARSE = {"step": 50, "interval": "ranks"}  # few candidates are faster
Shown = Callable[[Any], float]
READ: list[tuple[str, dict[str, Any], list[Any], Shown]] = [
    ("sum", {"column": "age"}, TWO, lambda shown: shown["value"]),
    ("mean", {"column": "age"}, TWO, lambda shown: shown["value"]),
    (
        "mean",
        {"column": "age", "variant": "bounded-size", "size": 2},
        TWO,
        lambda shown: shown["value"],
    ),
    ("mean", {"column": "age", **TRUNCATED}, MANY[:20], lambda shown: shown["value"]),
    ("variance", {"column": "age"}, TWO, lambda shown: shown["value"]),
    ("median", {"column": "age", **COARSE}, TWO, lambda shown: shown["value"]),
    (
        "quantiles",
        {"column": "age", "quantiles": [0.5, 0.75], **COARSE},
        TWO,
        lambda shown: shown["values"][-1]["value"],
    ),
    ("histogram", {"column": "age", "buckets": 3}, TWO, lambda shown: shown["values"][-1]["to"]),
    ("histogram-mean", {"column": "age", "buckets": 3}, TWO, lambda shown: shown["value"]),
    (
        "linear-regression",
        {"target": "pay", "features": ["age"]},
        TWO,
        lambda shown: abs(shown["coefficients"]["intercept"]),
    ),
    (
        "logistic-regression",
        {
            "target": "sex",
            "positive": "F",
            "features": ["age"],
            "size": 200,
            "rounds": 1,
            "share": 1,
        },
        MANY,
        lambda shown: shown["coefficients"]["age"],
    ),
    ("count-by-group", {"column": "ward"}, TWO, lambda shown: len(shown["values"])),
    ("contingency", {"by": ["sex", "ward"]}, TWO, lambda shown: len(shown["values"])),
    ("count-by-period", {"column": "day"}, TWO, lambda shown: len(shown["values"])),
    ("most-common", {"column": "ward"}, TWO[:1], lambda shown: shown["value"] == "B"),
]


def test_every_kind_that_needs_a_declaration_is_tried_without() -> None:
    assert {kind for kind, *_ in READ} == set(QUESTIONS) - {"count"}


@pytest.mark.parametrize(("kind", "entry", "rest", "score"), READ)
def test_bounds_and_values_read_from_the_table_are_found_out(
    kind: str, entry: dict[str, Any], rest: list[Any], score: Shown
) -> None:
    """A mutant that takes what it should be told from the table it is asked about."""
    one, other = (named([*rest, *more]) for more in ([], [FAR]))
    price = PrivacyPrice(0.3, DELTA)  # small, so that few runs are enough
    draws = {"sum": 350, "mean": 900, "variance": 700, "most-common": 400}.get(kind, 150)

    def showing(at: Table, domains: dict[str, Any]) -> Callable[[], float]:
        question = ask(kind, entry, setting(delta=DELTA, domains=domains), price.epsilon)
        rows = SelectedRows.choose(at, question.setting, question.where, question.columns)
        return lambda: float(score(question.ask(rows, Progress(None)).result))

    ours = runs(*(showing(at, DECLARED) for at in (one, other)))
    mutant = runs(*(showing(at, read_from(at)) for at in (one, other)))
    assert not accuses(ours, price, 150)
    assert accuses(mutant, price, draws)


def named(rows: list[Any]) -> Table:
    return Table.from_rows(NAMES, [[f"r{number}", *cells] for number, cells in enumerate(rows)])


def read_from(table: Table) -> dict[str, Any]:
    numbers = {
        name: [float(text) for text in table[name].values if text] for name in ("age", "pay")
    }
    days = sorted(filter(None, table["day"].values))
    return {
        **{name: {"low": min(own), "high": max(own) or 1} for name, own in numbers.items()},
        **{name: {"values": sorted(filter(None, table[name].values))} for name in ("sex", "ward")},
        "day": {"first": days[0], "last": days[-1]} if days[1:] else DOMAINS["day"],
    }


STEPS = {
    "target": "sex",
    "positive": "F",
    "features": ["age"],
    "size": 1000,
    "clip": 0.1,
}


@dataclass(frozen=True)
class Descent:
    """Rounds of noisy gradients, everything an attacker may see of them.

    Somebody's gradient is longer than `clip` in every round here, so it is the same in all.
    """

    question: LogisticRegression
    multiplier: float
    share: float
    rows: int = 1  # of the person, each cut by itself where a mutant does so

    @property
    def gradients(self) -> NoisyGradients:
        return NoisyGradients(self.question.clip, self.multiplier, 2)

    def runs(self) -> Pair:
        return partial(self._run, 0), partial(self._run, 1)

    def _run(self, people: int, draws: int) -> Scores:
        inputs, units = np.ones((self.rows, 2)), np.arange(self.rows)
        exact = self.gradients.measure(inputs, np.ones(self.rows), units, np.zeros(2))
        total = np.zeros(draws)
        for _ in range(self.question.rounds):
            drawn = people * draw_in_secret(draws, self.share)
            noisy = self.gradients.release((drawn[:, np.newaxis] * exact).ravel())
            total += self._loss(noisy.reshape(draws, 2) / self.gradients.grid.step, exact)
        return total

    def _loss(self, shown: Scores, exact: Any) -> Scores:
        """Return the loss of a round of the descent promised, on average over who is drawn."""
        scale = self.question.noise_multiplier() * self.gradients.length
        alone = (2 * shown @ exact - exact @ exact) / (2 * scale**2)
        share = self.question.share
        return np.asarray(np.log1p(share * np.expm1(alone)), np.float64)


def descent(epsilon: float = 3.0, **entry: Any) -> LogisticRegression:
    question = ask("logistic-regression", {**STEPS, **entry}, setting(delta=DELTA), epsilon)
    assert isinstance(question, LogisticRegression)
    return question


def test_rounds_of_noisy_gradients_keep_their_price_and_half_the_noise_does_not() -> None:
    question = descent(rounds=2, share=0.5)
    ours = Descent(question, question.noise_multiplier(), question.share)
    assert not accuses(ours.runs(), question.price, 18_000)
    mutant = replace(ours, multiplier=ours.multiplier / 2)
    assert accuses(mutant.runs(), question.price, 18_000)


def test_cutting_rows_and_not_people_is_found_out() -> None:
    question = descent(rounds=1, share=1)
    mutant = Descent(question, question.noise_multiplier(), 1.0, rows=2)
    assert accuses(mutant.runs(), question.price, 12_000)


def test_drawing_everybody_but_paying_for_a_few_is_found_out() -> None:
    question = descent(epsilon=1.0, rounds=1, share=0.1)
    mutant = Descent(question, question.noise_multiplier(), 1.0)
    assert accuses(mutant.runs(), question.price, 6000)


def test_learning_as_a_whole_keeps_its_price() -> None:
    """From the table to the coefficients, which add the rounds up; a mutant with a quarter."""
    ours = descent(epsilon=2.0, rounds=2, share=1)
    mutant = Quartered(**{own.name: getattr(ours, own.name) for own in fields(ours)})
    pairs = []
    for question in (ours, mutant):
        tables = (named(rows) for rows in ([], [HIGH]))
        shown = [learning(question, at) for at in tables]
        pairs.append(runs(*shown))
    assert not accuses(pairs[0], ours.price, 400)
    assert accuses(pairs[1], ours.price, 1000)


class Quartered(LogisticRegression):
    def noise_multiplier(self) -> float:
        return super().noise_multiplier() / 4


def learning(question: LogisticRegression, table: Table) -> Callable[[], float]:
    rows = SelectedRows.choose(table, question.setting, (), question.columns)
    return lambda: float(question._learn(rows, Progress(None)).sum())


def test_whole_answers_keep_their_price() -> None:
    """From table to document, conditions and all; whoever sees the document sees no more."""
    own = setting(person=PERSON)
    question = ask("count", {"where": [{"column": "age", "at_least": 60}]}, own, 3.0)
    pair = (Table.from_rows(NAMES, rows) for rows in ([], [["x", *HIGH]] * 3))
    shown = runs(*(lambda at=at: answer(at, question).to_document()["value"] for at in pair))
    assert not accuses(shown, question.price, 300)
    assert accuses(shown, PrivacyPrice(question.price.epsilon / 5), 300)
