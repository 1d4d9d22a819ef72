"""Made-up records from counts: exact where the counts are, sensible where they are noisy."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine.methods.private_tables import pair_tree
from deid_portal.engine.methods.private_tables.pair_tree import (
    fit,
    measure,
    project_to_total,
    sample,
)
from deid_portal.engine.methods.private_tables.private_counts import PrivateCounter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Counts


class ExactCounter:
    """Answers without noise, and notes what was asked."""

    def __init__(self) -> None:
        self.spent: list[float] = []

    def count(self, counts: Counts, epsilon: float, report: Callable[[], None]) -> Counts:
        self.spent.append(epsilon)
        return counts

    def choose(self, scores: Sequence[int], epsilon: float) -> int:
        self.spent.append(epsilon)
        return int(np.argmax(scores))


def related(rows: int = 4000) -> list[Codes]:
    """Return three columns: the third follows from the first, the second from nothing."""
    generator = np.random.default_rng(8)
    first = generator.integers(0, 4, rows).astype(np.int32)
    second = generator.integers(0, 3, rows).astype(np.int32)
    third = ((first + (generator.random(rows) < 0.1)) % 4).astype(np.int32)
    return [first, second, third]


def table_of(codes: Sequence[Codes], first: int, second: int, sizes: tuple[int, int]) -> Numbers:
    counts = np.zeros(sizes)
    np.add.at(counts, (codes[first], codes[second]), 1)
    return counts / len(codes[0])


@pytest.mark.parametrize("learns", [True, False])
def test_budget_is_spent_to_the_last_and_not_beyond(learns: bool) -> None:
    for width in (1, 2, 5):
        counter = ExactCounter()
        codes = [np.zeros(10, np.int32)] * width
        measure(codes, [2] * width, 1.7, learns, counter, Progress(None))
        assert sum(counter.spent) == pytest.approx(1.7)


def test_columns_that_belong_together_are_counted_together() -> None:
    measured = measure(related(), [4, 3, 4], 1.0, True, ExactCounter(), Progress(None))
    assert next(iter(measured.pairs)) == (0, 2)
    assert len(measured.pairs) == 2
    in_order = measure(related(), [4, 3, 4], 1.0, False, ExactCounter(), Progress(None))
    assert list(in_order.pairs) == [(0, 1), (1, 2)]


def test_exact_counts_give_the_relation_back() -> None:
    codes = related()
    tree = fit(measure(codes, [4, 3, 4], 1.0, True, ExactCounter(), Progress(None)))
    assert tree.rows == 4000
    made = sample(tree, 4000, np.random.default_rng(1))
    assert table_of(made, 0, 2, (4, 4)) == pytest.approx(table_of(codes, 0, 2, (4, 4)), abs=0.002)
    for own, drawn in zip(codes, made, strict=True):
        assert np.bincount(drawn) == pytest.approx(np.bincount(own), abs=5)


def test_a_score_changes_by_at_most_one_with_one_row() -> None:
    generator = np.random.default_rng(4)
    singles = [generator.integers(-3, 30, 4), generator.integers(-3, 30, 5)]
    for _ in range(200):
        counts = generator.integers(0, 5, (4, 5))
        more = counts.copy()
        more[generator.integers(0, 4), generator.integers(0, 5)] += 1
        scores = [pair_tree._score(one, singles, (0, 1), 0.3) for one in (counts, more)]
        assert abs(scores[0] - scores[1]) <= 1


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=12),
    st.floats(0.5, 100),
)
def test_projection_is_the_nearest_point(counts: list[float], total: float) -> None:
    """Whatever stays above zero was lowered by the same amount, and nothing by more than that."""
    wanted = np.array(counts)
    found = project_to_total(wanted, total)
    assert found.sum() == pytest.approx(total)
    assert found.min() >= 0
    gap = wanted - found
    assert (gap.max() - gap[found > 1e-9] < 1e-6).all()


def test_margins_agree_after_fitting_noisy_counts() -> None:
    generator = np.random.default_rng(2)
    measured = measure(related(), [4, 3, 4], 1.0, True, ExactCounter(), Progress(None))
    noisy = pair_tree.NoisyPairCounts(
        [counts + generator.integers(-40, 40, counts.shape) for counts in measured.singles],
        {
            pair: counts + generator.integers(-40, 40, counts.shape)
            for pair, counts in measured.pairs.items()
        },
        measured.single_variance,
        measured.pair_variance,
    )
    tree = fit(noisy)
    assert tree.rows == pytest.approx(4000, abs=200)
    for link in tree.links:
        assert link.chances.min() >= 0
        assert link.chances.sum(axis=1) == pytest.approx(np.ones(len(link.chances)))
        assert tree.shares[link.parent] @ link.chances == pytest.approx(
            tree.shares[link.child], abs=1e-4
        )


def test_a_table_of_nobody_gives_records_all_the_same() -> None:
    tree = fit(
        measure([np.zeros(0, np.int32)] * 2, [2, 3], 1.0, True, ExactCounter(), Progress(None))
    )
    assert tree.rows == 1
    assert [len(codes) for codes in sample(tree, 7, np.random.default_rng(0))] == [7, 7]


def test_pairs_too_large_to_count_are_left_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_tree, "MOST_CELLS", 12)
    for learns in (True, False):
        measured = measure(related(), [4, 3, 4], 1.0, learns, ExactCounter(), Progress(None))
        assert (0, 2) not in measured.pairs
        assert len(fit(measured).shares) == 3


def test_noise_is_as_large_as_the_budget_says() -> None:
    counter = PrivateCounter()
    noise = counter.count(np.zeros(4000, np.int64), 0.5, lambda: None)
    assert 0.999999 * 0.5 < counter.spent <= 0.5
    # Var = 2e^-ε / (1 - e^-ε)²; unseeded, so the bounds are ten standard errors wide.
    ratio = np.exp(-0.5)
    assert noise.var() == pytest.approx(2 * ratio / (1 - ratio) ** 2, rel=0.4)
    assert abs(noise.mean()) < 0.5


def test_the_best_score_is_chosen_when_it_is_clear() -> None:
    counter = PrivateCounter()
    assert {counter.choose([0, 500, 20], 1.0) for _ in range(20)} == {1}
    assert counter.spent <= 20
