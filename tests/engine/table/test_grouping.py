from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.rollup import Grouper
from deid_portal.engine.table import patterns as patterns_module
from deid_portal.engine.table.patterns import Numbering, reduce_table
from deid_portal.engine.taxonomies import FlatTaxonomy
from tests.engine.tables import FOUR


def group(table: Table, names: list[str], levels: tuple[int, ...]) -> list[int]:
    patterns = reduce_table(table, names, [], Progress(None))
    grouper = Grouper(patterns, [FlatTaxonomy().build(table[name]) for name in names])
    return sorted(grouper.group(levels).classes.sizes.tolist())


def test_record_with_a_gap_is_counted() -> None:
    assert group(FOUR, ["zip", "age"], (0, 0)) == [1, 1, 2]
    assert group(FOUR, ["zip", "age"], (0, 1)) == [2, 2]
    assert group(FOUR, ["zip", "age"], (1, 1)) == [4]


def test_without_quasi_identifiers_everyone_is_alike() -> None:
    assert group(FOUR, [], ()) == [4]


def test_sensitive_values_are_counted_per_class() -> None:
    patterns = reduce_table(FOUR, ["zip"], ["condition"], Progress(None))
    pairs = patterns.sensitive["condition"]
    counts = dict(zip(zip(pairs.groups, pairs.codes, strict=True), pairs.counts, strict=True))
    assert counts == {(0, 0): 1, (0, 1): 1, (1, 0): 2}


@pytest.mark.parametrize("width", [1, 12, 70, 200])
def test_keys_of_any_width_group_as_the_rows_do(width: int) -> None:
    generator = np.random.default_rng(width)
    codes = generator.integers(0, 3, (60, width))
    codes[:, 1:] = codes[:, :1]  # alike in the first column, alike throughout
    values = np.array([[f"{code}-{'x' * 9}" for code in row] for row in codes])
    names = [f"c{index}" for index in range(width)]
    table = Table.from_rows(names, values.tolist())
    sizes = sorted(np.unique(codes[:, 0], return_counts=True)[1].tolist())
    assert group(table, names, (0,) * width) == sizes


def test_more_than_64_bits_of_key_are_told_apart() -> None:
    generator = np.random.default_rng(1)
    base = generator.integers(0, 200, (30, 40))
    rows = base[generator.integers(0, 30, 500)]
    names = [f"c{index}" for index in range(40)]
    table = Table.from_rows(names, [[str(cell) for cell in row] for row in rows])
    _, sizes = np.unique(rows, axis=0, return_counts=True)
    assert group(table, names, (0,) * 40) == sorted(sizes.tolist())


def test_rolling_up_from_finer_classes_gives_the_same_classes() -> None:
    patterns = reduce_table(FOUR, ["zip", "age"], ["condition"], Progress(None))
    grouper = Grouper(patterns, [FlatTaxonomy().build(FOUR[name]) for name in ("zip", "age")])
    finer = grouper.group((0, 1))
    rolled = grouper.group((1, 1), finer).classes
    direct = grouper.group((1, 1)).classes
    assert rolled.sizes.tolist() == direct.sizes.tolist()
    assert sorted(rolled.sensitive["condition"].counts) == [1, 3]


def test_numbering_goes_on_over_chunks_and_grows() -> None:
    keys = np.random.default_rng(2).integers(0, 120_000, 300_000).astype(np.uint64)
    numbering = Numbering()
    numbers = np.concatenate([numbering.number(part) for part in np.array_split(keys, 7)])
    distinct = np.unique(keys)
    pairs = np.unique(np.stack([keys.astype(np.int64), numbers.astype(np.int64)]), axis=1)
    assert pairs.shape[1] == len(distinct) == numbers.max() + 1


rows_of_three = st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 3), min_size=1)


@settings(max_examples=50, deadline=None)
@given(rows_of_three)
def test_patterns_and_pairs_count_as_plain_counting_does(
    rows: list[tuple[str | None, ...]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns_module, "ROWS_PER_CHUNK", 4)
        table = Table.from_rows(["x", "y", "z"], [list(row) for row in rows])
        patterns = reduce_table(table, ["x", "y"], ["z"], Progress(None))
    shown = [
        tuple(
            table[name].values[codes[number]]
            for name, codes in zip("xy", patterns.codes, strict=True)
        )
        for number in range(len(patterns.counts))
    ]
    assert dict(zip(shown, patterns.counts, strict=True)) == Counter(row[:2] for row in rows)
    assert [shown[number] for number in patterns.pattern_of_row] == [row[:2] for row in rows]
    pairs = patterns.sensitive["z"]
    triples = [
        (*shown[group], table["z"].values[code])
        for group, code in zip(pairs.groups, pairs.codes, strict=True)
    ]
    assert dict(zip(triples, pairs.counts, strict=True)) == Counter(rows)
