import numpy as np
import pytest

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.utility.ambiguity import measure_ambiguity
from deid_portal.engine.utility.classifiers import compare_classifiers
from deid_portal.engine.utility.comparison import (
    compare_marginals,
    compare_pairs,
    cramers_v,
    earth_mover_ordered,
)
from deid_portal.engine.utility.coverage import LabelCoverage, cover_all
from deid_portal.engine.utility.divergence import measure_divergence
from deid_portal.engine.utility.information_gain import measure_information_gain
from deid_portal.engine.utility.workload import measure_workload_error

NAMES = ("age", "sex")
ORIGINAL = Table.from_rows(NAMES, [["21", "F"], ["22", "F"], ["31", "M"], ["31", "M"]])
DECADES = Table.from_rows(NAMES, [["2*", "F"], ["2*", "F"], ["3*", "M"], ["3*", "M"]])
HIDDEN = Table.from_rows(NAMES, [["*", "*"]] * 4)
SHORT = Table.from_rows(NAMES, [["2*", "F"], ["2*", "F"]])


def cover(released: Table, original: Table = ORIGINAL) -> tuple[LabelCoverage, ...]:
    return cover_all(original, released, NAMES, {})


def shuffled(table: Table) -> Table:
    return Table(tuple(column.take(slice(None, None, -1)) for column in table.columns))


def renamed(table: Table) -> Table:
    names = {"F": "f!", "M": "m!"}
    rows = [[age, names.get(str(sex), sex)] for age, sex in table.head(table.rows)]
    return Table.from_rows(NAMES, rows)


def test_ambiguity_by_hand() -> None:
    assert measure_ambiguity(ORIGINAL, cover(ORIGINAL), 4).mean == 1
    assert measure_ambiguity(ORIGINAL, cover(ORIGINAL), 4).share == 0
    # Two records could be 21 or 22, two are 31; three ages and two sexes are known.
    assert measure_ambiguity(DECADES, cover(DECADES), 4).mean == pytest.approx((2 + 2 + 1 + 1) / 4)
    assert measure_ambiguity(HIDDEN, cover(HIDDEN), 4).mean == pytest.approx(6)
    assert measure_ambiguity(HIDDEN, cover(HIDDEN), 4).share == pytest.approx(1)
    assert measure_ambiguity(SHORT, cover(SHORT), 4).mean == pytest.approx((2 + 2 + 6 + 6) / 4)


def test_divergence_by_hand() -> None:
    assert measure_divergence(ORIGINAL, ORIGINAL, NAMES, {}) == pytest.approx(0)
    assert measure_divergence(ORIGINAL, DECADES, NAMES, {}) == pytest.approx(0)
    # 1.5 bits observed, log2(6) assumed.
    assert measure_divergence(ORIGINAL, HIDDEN, NAMES, {}) == pytest.approx(np.log2(6) - 1.5)


def test_suppressed_records_are_spread_over_everything() -> None:
    # q = (2/2 + 2/6)/4 for 21 and 22, (2/6)/4 for 31: p = 1/4, 1/4, 1/2.
    expected = 0.5 * np.log2(0.25 / (4 / 12)) + 0.5 * np.log2(0.5 / (1 / 12))
    assert measure_divergence(ORIGINAL, SHORT, NAMES, {}) == pytest.approx(expected)


def test_release_that_rules_out_a_record_diverges_without_end() -> None:
    wrong = Table.from_rows(NAMES, [["21", "F"]] * 4)
    assert measure_divergence(ORIGINAL, wrong, NAMES, {}) == np.inf


def test_information_gain_by_hand() -> None:
    gain = measure_information_gain(ORIGINAL, ["age"], "sex")
    assert (gain.entropy, gain.gain, gain.share) == pytest.approx((1.0, 1.0, 1.0))
    assert measure_information_gain(HIDDEN, ["age"], "sex").gain == 0
    mixed = Table.from_rows(NAMES, [["2*", "F"], ["2*", "M"], ["3*", "M"], ["3*", "M"]])
    # H(3/4) less half of one bit.
    assert measure_information_gain(mixed, ["age"], "sex").gain == pytest.approx(0.3112781)


