"""Moving codes and texts in and out of Arrow through its buffers.

`pa.array` and `to_numpy` would do, but the first call of either imports pandas, a second or more
that every fresh process would pay.
"""

import numpy as np
import pyarrow as pa

from deid_portal.engine.table.table import PackedCodes
from deid_portal.engine.table.texts import NO_GAP, Texts

MOST_SHORT_BYTES = (1 << 31) - 1  # more than these need wider offsets


def codes_to_arrow(codes: PackedCodes) -> "pa.Array":
    """Wrap codes without copying them, as numbers of the same kind."""
    contiguous = np.ascontiguousarray(codes)
    kind = pa.from_numpy_dtype(contiguous.dtype)
    return pa.Array.from_buffers(kind, len(codes), [None, pa.py_buffer(contiguous)])


def codes_from_arrow(array: "pa.Array") -> PackedCodes:
    """View the codes of an array that has no nulls."""
    start, stop = array.offset, array.offset + len(array)
    kind = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(array.buffers()[1] or b"", kind)[start:stop]


def texts_to_arrow(texts: Texts) -> "pa.Array":
    """Return texts as a string array, the gap as null."""
    is_short = len(texts.store) <= MOST_SHORT_BYTES
    kind = pa.string() if is_short else pa.large_string()
    offsets = texts.offsets.view(np.int32) if is_short else texts.offsets.astype(np.int64)
    present = None
    if texts.gap != NO_GAP:
        is_present = np.ones(len(texts), np.bool_)
        is_present[texts.gap] = False
        present = pa.py_buffer(np.packbits(is_present, bitorder="little"))
    buffers = [present, pa.py_buffer(offsets), pa.py_buffer(texts.store)]
    return pa.Array.from_buffers(kind, len(texts), buffers)


def texts_from_arrow(array: "pa.Array") -> Texts:
    """View the bytes of a string array that has at most one null."""
    present, offsets, store = array.buffers()
    kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
    bounds = np.frombuffer(offsets or b"", kind)[array.offset : array.offset + len(array) + 1]
    gap = NO_GAP
    if array.null_count:
        bits = np.unpackbits(np.frombuffer(present, np.uint8), bitorder="little")
        gap = int(bits[array.offset :].argmin())
    # An array without any text may come without offsets.
    plain = bounds.astype(np.uint32) if len(bounds) else np.zeros(1, np.uint32)
    return Texts(np.frombuffer(store or b"", np.uint8), plain, gap)
