"""The differentially private table: its δ by definition, and nothing but the plan decides."""

import json
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.private_tables.dp_table import DPTable
from deid_portal.engine.methods.private_tables.safe_sampling import (
    delta_of_sampling,
    find_sampling,
    largest_share,
    smallest_k,
)
from deid_portal.engine.randomness import secret_sampling
from deid_portal.engine.randomness.secret_sampling import draw_in_secret
from tests.chance import known_secret
from tests.engine.drafts import reader
from tests.engine.tables import document

make = reader(DPTable)
COLUMNS: dict[str, Any] = {
    "age": {
        "role": "quasi-identifier",
        "type": "integer",
        "taxonomy": {"intervals": {"width": 10}},
    },
    "sex": {"role": "quasi-identifier"},
    "condition": {"role": "sensitive"},
    "name": {"role": "identifier"},
}
METHOD: dict[str, Any] = {"name": "dp-table", "epsilon": 1, "delta": 1e-6, "levels": {"age": 1}}


def crowd(rows: int = 3000) -> Table:
    generator = np.random.default_rng(5)
    people = [
        [str(age), sex, "Flu" if ill else "Cancer", f"person {row}"]
        for row, (age, sex, ill) in enumerate(
            zip(
                generator.integers(20, 60, rows),
                generator.choice(["f", "m"], rows),
                generator.random(rows) < 0.99,
                strict=True,
            )
        )
    ]
    return Table.from_rows(["age", "sex", "condition", "name"], people)


def plan(**changes: Any) -> Plan:
    return Plan.from_document(document(COLUMNS, models=[], method=METHOD) | changes)


def exact_delta(k: int, share: float, epsilon: float, people: int) -> float:
    """Return the smallest δ for neighbors with `people` and one fewer alike, by definition.

    What can be seen is how many were drawn, or that it was fewer than k. For outputs y, δ is the
    sum of what P[y] has beyond e^ε times Q[y], the worse of both directions.
    """

    def chances(size: int) -> list[float]:
        one = [
            math.comb(size, drawn) * share**drawn * (1 - share) ** (size - drawn)
            for drawn in range(people + 1)
        ]
        return [sum(one[:k]), *one[k:]]

    more, fewer = chances(people), chances(people - 1)
    factor = math.exp(epsilon)
    return max(
        sum(max(p - factor * q, 0) for p, q in zip(*pair, strict=True))
        for pair in ((more, fewer), (fewer, more))
    )


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("k", [2, 5, 11])
def test_delta_is_never_below_the_definition(epsilon: float, k: int) -> None:
    for share in (0.05, 0.2, largest_share(epsilon)):
        if share > largest_share(epsilon):
            continue
        worst = max(exact_delta(k, share, epsilon, people) for people in range(1, 120))
        assert worst <= delta_of_sampling(k, share, epsilon) + 1e-15


def test_delta_is_the_tail_the_paper_gives() -> None:
    """ε = ln 2, β = 0.3: γ = 0.65, and for k = 3 groups of n ≥ ⌈3/0.65 − 1⌉ = 4 count."""
    share, gamma = Fraction(3, 10), Fraction(65, 100)
    tails = {
        size: sum(
            math.comb(size, drawn) * share**drawn * (1 - share) ** (size - drawn)
            for drawn in range(size + 1)
            if drawn > gamma * size
        )
        for size in range(4, 60)
    }
    assert tails[4] == 4 * share**3 * (1 - share) + share**4  # three or four of four are drawn
    assert max(tails.values()) == tails[4]
    assert delta_of_sampling(3, 0.3, math.log(2)) == pytest.approx(float(tails[4]))


def test_delta_falls_with_k_and_the_smallest_k_is_found() -> None:
    deltas = [delta_of_sampling(k, 0.1, 0.5) for k in range(2, 40)]
    assert deltas == sorted(deltas, reverse=True)
    k = smallest_k(0.1, 0.5, 1e-6)
    assert k is not None
    assert delta_of_sampling(k, 0.1, 0.5) <= 1e-6 < delta_of_sampling(k - 1, 0.1, 0.5)


def test_the_sampling_follows_from_the_promise_alone() -> None:
    found = find_sampling(1.0, 1e-6)
    assert (found.share, found.k) == (0.28, 19)
    assert all(
        found.people_needed <= (smallest_k(percent / 100, 1.0, 1e-6) or 0) / (percent / 100)
        for percent in range(1, 64)
    )


