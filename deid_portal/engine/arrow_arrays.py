"""Moving codes and texts in and out of Arrow through its buffers.

`pa.array` and `to_numpy` would do, but the first call of either imports pandas, a second or more
that every fresh process would pay.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deid_portal.engine.table import Codes


def codes_to_arrow(codes: Codes) -> "pa.Int32Array":
    """Wrap codes without copying them."""
    contiguous = np.ascontiguousarray(codes, np.int32)
    return pa.Array.from_buffers(pa.int32(), len(codes), [None, pa.py_buffer(contiguous)])


def codes_from_arrow(array: "pa.Int32Array") -> Codes:
    """View the codes of an array that has no nulls."""
    start, stop = array.offset, array.offset + len(array)
    return np.frombuffer(array.buffers()[1] or b"", np.int32)[start:stop]


def texts_to_arrow(texts: Sequence[str | None]) -> "pa.StringArray":
    """Return texts as a string array, None as null."""
    encoded = [b"" if text is None else text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    present = np.packbits(
        np.array([text is not None for text in texts], np.bool_), bitorder="little"
    )
    buffers = [pa.py_buffer(present), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
