"""Data frames of pandas into tables and back.

A frame becomes a table as a Parquet file of it would. On the way back a column gets its type of
before, if what it shows now is still written like values of that type; otherwise that of the
engine: text, whole numbers, numbers, dates or yes and no. Rows are numbered anew.

Messages name the column and the row, counted from 1, and never hold a value.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.arrow_arrays import texts_to_arrow
from deid_portal.engine.table.arrow_columns import column_from_arrow, is_shown, write_arrow_cells
from deid_portal.engine.table.cell_text import MIDNIGHT, write_cell
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.text_values import find_date_format_of, integers_in, numbers_in
from deid_portal.engine.table.texts import NO_GAP, Texts
from deid_portal.engine.table.values import ColumnType, parse_number

TEXT: Any = pd.StringDtype(na_value=np.nan)  # pandas calls it "str"
PLAIN_VALUES = (str, bool, int, float, Decimal, date, datetime, time, timedelta)
EXACT_DIGITS = 16  # bytes of a number, with a sign for the decimals, that a float always holds
Values = Any  # an array of numpy or pandas with a value per code


def table_from_frame(frame: pd.DataFrame) -> Table:
    """Return a frame as a table; its index is dropped."""
    if not isinstance(frame, pd.DataFrame):
        raise InvalidTable("A Table or a pandas DataFrame is accepted as a table.")
    _check_names(frame)
    arrays = {str(name): _arrow_of(str(name), series) for name, series in frame.items()}
    columns = (_column(name, array) for name, array in arrays.items())
    return Table(tuple(columns), pandas_types=_types_of(frame, arrays))


def frame_from_table(table: Table) -> pd.DataFrame:
    """Return a table as a frame with rows numbered from 0."""
    cells = {c.name: _cells(c, table.pandas_types.get(c.name)) for c in table.columns}
    return pd.DataFrame(cells, index=pd.RangeIndex(table.rows), columns=list(table.names))


def types_of_release(types: Mapping[str, Any], released: Table) -> dict[str, Any]:
    """Return the types of the original frame for the release made of it.

    Categories no released row has would tell of suppressed rows, and the order of unordered
    categories may be that of the original rows: so only released categories stay, sorted unless
    they are ordered.
    """
    return {
        column.name: _shown_categories(kind, column)
        if isinstance(kind, pd.CategoricalDtype)
        else kind
        for column in released.columns
        if (kind := types.get(column.name)) is not None
    }


def _shown_categories(kind: pd.CategoricalDtype, column: Column) -> pd.CategoricalDtype:
    written = _write_categories(kind).to_pylist()
    shown = set(column.values)
    places = [place for place, text in enumerate(written) if text in shown]
    if not kind.ordered:
        places.sort(key=lambda place: written[place])
    return pd.CategoricalDtype(kind.categories.take(places), bool(kind.ordered))


def _check_names(frame: pd.DataFrame) -> None:
    seen: dict[str, int] = {}
    for number, name in enumerate(frame.columns, start=1):
        if not isinstance(name, str):
            raise InvalidTable(
                f"The name of column {number} is no text; rename it, or all of them with "
                f"frame.columns = frame.columns.astype(str)."
            )
        if not name.strip():
            raise InvalidTable(f"Column {number} has no name; give every column one.")
        if name in seen:
            raise InvalidTable(
                f"Columns {seen[name]} and {number} have the same name; rename one in the frame."
            )
        seen[name] = number


def _types_of(frame: pd.DataFrame, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the type each column has; Python objects have none, unless they are texts."""
    kinds = {str(name): _type_of(series.dtype, arrays[str(name)]) for name, series in frame.items()}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _type_of(kind: Any, array: "pa.Array") -> Any:
    if kind != np.dtype(object):
        return kind
    return TEXT if pa.types.is_string(array.type) else None


def _column(name: str, array: "pa.Array") -> Column:
    try:
        return column_from_arrow(name, array)
    except (pa.ArrowException, ValueError, OverflowError):
        years = pc.year(array) if pa.types.is_temporal(array.type) else pa.nulls(0, pa.int64())
        outside = pc.or_(pc.less(years, 1), pc.greater(years, 9999))
        row = pc.index(outside, True).as_py() + 1
    raise InvalidTable(
        f'Column "{name}", row {row} holds a date that no calendar has, such as one after the year '
        f"9999; mend it or leave the column out."
    )


