"""Neighboring tables: by one row, or by a person with several, added or replaced."""

from collections.abc import Iterator

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.differential import PrivacySetting
from tests.engine.differential.questions import NAMES, random_table

Row = list[str | None]

BASE: list[Row] = [
    ["1", "17", "0", "F", "A", "2020-11-15"],
    ["2", "45", "999", "M", "B", "2021-06-30"],
    ["3", "66", "-50", "F", "C", "2022-02-03"],
    ["4", "50", "475", "M", None, None],
    ["5", None, "300", "F", "A", "2021-06-30"],
    ["6", "52", "500", "M", "B", "2021-12-31"],
]
# Somebody at one end of everything, at the other end, and somebody no question is about.
HIGH: Row = ["9", "100", "1000", "F", "A", "2022-02-03"]
LOW: Row = ["9", "0", "-50.5", "M", "B", "2020-11-15"]
NOBODY: Row = ["9", None, None, None, "Z", "1999-12-31"]


def worst_pairs(setting: PrivacySetting) -> Iterator[tuple[Table, Table]]:
    """Yield neighbors that differ as much as any; a person has more rows than are kept."""
    rows = setting.rows_per_person + 2 if setting.person else 1
    if not setting.replaces:
        yield table(BASE), table(BASE, [HIGH] * rows)
        yield table(BASE), table(BASE, [LOW] * rows)
        return
    yield table(BASE, [LOW] * rows), table(BASE, [HIGH] * rows)
    yield table(BASE, [NOBODY] * rows), table(BASE, [HIGH] * rows)


def random_pair(generator: np.random.Generator, setting: PrivacySetting) -> tuple[Table, Table]:
    """Return random neighbors, their rows in any order."""
    people = random_table(generator, 25).head(25)
    rows = int(generator.integers(1, 6)) if setting.person else 1
    one, other = (
        [["99", *row[1:]] for row in random_table(generator, rows).head(rows)] for _ in range(2)
    )
    first, second = table(people, one if setting.replaces else []), table(people, other)
    return shuffled(first, generator), shuffled(second, generator)


def table(rows: list[Row], more: list[Row] | None = None) -> Table:
    return Table.from_rows(NAMES, [*rows, *(more or [])])


def shuffled(own: Table, generator: np.random.Generator) -> Table:
    rows = own.head(own.rows)
    return Table.from_rows(NAMES, [rows[place] for place in generator.permutation(own.rows)])
