"""Chance that protects people: drawn in secret, never from a seed that somebody typed."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods import METHODS, Method
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.publication import publish_plan, publish_report
from deid_portal.engine.randomness import chance as module
from deid_portal.engine.randomness.chance import Chance
from deid_portal.engine.report.report import Randomness
from tests.chance import known_secret
from tests.engine.methods.test_every_method import ALL, cells_of, examples, people, plan_for

SEEDS = 1000  # of which none may stand out; the right one of 20,000 did
TYPED = 7

protecting = examples(lambda method: method.protects_by_chance)


def test_the_stream_is_that_of_the_cipher() -> None:
    """Held against another implementation, with the key that the purpose gives."""
    secret = known_secret(3)
    drawn = Chance.in_secret(secret).generator("method 0").bytes(1024)
    key = module.hmac.digest(secret, b"deid-portal chance 1: method 0", "sha256")
    cipher = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None)
    assert drawn == cipher.encryptor().update(bytes(1024))


def test_purposes_secrets_and_seeds_have_streams_of_their_own() -> None:
    chances = [Chance.in_secret(known_secret(n)) for n in range(3)]
    chances += [Chance.from_seed(n) for n in range(3)] + [Chance.in_secret(), Chance.in_secret()]
    purposes = ("method 0", "method 1", "method 10", "numbering")
    streams = {own.generator(purpose).bytes(16) for own in chances for purpose in purposes}
    assert len(streams) == len(chances) * len(purposes)


def test_a_secret_is_never_shown_and_never_short() -> None:
    assert repr(Chance.in_secret(b"s" * 32)) == "Chance(is_repeatable=False)"
    with pytest.raises(ValueError, match="32 bytes"):
        Chance.in_secret(b"seven")


@protecting
def test_a_seed_is_refused_where_chance_protects(method: dict[str, Any]) -> None:
    plan = plan_for(method, seed=TYPED)
    with pytest.raises(InvalidPlan, match=r"^seed: [^.]+ leave (the seed|it) out\.$"):
        protect(people(40), plan)


@examples(lambda method: method.is_private)
def test_differential_privacy_is_never_repeatable(method: dict[str, Any]) -> None:
    with pytest.raises(InvalidPlan, match="has no seed"):
        protect(people(40), plan_for(method, seed=TYPED), is_repeatable=True)


def draws(method: dict[str, Any]) -> bool:
    """Rounding to the nearest draws nothing; a private table of so few people shows nobody."""
    return method["name"] != "dp-table" and (method["name"], method.get("kind")) != (
        "rounding",
        None,
    )


@pytest.mark.parametrize(
    "method",
    [own for own in ALL if METHODS[own["name"]].protects_by_chance and draws(own)],
    ids=lambda method: method["name"],
)
def test_two_runs_draw_differently(method: dict[str, Any]) -> None:
    table, plan = people(60), plan_for(method)
    first, second = protect(table, plan).released, protect(table, plan).released
    assert first is not None
    assert second is not None
    assert cells_of(first) != cells_of(second)


class NoChance(np.random.Generator):
    """Refuses to draw."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(1))

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"{name} was drawn by a method that says it draws nothing.")


@examples(lambda method: not method.protects_by_chance)
def test_a_method_that_does_not_say_so_draws_nothing(method: dict[str, Any]) -> None:
    plan = plan_for(method)
    problem = pose_problem(people(40, gaps=0.1), plan, Progress(None))
    own: Method = plan.methods[0]
    assert own.apply(TableDraft.start(problem), NoChance(), Progress(None)).table.names


def levels_claimed(own: Any) -> Iterator[float]:
    """Give every ε and δ that is told, wherever it stands."""
    if isinstance(own, dict):
        for key, item in own.items():
            is_level = key.startswith(("epsilon", "delta")) and item is not None
            yield from [item] if is_level else levels_claimed(item)
    elif isinstance(own, list):
        for item in own:
            yield from levels_claimed(item)


@examples(lambda method: method.protects_by_chance and not method.is_private)
def test_a_confirmed_seed_is_told_and_claims_nothing(method: dict[str, Any]) -> None:
    table, plan = people(60), plan_for(method, seed=TYPED)
    first, second = (protect(table, plan, is_repeatable=True) for _ in range(2))
    assert first.released is not None
    assert second.released is not None
    assert cells_of(first.released) == cells_of(second.released)
    published, _ = publish_plan(plan, first.released, {})
    assert published.seed is None
    assert module.REPEATABLE in first.report.notes
    for told in (first.report, publish_report(first.report, published.to_document())):
        assert told.randomness == Randomness(repeatable=True, note=module.REPEATABLE)
        asked_for = {key: own for key, own in told.to_document().items() if key != "plan"}
        assert list(levels_claimed(asked_for)) == []


