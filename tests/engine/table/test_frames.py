"""A data frame that becomes a table and a frame again is the frame it was."""

import datetime as dt
import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.files.file_format import ParquetFormat
from deid_portal.engine.files.limits import USUAL_LIMITS
from deid_portal.engine.files.parquet import ParquetFiles
from deid_portal.engine.table.cell_text import write_cell, write_float

TEXT = pd.StringDtype(na_value=np.nan)
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
whole = st.integers(-(2**63), 2**63 - 1)
moments = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1))
days = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))


def column(values: Any, kind: Any, has_gaps: bool = True) -> st.SearchStrategy["pd.Series[Any]"]:
    cells = st.lists(values | st.none() if has_gaps else values, max_size=9)
    return cells.map(lambda cells: pd.Series(cells, dtype=kind))


COLUMNS = {
    "str": column(words, TEXT),
    "string": column(words, "string"),
    "arrow text": column(words, pd.ArrowDtype(pa.string())),
    "int64": column(whole, "int64", has_gaps=False),
    "uint64": column(st.integers(0, 2**64 - 1), "uint64", has_gaps=False),
    "int8": column(st.integers(-128, 127), "int8", has_gaps=False),
    "Int64": column(whole, "Int64"),
    "arrow integers": column(whole, pd.ArrowDtype(pa.int64())),
    "float64": column(st.floats(), "float64"),
    "float32": column(st.floats(width=32), "float32"),
    "Float64": column(st.floats(allow_nan=False), "Float64"),
    "bool": column(st.booleans(), "bool", has_gaps=False),
    "boolean": column(st.booleans(), "boolean"),
    "moments": column(moments, "datetime64[us]"),
    "nanoseconds": column(moments, "datetime64[ns]"),
    "midnights": column(days.map(lambda day: np.datetime64(day, "us")), "datetime64[us]"),
    "with a zone": column(moments.map(lambda m: pd.Timestamp(m, tz="UTC")), "datetime64[us, UTC]"),
    "arrow days": column(days, pd.ArrowDtype(pa.date32())),
    "categories": st.lists(words, unique=True, max_size=5).flatmap(
        lambda names: column(
            st.sampled_from(names) if names else st.none(), pd.CategoricalDtype(names)
        )
    ),
    "ordered": column(
        st.sampled_from(["low", "high"]), pd.CategoricalDtype(["low", "high", "never"], True)
    ),
    "numbered": column(st.sampled_from([3, 1]), pd.CategoricalDtype([1, 2, 3])),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_comes_back_as_it_was(kind: str) -> None:
    @settings(max_examples=30)
    @given(COLUMNS[kind])
    def comes_back(series: "pd.Series[Any]") -> None:
        frame = pd.DataFrame({"x": series})
        back = Table.from_pandas(frame).to_pandas()
        pd.testing.assert_frame_equal(back, frame, check_exact=True)

    comes_back()


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=5).flatmap(
        lambda kinds: st.tuples(*(COLUMNS[kind] for kind in kinds))
    )
)
def test_columns_of_all_kinds_come_back_together(series: tuple["pd.Series[Any]", ...]) -> None:
    rows = min(map(len, series))
    frame = pd.DataFrame({f"x{place}": own.iloc[:rows] for place, own in enumerate(series)})
    back = Table.from_pandas(frame).to_pandas()
    pd.testing.assert_frame_equal(back, frame, check_exact=True)


@given(st.lists(st.floats()))
def test_floats_are_written_as_one_by_one(numbers: list[float]) -> None:
    frame = pd.DataFrame({"x": np.array(numbers, np.float64)})
    assert list(Table.from_pandas(frame)["x"].cells()) == [write_float(n) for n in numbers]


def test_floats_of_32_bits_are_written_without_more_digits_than_they_have() -> None:
    cells = np.array([0.1, 1e-5, 16777217, 3, np.nan], np.float32)
    column = Table.from_pandas(pd.DataFrame({"x": cells}))["x"]
    assert list(column.cells()) == ["0.1", "1e-05", "16777216", "3", None]


def test_a_frame_is_read_as_the_parquet_file_of_it() -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([3, None, 2**53 + 1], "Int64"),
            "number": [0.1, -0.0, np.nan],
            "text": ["a", "", None],
            "day": pd.to_datetime(["2020-01-01", None, "2020-02-29"]),
            "said": pd.Categorical(["yes", "no", None]),
            "sure": [True, False, True],
        }
    )
    stored = io.BytesIO()
    frame.to_parquet(stored, index=False)
    read = ParquetFiles().read(stored, ParquetFormat(), USUAL_LIMITS, None)
    taken = Table.from_pandas(frame)
    assert [(c.name, c.type, c.values) for c in taken.columns] == [
        (c.name, c.type, c.values) for c in read.columns
    ]
    assert taken.sha256 == read.sha256


def test_the_index_is_dropped() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=["Ann", "Bob"])
    assert Table.from_pandas(frame).names == ("x",)
    assert Table.from_pandas(frame).to_pandas().index.equals(pd.RangeIndex(2))


