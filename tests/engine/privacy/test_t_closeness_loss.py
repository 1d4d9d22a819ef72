"""How many records of a class t-closeness must lose, however it is cut: against trying all."""

import itertools

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.privacy import SensitiveColumn, TCloseness, WholeTable
from deid_portal.engine.table.patterns import Classes, Pairs

SECRETS = 4 * ["a"] + 3 * ["b"] + 2 * ["c"] + ["d"]
SHARES = (0.4, 0.3, 0.2, 0.1)


def lost(counts: tuple[int, ...], t: float) -> int:
    """Return what is proved to be lost of a class with so many records of a, b, c and d."""
    table = Table.from_rows(["secret"], [[secret] for secret in SECRETS])
    whole = WholeTable(table.rows, {"secret": SensitiveColumn(table["secret"], None)})
    codes = np.flatnonzero(counts).astype(np.int32)
    pairs = Pairs(np.zeros(len(codes), np.int32), codes, np.array(counts, np.int64)[codes])
    classes = Classes(np.zeros(1, np.int32), np.array([sum(counts)], np.int64), {"secret": pairs})
    return int(TCloseness(t, "secret").judge(classes, whole)[1][0])


def lost_at_least(counts: tuple[int, ...], t: float) -> int:
    """Return how many are left out of the largest part that keeps within t."""
    largest = 0
    for part in itertools.product(*(range(count + 1) for count in counts)):
        size = sum(part)
        pairs = zip(part, SHARES, strict=True)
        if size and sum(max(own / size - share, 0) for own, share in pairs) <= t + 1e-9:
            largest = max(largest, size)
    return sum(counts) - largest


@pytest.mark.parametrize(
    ("counts", "t", "expected"),
    [
        ((4, 3, 2, 1), 0.0, 0),  # like the whole
        ((8, 3, 2, 1), 0.0, 4),  # four of a are too many
        ((5, 0, 0, 0), 0.5, 5),  # a alone is 0.6 away, whatever is left out
        ((5, 0, 0, 0), 0.6, 0),
        ((4, 3, 0, 0), 0.2, 7),  # c and d are missing: 0.3 away at best
        ((9, 3, 0, 0), 0.3, 2),  # 7 of a in 10 are 0.3 too many
    ],
)
def test_losses_by_hand(counts: tuple[int, ...], t: float, expected: int) -> None:
    assert lost_at_least(counts, t) == expected
    assert lost(counts, t) == expected


def test_never_promises_more_than_is_lost() -> None:
    generator = np.random.default_rng(2)
    together = 0
    for _ in range(150):
        counts = tuple(int(count) for count in generator.integers(0, 7, 4))
        t = float(generator.choice([0.0, 0.05, 0.1, 0.2, 0.35]))
        if sum(counts):
            proved, exact = lost(counts, t), lost_at_least(counts, t)
            assert proved <= exact
            together += exact - proved
    assert together < 200  # hardly more than one each, because records are whole
