import numpy as np
import pytest

from deid_portal.engine.risk.burden import measure_burden
from deid_portal.engine.table.table import Column

# Four of group a, two of group b, one gap.
GROUPS = Column.from_cells("group", ["a", "a", "a", "a", "b", "b", None])
KEPT = np.array([True, True, True, False, False, False, True])


def test_suppression_and_loss_by_group() -> None:
    burden = measure_burden(GROUPS, KEPT, {"zip": np.full(7, 0.5), "age": np.zeros(7)})
    assert burden.suppressed.tolist() == [1, 2, 0]
    assert burden.suppressed_share.tolist() == [0.25, 1.0, 0.0]
    assert burden.loss == pytest.approx([(3 * 0.25 + 1) / 4, 1.0, 0.25])
    assert burden.gap == 1.0


def test_sentence_counts_and_names_no_value() -> None:
    sentence = measure_burden(GROUPS, KEPT, {}).sentence
    assert "3 groups" in sentence
    assert "100.0 percentage points" in sentence


def test_order_of_rows_says_nothing() -> None:
    turned = Column("group", GROUPS.type, GROUPS.codes[::-1], GROUPS.values)
    there = measure_burden(turned, KEPT[::-1], {})
    assert there.suppressed.tolist() == measure_burden(GROUPS, KEPT, {}).suppressed.tolist()
