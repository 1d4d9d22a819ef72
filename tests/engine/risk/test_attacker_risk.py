import numpy as np
import pytest

from deid_portal.engine.risk.attackers import journalist, marketer, prosecutor
from deid_portal.engine.risk.sample_uniques import count_sample_uniques

SIZES = np.array([1, 2, 5])


def test_prosecutor_by_hand() -> None:
    risk = prosecutor(SIZES, threshold=0.3)
    assert risk.per_class.tolist() == [1.0, 0.5, 0.2]
    assert (risk.highest, risk.lowest, risk.average) == (1.0, 0.2, 3 / 8)
    assert (risk.records_above, risk.share_above) == (3, 3 / 8)


def test_journalist_without_population_is_a_bound() -> None:
    assert journalist(SIZES).is_bound
    assert journalist(SIZES).highest == prosecutor(SIZES).highest


def test_population_lowers_the_journalist_and_the_marketer() -> None:
    sizes, population = np.array([2, 1, 1]), np.array([4, 1, 2])
    assert not journalist(sizes, population).is_bound
    assert journalist(sizes, population).highest == 1.0
    assert marketer(sizes, population).average == pytest.approx((2 / 4 + 1 / 1 + 1 / 2) / 4)
    assert count_sample_uniques(sizes, population).in_population == 1


def test_a_population_that_lacks_people_is_a_bound() -> None:
    """Three are released of whom the population knows two, so there are three at least."""
    risk = journalist(np.array([3, 1]), np.array([2, 4]))
    assert risk.per_class.tolist() == [1 / 3, 1 / 4]
    assert risk.is_bound


def test_empty_table_has_no_risk() -> None:
    nobody = prosecutor(np.zeros(0, np.int64))
    assert prosecutor(np.zeros(1, np.int64)).highest == 0
    assert (nobody.highest, nobody.lowest, nobody.average, nobody.share_above) == (0, 0, 0, 0)
