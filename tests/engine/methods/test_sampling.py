"""Sampling: as many as asked, each equally likely, the others not counted as suppressed."""

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.sampling import Sampling
from deid_portal.engine.report.table import RowCounts
from tests.engine.drafts import carry_out, cells, number_table, reader
from tests.engine.tables import document

sampling = reader(Sampling)
TEN = number_table(x=list(range(10)))


@pytest.mark.parametrize(("share", "count"), [(0.5, 5), (0.25, 3), (0.01, 1), (1, 10)])
def test_the_share_is_drawn_and_at_least_one(share: float, count: int) -> None:
    draft = carry_out(sampling(share=share), TEN)
    assert draft.table.rows == count
    assert draft.steps[0]["drawn"] == count
    assert cells(draft, "x") == [str(row) for row in draft.rows]


def test_everybody_is_equally_likely() -> None:
    counts = np.zeros(10)
    for seed in range(2000):
        counts[carry_out(sampling(share=0.3), TEN, seed).rows] += 1
    assert counts == pytest.approx(np.full(10, 600.0), rel=0.12)


def test_who_is_not_drawn_is_not_suppressed() -> None:
    table = Table.from_rows(["x"], [[text] for text in "aabbccddee"])
    plan = Plan.from_document(
        document(
            {"x": {"role": "quasi-identifier"}},
            models=[],
            method=[{"name": "sampling", "share": 0.6}, {"name": "none"}],
        )
    )
    outcome = protect(table, plan)
    assert outcome.report.rows == RowCounts(released=6, suppressed=0, not_drawn=4)


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"method\.share"):
        sampling(share=0)