def test_what_leaves_is_alike_in_every_column_and_large_enough() -> None:
    outcome = protect(crowd(), plan())
    assert outcome.released is not None
    assert outcome.released.names == ("age", "sex", "condition")
    groups = Counter(map(tuple, outcome.released.head(outcome.released.rows)))
    assert min(groups.values()) >= 19
    assert not any(condition == "Cancer" for _, _, condition in groups)  # too few of each
    step = outcome.report.steps[0]
    assert (step.notes["share"], step.notes["k"]) == (0.28, 19)
    assert step.notes["delta_reached"] <= 1e-6
    assert "not covered" in step.notes["promise"]
    drawn = 3000 - outcome.report.rows.not_drawn
    assert drawn / 3000 == pytest.approx(0.28, abs=0.05)
    json.dumps(outcome.report.to_document(), allow_nan=False)


def test_no_secret_repeats_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    table, asked = crowd(), plan()
    released = [protect(table, asked, secret=known_secret()).report.rows.released for _ in range(6)]
    assert len(set(released)) > 1  # six alike: less than once in a million times
    monkeypatch.setattr(secret_sampling, "token_bytes", np.random.default_rng(3).bytes)
    third = protect(table, asked).report.rows
    monkeypatch.setattr(secret_sampling, "token_bytes", np.random.default_rng(3).bytes)
    assert protect(table, asked).report.rows == third


def test_every_row_is_drawn_with_the_chance_of_the_share(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = int(0.25 * 2**64)
    numbers = np.array([0, edge - 1, edge, 2**64 - 1], np.uint64)
    monkeypatch.setattr(secret_sampling, "token_bytes", lambda count: numbers.tobytes()[:count])
    assert draw_in_secret(4, 0.25).tolist() == [True, True, False, False]


def test_a_crowd_that_is_too_small_is_no_solution() -> None:
    outcome = protect(crowd(20), plan())
    assert not outcome.solution
    assert outcome.released is None


def test_nothing_may_come_before_it() -> None:
    sample = {"name": "sampling", "share": 0.9}
    with pytest.raises(InvalidPlan, match="must come first"):
        protect(crowd(100), plan(method=[sample, METHOD]))


def test_what_comes_after_it_sees_only_what_leaves() -> None:
    outcome = protect(crowd(), plan(method=[METHOD, {"name": "sampling", "share": 0.5}]))
    assert outcome.solution


@pytest.mark.parametrize(
    ("column", "entry", "level", "sentence"),
    [
        ("sex", {"taxonomy": {"mask": {}}}, 1, "longest value"),
        ("age", {"taxonomy": {"intervals": {"width": 10}}}, 1, "depends on the type"),
        ("age", {}, 2, "levels 0 to 1"),
    ],
)
def test_labels_that_depend_on_others_are_refused(
    column: str, entry: dict[str, Any], level: int, sentence: str
) -> None:
    columns = COLUMNS | {column: {"role": "quasi-identifier", **entry}}
    with pytest.raises(InvalidPlan, match=sentence):
        protect(crowd(50), plan(columns=columns, method={**METHOD, "levels": {column: level}}))


def test_dates_with_the_day_first_and_pseudonyms_are_refused() -> None:
    table = Table.from_rows(["day", "who"], [["01.02.2020", "a"], ["03.04.2020", "b"]])
    day: dict[str, Any] = {"role": "quasi-identifier", "taxonomy": {"dates": ["year"]}}
    columns: dict[str, Any] = {"day": day, "who": {"role": "insensitive"}}
    with pytest.raises(InvalidPlan, match="year first"):
        protect(table, plan(columns=columns, method={**METHOD, "levels": {"day": 1}}))
    columns["who"] = {"role": "identifier", "treatment": "pseudonym"}
    with pytest.raises(InvalidPlan, match="pseudonym singles"):
        protect(table, plan(columns=columns, method={**METHOD, "levels": {}}), pseudonym_key=b"k")


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"epsilon": 1, "delta": 1e-6, "share": 0.7}, r"at most 1 − e\^−ε = 0.632"),
        ({"epsilon": 0, "delta": 1e-6}, r"method\.epsilon"),
        ({"epsilon": 1, "delta": 0}, r"method\.delta"),
        ({"epsilon": 1, "delta": 1e-6, "levels": {"age": -1}}, r"method\.levels\.age"),
    ],
)
def test_promises_that_cannot_be_kept_are_refused(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        make(**keys)


def test_it_explains_what_follows_from_the_promise() -> None:
    words = make(epsilon=1, delta=1e-6).explain()
    assert "28 %" in words
    assert "fewer than 19" in words
