"""Arrow arrays of any type into columns: each distinct value is written as text once.

Files with types of their own (Parquet) and data frames come in this way, so both are read alike.
The texts are those of `cell_text.py`; Arrow writes them where it does so in the same way, several
times faster than one call per value.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deid_portal.engine.table.arrow_arrays import codes_from_arrow, texts_from_arrow
from deid_portal.engine.table.cell_text import without_midnight, write_cell
from deid_portal.engine.table.packed_column import PackedColumn, kind_for
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.text_values import infer_type_of

WHOLE_BELOW = 1e15  # whole floats below are written without a point, as `write_float` does
PLAIN_FROM, PLAIN_BELOW = 1e-4, 1e9  # other floats that Arrow writes as Python does


def is_shown(kind: Any) -> bool:
    """Say whether values of this Arrow type have a text that people would write."""
    if pa.types.is_dictionary(kind):
        return is_shown(kind.value_type)
    plain = (
        pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_boolean,
        pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_date,
        pa.types.is_time, pa.types.is_timestamp, pa.types.is_duration, pa.types.is_null,
    )  # fmt: skip
    return any(is_of(kind) for is_of in plain)


def column_from_arrow(name: str, array: "pa.Array") -> Column:
    """Return the values of an array as a column, numbered in order of appearance."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    found = array.dictionary_encode(null_encoding="encode")
    # Values that are written alike share a code: zeros of either sign, a gap and an empty text.
    written = write_arrow_cells(found.dictionary).dictionary_encode(null_encoding="encode")
    texts = texts_from_arrow(written.dictionary)
    numbers = codes_from_arrow(written.indices).astype(kind_for(len(texts)))
    codes = numbers[codes_from_arrow(found.indices)]
    return without_midnight(PackedColumn(name, infer_type_of(texts), codes, texts))


def write_arrow_cells(array: "pa.Array") -> "pa.Array":
    """Return the text of each value, null for a gap; raises what Arrow and Python raise."""
    texts = _write(array)
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)


def _write(array: "pa.Array") -> "pa.Array":
    kind = array.type
    if pa.types.is_floating(kind):
        return _write_floats(array.cast(pa.float32()) if pa.types.is_float16(kind) else array)
    is_same = is_shown(kind) and not pa.types.is_decimal(kind) and not pa.types.is_temporal(kind)
    if is_same:
        texts = array.cast(pa.string())
        texts.validate(full=True)
        return texts
    if pa.types.is_timestamp(kind) and kind.tz is None and _are_whole_seconds(array):
        return array.cast(pa.timestamp("s")).cast(pa.string())
    return _write_each(array)


def _write_each(array: "pa.Array") -> "pa.Array":
    return pa.array([write_cell(value) for value in array.to_pylist()], pa.string())


def _are_whole_seconds(moments: "pa.Array") -> bool:
    """Say whether no moment has a part of a second, or is outside the calendar of Python."""
    years = pc.min_max(pc.year(moments))
    if not len(moments) or years["min"].as_py() is None:
        return True
    if years["min"].as_py() < 1 or years["max"].as_py() > 9999:
        return False
    return bool(pc.all(pc.equal(pc.subsecond(moments), 0)).as_py())


def _write_floats(array: "pa.Array") -> "pa.Array":
    """Write floats with as few digits as identify them, those of 32 bits as such: 0.1."""
    is_short = pa.types.is_float32(array.type)
    numbers = array.to_numpy(zero_copy_only=False)
    sizes = np.abs(numbers)
    is_whole = (numbers == np.floor(numbers)) & (sizes < WHOLE_BELOW)
    is_plain = (sizes >= PLAIN_FROM) & (sizes < PLAIN_BELOW)
    whole = pa.array(np.where(is_whole, numbers, 0).astype(np.int64)).cast(pa.string())
    texts = pc.if_else(pa.array(is_whole), whole, array.cast(pa.string()))
    others = np.flatnonzero(~is_whole & ~is_plain)
    if not len(others):
        return texts
    said = [float(str(n)) for n in numbers[others]] if is_short else numbers[others].tolist()
    written = pa.array([write_cell(number) for number in said], pa.string())
    mask = np.zeros(len(numbers), np.bool_)
    mask[others] = True
    return pc.replace_with_mask(texts, pa.array(mask), written)
