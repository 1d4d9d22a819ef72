"""Compiling every kernel before somebody waits for it.

Kernels are compiled for the types they are called with and kept on disk, so what is run here once
is only loaded later. The work is real but tiny: it goes through the same doors as any other.
"""

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from deid_portal.engine.compiled import kernels
from deid_portal.engine.detection import look_at, measure_isolation, suggest_by_looks
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.methods.concealment.cover import warm_up_concealment
from deid_portal.engine.methods.microaggregation.warm_up import warm_up_microaggregation
from deid_portal.engine.networks.warm_up import warm_up_networks
from deid_portal.engine.plan import Plan
from deid_portal.engine.protection import assess, protect
from deid_portal.engine.table.patterns import Numbering
from deid_portal.engine.table.profile import profile_column
from deid_portal.engine.table.table import Table

MORE_KEYS_THAN_FIT = 1 << 16
# Codes of up to 256 values take a byte, of up to 65,536 two; loops are compiled for each width.
MORE_VALUES_THAN_TWO_BYTES_TELL = (1 << 16) + 2
FILE = b'zip,age,pay\n1,"20",3\n1,20,4\n2,35,3\n2,36,4\n3,50,5\n'
COLUMNS = {
    "zip": {"role": "quasi-identifier"},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [3]}}},
    "pay": {"role": "sensitive", "taxonomy": {"intervals": {"width": 2}}},
}
MODELS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 2},
    {"model": "l-diversity", "variant": "probabilistic", "l": 1.1, "column": "pay"},
    {"model": "l-diversity", "variant": "entropy", "l": 1.1, "column": "pay"},
    {"model": "l-diversity", "variant": "recursive", "l": 2, "c": 9, "column": "pay"},
    {"model": "t-closeness", "t": 0.9, "distance": "equal", "column": "pay"},
    {"model": "t-closeness", "t": 0.9, "distance": "ordered", "column": "pay"},
    {"model": "t-closeness", "t": 0.9, "distance": "hierarchical", "column": "pay"},
]
# These look at labels, which not every method leaves as they are.
LABEL_MODELS: list[dict[str, Any]] = [
    {"model": "c-t-isolation", "c": 1.0, "t": 2},
]
USUAL_METHODS: list[dict[str, Any]] = [
    {"name": "full-domain", "suppression_limit": 0.4, "metric": "loss"},
    {"name": "full-domain", "suppression_limit": 0.4, "metric": "discernibility"},
    {"name": "local-recoding", "suppression_limit": 0.4},
]
DIVIDING_METHODS: list[dict[str, Any]] = [
    {"name": "top-down"},
    {"name": "top-down", "score": "information-gain", "class_column": "pay"},
    {"name": "mondrian"},
]
# These leave quasi-identifiers exact, so some of the models have nothing to say about them.
SEPARATING_METHODS: list[dict[str, Any]] = [
    {"name": "bucketization", "l": 2, "column": "pay"},
    {"name": "permutation", "k": 2, "e": 0, "column": "pay"},
]
SWAPPING_METHODS: list[dict[str, Any]] = [
    {"name": "rank-swapping", "columns": ["pay"], "window": 50},
    {"name": "record-swapping", "columns": ["zip"], "share": 1},
]


def warm_up() -> None:
    """Compile every kernel, or load it if that was done before; a second call costs little."""
    warm_up_usual()
    warm_up_rest()


def warm_up_usual() -> None:
    """Compile what nearly every run needs: reading, choosing levels, every model, writing."""
    warm_up_intake()
    _warm_what_small_tables_do_not_need()
    Numbering().number(np.arange(MORE_KEYS_THAN_FIT, dtype=np.uint64))
    write_csv(_table(), io.BytesIO())
    for method in USUAL_METHODS:
        for models in ([], MODELS[:1], MODELS):
            _protect(method, models)
    for model in LABEL_MODELS:
        _protect(USUAL_METHODS[0], [model])


def warm_up_intake() -> None:
    """Compile what the first upload needs: reading every type, counting, looking for people."""
    content = _file_of_every_type()
    form = detect_file(io.BytesIO(content)).format
    preview_file(io.BytesIO(content), form)
    table = read_table(io.BytesIO(content), form)
    for column in table.columns:
        profile_column(column)
    suggest_by_looks(table, tuple(look_at(column) for column in table.columns))
    measure_isolation(table.columns.__getitem__, range(len(table.columns)), table.rows)


def _file_of_every_type() -> bytes:
    """Invent a table of texts, numbers, dates, gaps and quotes, with few values and with many."""
    names = "number;zip;pay;born;seen;member;note\n"
    rows = (
        f"{row};0{row % 300};{row % 90},5;{1 + row % 28}.02.1980;2026-01-{10 + row % 9}T10:00:00;"
        f'{("yes", "no", "")[row % 3]};"a ""b"" {row % 7}"\n'
        for row in range(MORE_VALUES_THAN_TWO_BYTES_TELL)
    )
    return "".join([names, *rows]).encode()


def warm_up_rest(*, backwards: bool = False) -> None:
    """Compile what only some methods need; it takes longer than all the rest.

    Two processes share the work if one of them goes `backwards`.
    """
    parts: tuple[Callable[[], None], ...] = (
        _warm_up_other_methods,
        warm_up_microaggregation,
        warm_up_concealment,
        warm_up_networks,
    )
    for warm in reversed(parts) if backwards else parts:
        warm()


def _warm_up_other_methods() -> None:
    for method in DIVIDING_METHODS:
        for models in ([], MODELS[:1], MODELS):
            _protect(method, models)
    for method in (*SEPARATING_METHODS, *SWAPPING_METHODS):
        _protect(method, [])


def _protect(method: dict[str, Any], models: list[dict[str, Any]]) -> None:
    document = {"plan": 1, "columns": COLUMNS, "models": models, "method": method}
    plan = Plan.from_document(document)
    protect(_table(), plan)
    assess(_table(), plan)


@cache
def _table() -> Table:
    return read_csv(io.BytesIO(FILE), CsvFormat())


def _warm_what_small_tables_do_not_need() -> None:
    """Call what only tables of many columns or long searches need."""
    keys, numbers = np.arange(2, dtype=np.uint64), np.arange(2, dtype=np.int32)
    nothing = np.zeros(0, np.uint64)
    kernels.number_at_most(keys, 2)
    kernels.number_keys(keys)
    kernels.raise_keys(keys, nothing, nothing, nothing, nothing)
    kernels.join_classes(keys, numbers, np.ones(2, np.int64), 2)
    kernels.pick_keys(keys, numbers)
    codes, counts = np.zeros((1, 2), np.int32), np.ones(2, np.int64)
    kernels.leaf_counts(codes, np.zeros(1, np.int64), 1, counts, np.ones(2, np.bool_))
    levels, nobody = np.zeros((1, 1), np.int16), np.zeros(1)
    kernels.climb(levels, 1, levels[0], levels[0], nobody, np.zeros(1, np.int64), 0.0, 0.0)