def test_objects_come_back_as_what_they_are() -> None:
    frame = pd.DataFrame(
        {
            "texts": ["007", "1", None],
            "days": [dt.date(2020, 1, 1), None, dt.date(1600, 2, 29)],
            "whole": [1, None, 2],
            "sure": [True, None, False],
            "exact": [Decimal("1.5"), Decimal("2"), None],
            "several": [1, "a", pd.NA],
            "huge": [2**70, 1, 2],
            "gaps": [None, pd.NaT, np.nan],
        },
        dtype=object,
    )
    kinds = Table.from_pandas(frame).to_pandas().dtypes.astype(str).to_dict()
    assert kinds == {
        "texts": "str",
        "days": "datetime64[us]",
        "whole": "Int64",
        "sure": "boolean",
        "exact": "float64",
        "several": "str",
        "huge": "str",
        "gaps": "str",
    }


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (pd.cut([1, 5, 9], [0, 4, 10]), ["(0, 4]", "(4, 10]", "(4, 10]"]),
        (pd.period_range("2020-01", periods=2, freq="M"), ["2020-01", "2020-02"]),
        (pd.interval_range(0, 2), ["(0, 1]", "(1, 2]"]),
        (pd.arrays.SparseArray([0, 7]), ["0", "7"]),
        ([float("inf"), 1.5], ["Infinity", "1.5"]),
        ([dt.time(8, 30)], ["08:30:00"]),
        (pd.to_datetime(["2020-01-01 08:30"]), ["2020-01-01 08:30:00"]),
        ([np.int64(4), "a"], ["4", "a"]),
    ],
)
def test_other_kinds_are_read_as_people_write_them(values: Any, shown: list[str]) -> None:
    assert list(Table.from_pandas(pd.DataFrame({"x": values}))["x"].cells()) == shown


def test_types_are_those_of_the_engine() -> None:
    frame = pd.DataFrame(
        {"a": ["x"], "b": ["12"], "c": [0.5], "d": pd.to_datetime(["2020-01-01"]), "e": [True]}
    )
    kinds = [column.type for column in Table.from_pandas(frame).columns]
    assert kinds == ["text", "integer", "number", "date", "boolean"]


def test_an_empty_frame_stays_one() -> None:
    assert Table.from_pandas(pd.DataFrame()).to_pandas().shape == (0, 0)
    frame = pd.DataFrame({"a": np.array([], np.int64), "b": pd.Series([], dtype="str")})
    pd.testing.assert_frame_equal(Table.from_pandas(frame).to_pandas(), frame)


def test_a_file_becomes_a_frame_by_what_its_columns_hold() -> None:
    content = (
        "n;whole;gaps;number;comma;day;moment;sure;said;long;zip\n"
        "a;1;1;0.5;0,5;31.12.2020;2020-01-01 08:30;TRUE;yes;12345678901234567890;007\n"
        ";+2;;2;1,25;01.01.2021;2020-01-02 08:30;false;no;1.5;008\n"
    )
    table = read_csv(io.BytesIO(content.encode()), CsvFormat(delimiter=";", decimal=","))
    frame = table.to_pandas()
    assert frame.dtypes.astype(str).to_dict() == {
        "n": "str", "whole": "int64", "gaps": "Int64", "number": "str", "comma": "float64",
        "day": "datetime64[us]", "moment": "datetime64[us]", "sure": "bool", "said": "str",
        "long": "str", "zip": "str",
    }  # fmt: skip
    assert frame["whole"].tolist() == [1, 2]
    assert frame["comma"].tolist() == [0.5, 1.25]
    assert frame["day"].tolist() == [pd.Timestamp("2020-12-31"), pd.Timestamp("2021-01-01")]
    assert frame["gaps"].tolist() == [1, pd.NA]
    assert frame["sure"].tolist() == [True, False]


def test_digits_that_no_float_holds_stay_text() -> None:
    table = Table.from_rows(["x"], [["0.1"], ["12345678901234567890"]])
    assert table.to_pandas()["x"].tolist() == ["0.1", "12345678901234567890"]
    table = Table.from_rows(["x"], [["0.30000000000000004"], [None]])
    assert table.to_pandas()["x"].tolist()[0] == 0.30000000000000004


def unshown(row: int, kind: str) -> str:
    return (
        f'Column "a", row {row} holds a value of the type {kind}, which no table can show; leave '
        f"the column out."
    )


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: [1], "A Table or a pandas DataFrame is accepted as a table."),
    (lambda: pd.DataFrame({7: [1]}), "The name of column 1 is no text; rename it, or all of them "
     "with frame.columns = frame.columns.astype(str)."),
    (lambda: pd.DataFrame({"a": [1], " ": [2]}), "Column 2 has no name; give every column one."),
    (lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
     "Columns 1 and 2 have the same name; rename one in the frame."),
    (lambda: pd.DataFrame({"a": ["x", ["secret"]]}),
     unshown(2, "list")),
    (lambda: pd.DataFrame({"a": [b"secret"]}),
     unshown(1, "bytes")),
    (lambda: pd.DataFrame({"a": [1j]}),
     unshown(1, "complex")),
    (lambda: pd.DataFrame({"a": pd.Categorical([None, b"secret"])}),
     unshown(2, "bytes")),
    (lambda: pd.DataFrame({"a": pd.array([None, [1]], pd.ArrowDtype(pa.list_(pa.int64())))}),
     unshown(2, "list")),
    (lambda: pd.DataFrame({"a": pd.Series(["x", "\ud800"], dtype=object)}),
     'Column "a", row 2 holds text that is not valid Unicode.'),
    (lambda: pd.DataFrame({"a": np.array(["2020-01-01", "12020-01-01"], "datetime64[s]")}),
     'Column "a", row 2 holds a date that no calendar has, such as one after the year 9999; mend '
     "it or leave the column out."),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_what_cannot_be_shown_is_refused_in_a_sentence(
    make: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(InvalidTable) as refused:
        Table.from_pandas(make())
    assert str(refused.value) == sentence
    assert refused.value.__cause__ is None


@given(st.lists(st.integers() | words | st.booleans() | days | st.decimals(allow_nan=False)))
def test_objects_of_all_kinds_are_written_one_by_one(values: list[Any]) -> None:
    series = pd.Series([*values, "text"], dtype=object)
    written = list(Table.from_pandas(pd.DataFrame({"x": series}))["x"].cells())
    assert written == [write_cell(value) for value in series]