def _arrow_of(name: str, series: "pd.Series[Any]") -> "pa.Array":
    """Return a column of a frame as an array whose values have a text."""
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _categories_of_rows(name, series)
    if isinstance(kind, pd.PeriodDtype | pd.IntervalDtype):
        series = series.astype(TEXT)
    if isinstance(kind, pd.SparseDtype):
        series = pd.Series(np.asarray(series))
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return pa.array(_write_objects(name, series), pa.string())
    if not is_shown(array.type):
        return pa.array(_write_objects(name, series), pa.string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _categories_of_rows(name: str, series: "pd.Series[Any]") -> "pa.Array":
    codes = series.cat.codes.to_numpy()
    try:
        written = _write_categories(cast(pd.CategoricalDtype, series.dtype), name)
    except InvalidTable:
        deque(_write_objects(name, series), maxlen=0)  # raises with the number of the row
        raise
    return written.take(pa.array(codes, mask=codes < 0))


def _write_categories(kind: pd.CategoricalDtype, name: str = "") -> "pa.Array":
    return write_arrow_cells(_arrow_of(name, kind.categories.to_series()))


def _write_objects(name: str, series: "pd.Series[Any]") -> Iterator[str | None]:
    """Write Python objects of several kinds one by one; refuses what is no single value."""
    for row, value in enumerate(series, start=1):
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is pd.NA or plain is pd.NaT:
            plain = None
        if plain is not None and not isinstance(plain, PLAIN_VALUES):
            raise InvalidTable(
                f'Column "{name}", row {row} holds a value of the type {type(value).__name__}, '
                f"which no table can show; leave the column out."
            )
        text = write_cell(plain)
        if text is not None and not _is_unicode(text):
            raise InvalidTable(f'Column "{name}", row {row} holds text that is not valid Unicode.')
        yield text


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cells(column: Column, kind: Any) -> Values:
    values = None if kind is None else _as_before(column.texts, kind)
    if values is None:
        values = _NATURAL[column.type](column)
    return values.take(column.packed.astype(np.intp))


def _as_before(texts: Texts, kind: Any) -> Values | None:
    """Return texts as values of a type; None if its values would be written otherwise."""
    wanted = texts_to_arrow(texts)
    try:
        if isinstance(kind, pd.CategoricalDtype):
            return _categories(wanted, kind)
        read = wanted.cast(pa.array(pd.Series(dtype=kind)).type)
        if read.null_count and isinstance(kind, np.dtype) and kind.kind in "iub":
            return None
        is_same = _without_midnight(write_arrow_cells(read)).equals(_without_midnight(wanted))
    except (pa.ArrowException, ValueError, OverflowError):
        return None
    if not is_same:
        return None
    if hasattr(kind, "__from_arrow__"):
        return kind.__from_arrow__(read)
    return read.to_numpy(zero_copy_only=False)


def _without_midnight(texts: "pa.Array") -> "pa.Array":
    is_midnight = pc.ends_with(texts, MIDNIGHT)
    return pc.if_else(is_midnight, pc.utf8_slice_codeunits(texts, 0, -len(MIDNIGHT)), texts)


def _categories(texts: "pa.Array", kind: pd.CategoricalDtype) -> Values | None:
    places = pc.index_in(texts, _write_categories(kind).cast(texts.type), skip_nulls=True)
    if places.null_count != texts.null_count:
        return None
    codes = places.fill_null(-1).to_numpy(zero_copy_only=False)
    return pd.Categorical.from_codes(codes, dtype=kind)


def _as_texts(column: Column) -> Values:
    return TEXT.__from_arrow__(texts_to_arrow(column.texts))


def _as_integers(column: Column) -> Values:
    numbers, gap = integers_in(column.texts), column.texts.gap
    if gap == NO_GAP:
        return numbers
    is_gap = np.arange(len(column.texts)) == gap
    return pd.arrays.IntegerArray(np.insert(numbers, gap, 0), is_gap)


def _as_numbers(column: Column) -> Values:
    """Return floats, or texts if a float would not hold all the digits of one."""
    numbers = numbers_in(column.texts, column.decimal)
    long = column.texts.longer_than(EXACT_DIGITS)
    exact = (parse_number(text, column.decimal) for text in column.texts.pick(long))
    is_exact = all(
        Decimal(repr(number)) == text
        for number, text in zip(numbers[long].tolist(), exact, strict=True)
    )
    return numbers if is_exact else _as_texts(column)


def _as_dates(column: Column) -> Values:
    form = find_date_format_of(column.texts)
    moments = pd.to_datetime(pd.Series(column.values), format=form)
    return moments.dt.as_unit("us").array


def _as_booleans(column: Column) -> Values:
    """Return true and false, in any case, as booleans; yes and no stay texts."""
    said = [None if text is None else text.lower() for text in column.values]
    if not set(said) <= {"true", "false", None}:
        return _as_texts(column)
    known = [None if text is None else text == "true" for text in said]
    return pd.array(known, dtype="boolean" if None in said else "bool")


_NATURAL = {
    ColumnType.TEXT: _as_texts,
    ColumnType.INTEGER: _as_integers,
    ColumnType.NUMBER: _as_numbers,
    ColumnType.DATE: _as_dates,
    ColumnType.BOOLEAN: _as_booleans,
}
