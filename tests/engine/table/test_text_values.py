"""What compiled loops say of bytes is what the plain functions say of strings."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deid_portal.engine.files.csv.kernels import find_broken_utf8
from deid_portal.engine.table import text_kernels
from deid_portal.engine.table.text_values import (
    days_in,
    find_date_format_of,
    infer_type_of,
    integers_in,
    numbers_in,
)
from deid_portal.engine.table.texts import Texts
from deid_portal.engine.table.values import (
    DATE_FORMATS,
    INTEGER,
    ColumnType,
    find_date_format,
    infer_type,
    is_date,
    is_number,
    parse_date,
    parse_number,
)

# Signs numbers and dates are made of, some where they do not belong.
number_like = st.text("0123456789+-.,eE", max_size=8) | st.from_regex(
    r"[+-]?(0|[1-9][0-9]{0,24})?([.,][0-9]{1,24})?([eE][+-]?[0-9]{1,4})?", fullmatch=True
)
part = st.integers(0, 62).map(str) | st.integers(0, 31).map("{:02}".format)
sign = st.sampled_from(["-", "/", ".", ":", " ", "T", "t", "  ", "\t", "- ", ""])
year = st.integers(0, 9999).map("{:04}".format) | part
date_like = st.lists(st.tuples(year | part, sign), min_size=1, max_size=6).map(
    lambda pairs: "".join(text for pair in pairs for text in pair)
)
true_date = st.datetimes().flatmap(
    lambda moment: st.sampled_from(DATE_FORMATS).map(moment.strftime)
)
any_text = st.text(max_size=5)


def texts_of(values: Sequence[str | None]) -> Texts:
    return Texts.from_values(values)


@given(number_like | any_text, st.sampled_from([".", ","]))
@example("e5", ".")
@example("E10", ".")
@example("+", ".")
@example("-.5", ".")
@example("1.", ".")
@example("1e", ".")
@example("1e-", ".")
@example("0" * 30, ".")
@example("123456789012345678", ".")
@example("1234567890123456789", ".")
def test_integers_and_numbers_are_recognized_as_before(text: str, decimal: str) -> None:
    texts = texts_of([text, None])
    assert text_kernels.are_integers(texts.store, texts.offsets, texts.gap) == bool(
        INTEGER.match(text)
    )
    found = text_kernels.are_numbers(texts.store, texts.offsets, texts.gap, ord(decimal))
    assert found == is_number(text, decimal)


@given(st.lists(number_like, max_size=6, unique=True), st.sampled_from([".", ","]))
@example(["9007199254740993", "1e23", "8.5e-7", "0.1", "1e999", "-0", "1e-999"], ".")
@example(["179769313486231570000000000", "4.9e-324", "123456789012345678"], ".")
def test_numbers_are_read_to_the_last_bit(values: list[str], decimal: str) -> None:
    found = numbers_in(texts_of(values), decimal)
    expected = [
        float(parse_number(text, decimal)) if is_number(text, decimal) else math.nan
        for text in values
    ]
    assert found.tobytes() == np.array(expected, np.float64).tobytes()


@given(st.lists(st.integers(-(10**18) + 1, 10**18 - 1), min_size=1, unique=True))
def test_whole_numbers_are_read_exactly(numbers: list[int]) -> None:
    assert integers_in(texts_of([None, *map(str, numbers)])).tolist() == numbers


@given(date_like | true_date | any_text)
@example("2020-02-30")
@example("2020-1-5")
@example("2020-01-0")
@example("2020-01- 5")
@example("2020-01-05  10:00")
@example("2020-01-05t10:00")
@example("2020-01-05 24:00")
@example("2020-01-05 10:00:60")
@example("0000-01-01")
@example("0001-01-01")
@example("1900-02-29")
@example("2000-02-29")
@example("9999-12-31")
@example("２０２０-01-01")
@example("31.12.2020")
@example("01/13/2020")
def test_a_date_is_one_in_the_formats_it_was_one_before(text: str) -> None:
    texts = texts_of([None, text])
    for form in DATE_FORMATS:
        day = days_in(texts, form)[1]
        expected = parse_date(text, form).toordinal() if is_date(text, form) else math.nan
        assert day == expected or (math.isnan(day) and math.isnan(expected))
    assert find_date_format_of(texts) == find_date_format([text])


@given(st.lists(true_date, min_size=1, max_size=5, unique=True))
@example(["03/04/2020", "13/04/2020"])
@example(["03/04/2020", "04/13/2020"])
@example(["13/04/2020", "04/13/2020"])
@example(["2020-01- 5", "2020-01-06"])
def test_the_format_of_a_column_is_the_first_that_fits_all(values: list[str]) -> None:
    assert find_date_format_of(texts_of(values)) == find_date_format(values)


SOME = [
    "1",
    "-20",
    "01",
    "1.5",
    "1,5",
    "1e3",
    "2020-01-31",
    "31/01/2020",
    "yes",
    "NO",
    "true",
    "E1",
]


@given(st.lists(st.none() | st.sampled_from(SOME) | any_text.filter(bool), unique=True))
@example([])
@example([None])
@example(["E10", "E11"])
def test_a_column_has_the_type_it_had_before(values: list[str | None]) -> None:
    for decimal in (".", ","):
        assert infer_type_of(texts_of(values), decimal) is infer_type(values, decimal)


def test_a_code_of_a_letter_and_digits_is_no_number() -> None:
    """Diabetes is E10 to E14; read as powers of ten they would be no numbers at all."""
    assert infer_type(["E10", "E11"]) is ColumnType.TEXT


@given(st.lists(st.floats(-1e300, 1e300, allow_subnormal=True)))
@example([1e16, 1.0, 1e-16])
@example([1e308, -1e308, 5e-324])
@example([2.0**53, 1.0, 2.0**-60])
@example([0.1] * 10)
def test_sums_are_rounded_once(numbers: list[float]) -> None:
    assert text_kernels.add_exactly(np.array(numbers, np.float64)) == math.fsum(numbers)


@given(
    st.lists(st.tuples(any_text, st.integers(0, 3)), unique_by=lambda pair: pair[0]),
    st.integers(1, 5),
)
def test_the_most_frequent_come_first_and_equals_in_order(
    pairs: list[tuple[str, int]], most: int
) -> None:
    texts = texts_of([text for text, _ in pairs])
    counts = np.array([count for _, count in pairs], np.int64)
    found = text_kernels.rank_first(texts.store, texts.offsets, texts.gap, counts, most)
    ordered = sorted(((-count, text) for text, count in pairs if count))[:most]
    assert texts.pick(found.tolist()) == [text for _, text in ordered]


@given(
    st.lists(
        st.sampled_from([b"a", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80"])
        | st.binary(max_size=4)
    )
)
@example([b"\xc0\x80"])
@example([b"\xe0\x9f\xbf"])
@example([b"\xed\xa0\x80"])
@example([b"\xf0\x8f\xbf\xbf"])
@example([b"\xf4\x90\x80\x80"])
@example([b"\xe2\x82"])
def test_broken_characters_are_found_where_python_finds_them(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    try:
        content.decode()
        expected = len(content)
    except UnicodeDecodeError as error:
        expected = error.start
    array = np.frombuffer(bytearray(content), np.uint8)
    assert find_broken_utf8(array, len(content)) == expected


@given(st.lists(st.none() | st.text(), unique=True))
def test_texts_come_back_as_they_were(values: list[str | None]) -> None:
    texts = texts_of(values)
    assert texts.to_values() == tuple(values)
    assert [texts[code] for code in range(len(texts))] == values
    assert texts.first(3) == [text for text in values if text is not None][:3]


@pytest.mark.parametrize("gap", [0, 1, 2])
def test_the_gap_is_no_text_of_any_kind(gap: int) -> None:
    values: list[str | None] = ["1", "2"]
    values.insert(gap, None)
    assert np.isnan(numbers_in(texts_of(values))).tolist() == [text is None for text in values]
    assert integers_in(texts_of(values)).tolist() == [1, 2]