def test_a_level_is_claimed_where_chance_is_secret() -> None:
    report = protect(
        people(60), plan_for({"name": "pram", "columns": ["sex"], "epsilon": 1})
    ).report
    assert list(levels_claimed(report.transformation.to_document())) == pytest.approx([1, 1])
    assert report.randomness is None


@examples(lambda method: not method.protects_by_chance)
def test_a_seed_that_undoes_nothing_changes_no_cell(method: dict[str, Any]) -> None:
    table = people(40)
    with_seed, without = (
        protect(table, plan_for(method, seed=TYPED)),
        protect(table, plan_for(method)),
    )
    assert with_seed.solution == without.solution
    assert with_seed.report.randomness is None
    if with_seed.released is not None and without.released is not None:
        assert cells_of(with_seed.released) == cells_of(without.released)


def test_nothing_of_the_secret_is_in_an_outcome() -> None:
    secret = bytes(range(100, 132))
    outcome = protect(
        people(40), plan_for({"name": "noise", "columns": ["pay"], "scale": 1}), secret=secret
    )
    told = json.dumps(outcome.full_report.to_document())
    assert secret.hex() not in told
    assert str(int.from_bytes(secret)) not in told


# What somebody does who has the release, knows the originals of some, and tries every seed.

PATIENTS = 400
PRAM = {"name": "pram", "columns": ["condition"], "epsilon": 0.5}
VISITS: dict[str, Any] = {"visit": {"role": "insensitive"}, "condition": {"role": "sensitive"}}


def patients() -> Table:
    """Return patients whose number of the visit is released and gives the order of the rows."""
    sick = np.random.default_rng(1).choice(["Flu", "Cancer", "Asthma"], PATIENTS)
    return Table.from_rows(list(VISITS), [[f"{n:04}", str(own)] for n, own in enumerate(sick)])


def release(table: Table, method: dict[str, Any], columns: dict[str, Any], **how: Any) -> Outcome:
    document = {"plan": 1, "columns": columns, "models": [], "method": method, **how}
    return protect(table, Plan.from_document(document), is_repeatable="seed" in how)


def fit_of_seeds(released: Table, original: Table, seeds: range) -> np.ndarray[Any, Any]:
    """Return, per seed, the share of rows that it explains: by the engine, and as before."""
    method = METHODS["pram"](columns=("condition",), epsilon=0.5)  # type: ignore[call-arg]
    column = original["condition"]
    values = tuple(sorted(value for value in column.values if value))
    true = np.array([values.index(str(cell)) for cell in column.cells()], np.int32)
    shown = np.array([values.index(str(cell)) for cell in released["condition"].cells()])
    transition = method.transition("condition", values)  # type: ignore[attr-defined]

    def fit(generator: np.random.Generator) -> float:
        return float((transition.change(true, generator) == shown).mean())

    before = [fit(np.random.default_rng([seed, 0])) for seed in seeds]
    now = [fit(Chance.from_seed(seed).generator("method 0")) for seed in seeds]
    return np.array([before, now])


def test_no_typed_seed_is_singled_out_by_a_release() -> None:
    """ε = 0.5 and three conditions: 45 % of the rows keep theirs, and any seed explains about 35 %.

    The right seed explained all of them, and was the only one of 20,000 that did.
    """
    original = patients()
    seeded = release(original, PRAM, VISITS, seed=TYPED).released
    secret = release(original, PRAM, VISITS).released
    assert seeded is not None
    assert secret is not None
    found = fit_of_seeds(seeded, original, range(100))[1]
    assert found[TYPED] == 1.0, "the attack itself works"
    assert np.delete(found, TYPED).max() < 0.6
    assert fit_of_seeds(secret, original, range(SEEDS)).max() < 0.6


def test_two_monthly_releases_of_the_same_people_do_not_cancel_their_noise() -> None:
    """Pay hardly changes in a month; the difference has the spread of two noises, not of none."""
    columns: dict[str, Any] = {"who": {"role": "insensitive"}, "pay": {"role": "sensitive"}}
    pay = np.random.default_rng(2).normal(2000, 435, 1500)
    months = [pay, pay + np.random.default_rng(3).normal(0, 1.9, len(pay))]
    method = {"name": "noise", "columns": ["pay"], "scale": 0.5}

    def noisy(numbers: Any, **how: Any) -> tuple[Any, float]:
        rows = [[f"{n:05}", f"{own:.2f}"] for n, own in enumerate(numbers)]
        outcome = release(Table.from_rows(list(columns), rows), method, columns, **how)
        assert outcome.released is not None
        step = outcome.report.steps[0]
        shown = [float(cell or 0) for cell in outcome.released["pay"].cells()]
        return np.array(shown), step.notes["noise_deviation"]["pay"]

    (first, spread), (second, _) = (noisy(month) for month in months)
    assert (second - first).std() == pytest.approx(spread * np.sqrt(2), rel=0.1)
    (first, _), (second, _) = (noisy(month, seed=TYPED) for month in months)
    assert (second - first).std() < 5, "a seed that is carried along cancels it"