def test_marginals_and_pairs_of_the_original_do_not_change() -> None:
    for change in compare_marginals(ORIGINAL, ORIGINAL, cover(ORIGINAL)):
        assert (change.total_variation, change.earth_mover) == (0, 0)
    pair = compare_pairs(ORIGINAL, ORIGINAL, cover(ORIGINAL))[0]
    assert (pair.total_variation, pair.association_change) == (0, 0)


def test_hidden_marginal_by_hand() -> None:
    age, sex = compare_marginals(ORIGINAL, HIDDEN, cover(HIDDEN))
    # 1/4, 1/4, 1/2 against a third each.
    assert age.total_variation == pytest.approx(1 / 6)
    assert age.earth_mover == pytest.approx((1 / 12 + 2 / 12) / 2)
    assert sex.total_variation == pytest.approx(0)
    pair = compare_pairs(ORIGINAL, HIDDEN, cover(HIDDEN))[0]
    assert (pair.association_before, pair.association_after) == (1.0, 0.0)


def test_correlation_of_numbers() -> None:
    numbers = Table.from_rows(NAMES, [["1", "2"], ["2", "4"], ["3", "6"], ["4", None]])
    pair = compare_pairs(numbers, numbers, cover_all(numbers, numbers, NAMES, {}))[0]
    assert pair.correlation_before == pytest.approx(1)
    assert pair.correlation_after == pytest.approx(1)


def test_small_formulas() -> None:
    assert earth_mover_ordered(np.array([1.0, 0, 0]), np.array([0, 0, 1.0])) == 1
    assert cramers_v(np.array([[5.0, 5.0], [5.0, 5.0]])) == 0


def test_workload_error_is_none_for_the_original_and_grows() -> None:
    def ask(released: Table) -> float:
        generator = np.random.default_rng(1)
        found = measure_workload_error(
            ORIGINAL, released, cover(released), generator=generator, queries=200
        )
        assert found.interval[0] <= found.mean <= found.interval[1]
        return found.mean

    assert ask(ORIGINAL) == 0
    assert ask(HIDDEN) > 0
    assert ask(HIDDEN) == ask(HIDDEN)


@pytest.mark.parametrize("change", [shuffled, renamed])
def test_order_of_rows_and_names_of_values_say_nothing(change: object) -> None:
    assert callable(change)
    original, released = change(ORIGINAL), change(DECADES)
    coverages = cover(released, original)
    assert measure_ambiguity(released, coverages, 4) == measure_ambiguity(
        DECADES, cover(DECADES), 4
    )
    assert measure_divergence(original, released, NAMES, {}) == pytest.approx(0)
    before = {one.column: one for one in compare_marginals(ORIGINAL, DECADES, cover(DECADES))}
    after = {one.column: one for one in compare_marginals(original, released, coverages)}
    assert after["age"].total_variation == pytest.approx(before["age"].total_variation)


def test_classifiers_learn_what_is_there_and_nothing_from_a_hidden_table() -> None:
    rows = [["20", "F"], ["30", "M"], ["20", "F"]] * 20
    original = Table.from_rows(NAMES, rows)
    hidden = Table.from_rows(NAMES, [["*", sex] for _, sex in rows])
    for found in compare_classifiers(original, hidden, ["age"], "sex", seed=1):
        assert found.before.mean == 1
        assert found.after.mean == pytest.approx(found.majority) == pytest.approx(2 / 3)
        assert found.after.interval[0] <= found.after.mean <= found.after.interval[1]
        assert type(found.after.interval[0]) is float


def test_class_column_with_one_class_is_refused() -> None:
    with pytest.raises(InvalidTable, match='Column "sex" needs two classes'):
        compare_classifiers(SHORT, SHORT, ["age"], "sex", seed=1)
