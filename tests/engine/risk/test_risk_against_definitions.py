"""Risks of random tables agree with a slow, obvious re-implementation."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.attackers import journalist, marketer, prosecutor
from deid_portal.engine.risk.column_influence import rank_columns, rank_pairs
from deid_portal.engine.risk.distinction import rank_projections
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.projection import project_all

NAMES = ["a", "b", "c"]


def draw(seed: int, rows: int = 25) -> list[list[str | None]]:
    cells = np.random.default_rng(seed).integers(0, 4, (rows, 3))
    return [[None if code == 3 else f"v{code}" for code in row] for row in cells]


@pytest.mark.parametrize("seed", range(5))
def test_attackers(seed: int) -> None:
    population = draw(seed, 60)
    sample = population[:20]
    here, there = Counter(map(tuple, sample)), Counter(map(tuple, population))
    patterns = reduce_table(Table.from_rows(NAMES, sample), NAMES, (), Progress(None))
    first = [patterns.pattern_of_row.tolist().index(own) for own in range(len(patterns.counts))]
    sizes, known = patterns.counts, np.array([there[tuple(sample[row])] for row in first])
    chances = prosecutor(sizes).per_class[patterns.pattern_of_row]
    assert chances == pytest.approx([1 / here[tuple(row)] for row in sample])
    assert journalist(sizes, known).highest == max(1 / there[tuple(row)] for row in sample)
    expected = sum(1 / there[tuple(row)] for row in sample) / 20
    assert marketer(sizes, known).average == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_combinations_and_columns(seed: int) -> None:
    rows = draw(seed)
    patterns = reduce_table(Table.from_rows(NAMES, rows), NAMES, (), Progress(None))
    pairs = list(combinations(rows, 2))
    for found in rank_projections(patterns, project_all(patterns, len(NAMES))):
        chosen = [NAMES.index(name) for name in found.columns]
        apart = sum(any(one[i] != two[i] for i in chosen) for one, two in pairs)
        assert found.separation == pytest.approx(apart / len(pairs))
        assert found.distinct == len({tuple(row[i] for i in chosen) for row in rows})
    for without in rank_columns(patterns):
        kept = [i for i, name in enumerate(NAMES) if name != without.column]
        counts = Counter(tuple(row[i] for i in kept) for row in rows)
        assert without.classes == len(counts)
        assert without.sample_uniques == list(counts.values()).count(1)


def test_a_duplicated_column_changes_no_risk() -> None:
    rows = draw(1)
    once = reduce_table(Table.from_rows(NAMES, rows), NAMES, (), Progress(None))
    names = [*NAMES, "again"]
    doubled = Table.from_rows(names, [[*row, row[0]] for row in rows])
    twice = reduce_table(doubled, names, (), Progress(None))
    assert sorted(once.counts.tolist()) == sorted(twice.counts.tolist())
    assert {found.column: found.uniques_saved for found in rank_columns(twice)}["again"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_columns(seed: int) -> None:
    rows = draw(seed)
    patterns = reduce_table(Table.from_rows(NAMES, rows), NAMES, (), Progress(None))
    found = rank_pairs(patterns, rank_columns(patterns))
    assert {own.columns for own in found} <= set(permutations(NAMES, 2))
    assert len(found) == 3
    for without in found:
        [kept] = [i for i, name in enumerate(NAMES) if name not in without.columns]
        counts = Counter(row[kept] for row in rows)
        assert without.average_risk == pytest.approx(len(counts) / len(rows))
        assert without.sample_uniques == list(counts.values()).count(1)
    saved = [own.average_risk_saved for own in found]
    assert saved == sorted(saved, reverse=True)
