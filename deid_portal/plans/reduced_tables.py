"""Tables reduced to what estimates need: distinct patterns with counts, stored in the vault.

Loading a million rows takes a second, and estimates are needed while a slider moves. So the
patterns are counted once per set of columns and stored in the vault beside their table; the last
few used stay in memory. They are deleted with the table.
"""

import hashlib
import io
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, ColumnType, Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.table.patterns import Pairs, Patterns, reduce_table
from deid_portal.vault import vault

# With so many patterns a check takes a few milliseconds.
MOST_PATTERNS = 250_000
# Seed of the sampled rows, constant so that estimates are comparable; protects nobody.
SEED = 20261116
FORMAT = 1
LEVELS_KEPT = 12
NO_ROWS: NDArray[np.int32] = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class ReducedTable:
    """The patterns of a table, or of a random sample of its rows.

    `columns` hold the quasi-identifiers, one row per pattern, `counted` the columns whose values
    rules count, one row per record. `good_levels` are those that earlier estimates found: what was
    best for one slider position is often good for the next.
    """

    columns: tuple[Column, ...]
    counted: Mapping[str, Column]
    patterns: Patterns
    all_rows: int
    good_levels: deque[Levels] = field(default_factory=lambda: deque(maxlen=LEVELS_KEPT))

    @property
    def rows(self) -> int:
        return self.patterns.rows

    @property
    def is_sample(self) -> bool:
        return self.rows < self.all_rows


def reduced_table(dataset: Dataset, counted: Sequence[str]) -> ReducedTable:
    """Return the patterns over the quasi-identifiers, with the values of the counted columns."""
    columns = list(dataset.columns.all())
    chosen = [c for c in columns if c.is_quasi_identifier or c.name in counted]
    key = json.dumps([FORMAT, *([c.position, c.type, c.is_quasi_identifier] for c in chosen)])
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    name = f"datasets/{dataset.id}/table-{dataset.table_id}/patterns-{digest}"
    if not vault.path_of(name).exists():
        reduced = _reduce(chosen)
        try:
            _store(name, reduced)
        except vault.DiskFull:
            return reduced  # only needs to be counted again
    return _open(name)


def _reduce(chosen: Sequence[DatasetColumn]) -> ReducedTable:
    types = {column.name: ColumnType(column.type) for column in chosen}
    table = Table(tuple(values_of(column) for column in chosen)).with_types(types)
    names = [column.name for column in chosen if column.is_quasi_identifier]
    counted = [column.name for column in chosen if not column.is_quasi_identifier]
    all_rows = table.rows
    patterns = reduce_table(table, names, counted, Progress(None))
    if len(patterns.counts) > MOST_PATTERNS:
        share = MOST_PATTERNS / len(patterns.counts)
        kept = np.flatnonzero(np.random.default_rng(SEED).random(all_rows) < share)
        table = Table(tuple(column.take(kept) for column in table.columns))
        patterns = reduce_table(table, names, counted, Progress(None))
    return ReducedTable(
        columns=tuple(
            replace(table[name], codes=codes)
            for name, codes in zip(names, patterns.codes, strict=True)
        ),
        counted={name: table[name] for name in counted},
        patterns=replace(patterns, pattern_of_row=NO_ROWS),
        all_rows=all_rows,
    )


def _store(name: str, reduced: ReducedTable) -> None:
    described = {
        "all_rows": reduced.all_rows,
        "columns": [_describe(column) for column in reduced.columns],
        "counted": [_describe(column) for column in reduced.counted.values()],
    }
    text = json.dumps(described, ensure_ascii=False).encode()
    arrays: dict[str, NDArray[Any]] = {
        "described": np.frombuffer(text, np.uint8),
        "codes": reduced.patterns.codes,
        "counts": reduced.patterns.counts,
    }
    for number, pairs in enumerate(reduced.patterns.sensitive.values()):
        arrays[f"pairs-{number}"] = np.stack([pairs.groups, pairs.codes, pairs.counts])
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    with vault.VaultWriter(name) as writer:
        writer.write(packed.getbuffer())


def _describe(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type.value,
        "decimal": column.decimal,
        "values": list(column.values),
    }


@lru_cache(maxsize=4)
def _open(name: str) -> ReducedTable:
    with vault.open_reader(name) as stream:
        arrays = np.load(io.BytesIO(stream.read()), allow_pickle=False)
    described = json.loads(arrays["described"].tobytes())
    codes, counts = arrays["codes"], arrays["counts"]
    pairs = {}
    for number, column in enumerate(described["counted"]):
        groups, values, records = arrays[f"pairs-{number}"]
        pairs[column["name"]] = Pairs(groups.astype(np.int32), values.astype(np.int32), records)
    names = tuple(column["name"] for column in described["columns"])
    return ReducedTable(
        columns=tuple(
            _column(column, own) for column, own in zip(described["columns"], codes, strict=True)
        ),
        counted={
            column["name"]: _column(
                column, np.repeat(pairs[column["name"]].codes, pairs[column["name"]].counts)
            )
            for column in described["counted"]
        },
        patterns=Patterns(names, codes, counts, NO_ROWS, pairs),
        all_rows=described["all_rows"],
    )


def _column(described: Mapping[str, Any], codes: NDArray[np.int32]) -> Column:
    return Column(
        described["name"],
        ColumnType(described["type"]),
        codes,
        tuple(described["values"]),
        described["decimal"],
    )
