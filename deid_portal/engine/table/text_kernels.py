"""Compiled loops that parse the distinct texts of a column as bytes.

Each gives the result of a function of `values.py` for strings, or reports that it is unsure; then
that function is called.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled, inlined
from deid_portal.engine.table.texts import Bytes, Offsets

PLUS, MINUS, ZERO, NINE, SPACE = 43, 45, 48, 57, 32
SMALL_E, LARGE_E = 101, 69
LONGEST_INTEGER = 18
LONGEST_EXPONENT = 3
NOT_ASCII = 0x80
NO_DAY = 0  # days count from 1, as Python's ordinals do
UNSURE = -1
NO_TEXT = -1

# A product or quotient of two exact floats is rounded once, as `float` of the text is.
EXACT_MANTISSA = 1 << 53
EXACT_TENS = 22
TENS = np.array([float(f"1e{power}") for power in range(EXACT_TENS + 1)])

# Orders of the parts of a date.
YEAR_FIRST, DAY_FIRST, MONTH_FIRST = 0, 1, 2
# Entries of a format: order, sign between the parts, parts of the time, sign before the time.
ORDER, SIGN, CLOCK_PARTS, CLOCK_SIGN = 0, 1, 2, 3


@compiled
def are_integers(store: Bytes, offsets: Offsets, gap: int) -> bool:
    for code in range(len(offsets) - 1):
        if code != gap and not _is_integer(store, offsets[code], offsets[code + 1]):
            return False
    return True


@compiled
def are_numbers(store: Bytes, offsets: Offsets, gap: int, decimal: int) -> bool:
    for code in range(len(offsets) - 1):
        if code != gap:
            is_number, _, _, _ = _take_apart(store, offsets[code], offsets[code + 1], decimal)
            if not is_number:
                return False
    return True


@compiled
def read_integers(store: Bytes, offsets: Offsets, gap: int, numbers: NDArray[np.int64]) -> None:
    """Fill in the whole number of each text; every text but the gap must be one."""
    for code in range(len(offsets) - 1):
        if code != gap:
            number = np.int64(0)
            start = offsets[code]
            is_negative = store[start] == MINUS
            for at in range(start + (is_negative or store[start] == PLUS), offsets[code + 1]):
                number = 10 * number + (store[at] - ZERO)
            numbers[code] = -number if is_negative else number


@compiled
def read_numbers(
    store: Bytes,
    offsets: Offsets,
    gap: int,
    decimal: int,
    numbers: NDArray[np.float64],  # to be filled: NaN where a text is no number, and for the gap
    unsure: NDArray[np.bool_],  # to be filled: where the number must be read in another way
) -> int:
    """Read every text that is a number; return how many are unsure: those of very many digits."""
    count = 0
    for code in range(len(offsets) - 1):
        numbers[code] = np.nan
        unsure[code] = False
        if code == gap:
            continue
        start, end = offsets[code], offsets[code + 1]
        is_number, digits, mantissa, power = _take_apart(store, start, end, decimal)
        if not is_number:
            continue
        is_short = digits <= LONGEST_INTEGER
        is_exact = is_short and mantissa <= EXACT_MANTISSA and abs(power) <= EXACT_TENS
        if not is_exact and not (is_short and power == 0):
            unsure[code] = True
            count += 1
            continue
        number = np.float64(mantissa)
        if power > 0:
            number *= TENS[power]
        elif power < 0:
            number /= TENS[-power]
        numbers[code] = -number if store[start] == MINUS else number
    return count


@compiled
def find_formats(
    store: Bytes,
    offsets: Offsets,
    gap: int,
    code: int,  # the text to begin with
    formats: NDArray[np.int64],  # format × (order, sign, parts of the time, sign before it)
    fits: NDArray[np.bool_],  # one per format: whether it fits every text so far
) -> int:
    """Rule out the formats that do not fit.

    Returns the first text it is unsure of, or the number of texts. Stops when no format is left.
    """
    texts = len(offsets) - 1
    while code < texts:
        if code != gap:
            is_left = False
            for number in range(len(formats)):
                if fits[number]:
                    day = _read_day(store, offsets[code], offsets[code + 1], formats[number])
                    if day == UNSURE:
                        return code
                    fits[number] = day != NO_DAY
                    is_left |= fits[number]
            if not is_left:
                return texts
        code += 1
    return texts


@compiled
def read_days(
    store: Bytes,
    offsets: Offsets,
    gap: int,
    form: NDArray[np.int64],
    days: NDArray[np.float64],  # to be filled: NaN where a text is no date, and for the gap
    unsure: NDArray[np.bool_],  # to be filled: where the date must be read in another way
) -> int:
    """Read every text that is a date in this format; return how many are unsure."""
    count = 0
    for code in range(len(offsets) - 1):
        day = NO_DAY if code == gap else _read_day(store, offsets[code], offsets[code + 1], form)
        unsure[code] = day == UNSURE
        count += unsure[code]
        days[code] = np.nan if day == NO_DAY else day
    return count


@compiled
def rank_first(
    store: Bytes, offsets: Offsets, gap: int, counts: NDArray[np.int64], most: int
) -> NDArray[np.int64]:
    """Return the codes of the most frequent texts, of equally frequent ones the first in order.

    Bytes of UTF-8 sort in the order of their characters.
    """
    found = np.empty(most + 1, np.int64)
    size = 0
    for code in range(len(counts)):
        if code == gap or counts[code] == 0:
            continue
        place = size
        while place > 0 and _is_before(store, offsets, counts, code, found[place - 1]):
            found[place] = found[place - 1]
            place -= 1
        found[place] = code
        size = min(size + 1, most)
    return found[:size].copy()


@compiled
def add_exactly(numbers: NDArray[np.float64]) -> float:
    """Return the sum rounded once, as `math.fsum` does, whatever the order of the numbers.

    J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
    predicates, 1997: parts that do not overlap add up to the sum without any rounding.
    """
    parts = np.zeros(64)
    size = 0
    for number in numbers:
        kept = 0
        for index in range(size):
            part = parts[index]
            if abs(number) < abs(part):
                number, part = part, number
            total = number + part
            rest = part - (total - number)
            if rest != 0.0:
                parts[kept] = rest
                kept += 1
            number = total
        parts[kept] = number
        size = kept + 1
    return _round_parts(parts, size)


@inlined
def _round_parts(parts: NDArray[np.float64], size: int) -> float:
    """Add up parts that do not overlap, the smallest first, rounding a half to even."""
    if size == 0:
        return 0.0
    size -= 1
    total, rest = float(parts[size]), 0.0
    while size > 0 and rest == 0.0:
        size -= 1
        before, part = total, parts[size]
        total = before + part
        rest = part - (total - before)
    # A half was rounded to even, but smaller parts show that it is not exactly a half.
    if size > 0 and rest != 0.0 and (rest < 0.0) == (parts[size - 1] < 0.0):
        double = 2.0 * rest
        if parts[size - 1] != 0.0 and double == (total + double) - total:
            total += double
    return total


@inlined
def _is_before(
    store: Bytes, offsets: Offsets, counts: NDArray[np.int64], one: int, other: int
) -> bool:
    """Say whether a text is more frequent than another, or as frequent and first in order."""
    if counts[one] != counts[other]:
        return bool(counts[one] > counts[other])
    first, second = offsets[one], offsets[other]
    shared = min(offsets[one + 1] - first, offsets[other + 1] - second)
    for place in range(shared):
        if store[first + place] != store[second + place]:
            return bool(store[first + place] < store[second + place])
    return bool(offsets[one + 1] - first < offsets[other + 1] - second)


@inlined
def _is_digit(sign: int) -> bool:
    return ZERO <= sign <= NINE


@inlined
def _skip_sign(store: Bytes, at: int, end: int) -> int:
    return at + (at < end and (store[at] == PLUS or store[at] == MINUS))


@inlined
def _skip_digits(store: Bytes, at: int, end: int) -> int:
    while at < end and _is_digit(store[at]):
        at += 1
    return at


@inlined
def _is_integer(store: Bytes, start: int, end: int) -> bool:
    first = _skip_sign(store, start, end)
    if not first < end <= first + LONGEST_INTEGER or (store[first] == ZERO and end > first + 1):
        return False
    return _skip_digits(store, first, end) == end


@inlined
def _take_apart(store: Bytes, start: int, end: int, decimal: int) -> tuple[bool, int, int, int]:
    """Say whether a text is a number; return its digits, those as one number, its power of ten.

    Only the first 18 digits go into the number.
    """
    first = _skip_sign(store, start, end)
    at = _skip_digits(store, first, end)
    whole = at - first
    if whole > 1 and store[first] == ZERO:
        return False, 0, 0, 0
    decimals = 0
    if at < end and store[at] == decimal:
        at = _skip_digits(store, at + 1, end)
        decimals = at - (first + whole) - 1
        if decimals == 0:
            return False, 0, 0, 0
    if whole + decimals == 0:
        return False, 0, 0, 0
    digits, mantissa = 0, np.int64(0)
    for place in range(first, at):
        sign = store[place]
        if sign != decimal and (digits > 0 or sign != ZERO):
            digits += 1
            if digits <= LONGEST_INTEGER:
                mantissa = 10 * mantissa + (sign - ZERO)
    power = 0
    if at < end and (store[at] == SMALL_E or store[at] == LARGE_E):
        first_of_power = _skip_sign(store, at + 1, end)
        is_negative = store[at + 1] == MINUS if at + 1 < end else False
        at = _skip_digits(store, first_of_power, end)
        if not 1 <= at - first_of_power <= LONGEST_EXPONENT:
            return False, 0, 0, 0
        for place in range(first_of_power, at):
            power = 10 * power + (store[place] - ZERO)
        power = -power if is_negative else power
    return at == end, digits, mantissa, power - decimals  # type: ignore[return-value]


@inlined
def _read_part(store: Bytes, at: int, end: int, least: int, most: int) -> tuple[int, int]:
    """Return a number of one or two digits in this range and where it ends, or NO_TEXT."""
    if at >= end or not _is_digit(store[at]):
        return NO_TEXT, at
    number = np.int64(store[at]) - ZERO
    at += 1
    if at < end and _is_digit(store[at]):
        number = 10 * number + (store[at] - ZERO)
        at += 1
    return (number if least <= number <= most else NO_TEXT), at  # type: ignore[return-value]


@inlined
def _read_year(store: Bytes, at: int, end: int) -> tuple[int, int]:
    if _skip_digits(store, at, min(at + 4, end)) != at + 4:
        return NO_TEXT, at
    year = np.int64(0)
    for place in range(at, at + 4):
        year = 10 * year + (store[place] - ZERO)
    return year, at + 4  # type: ignore[return-value]


@inlined
def _is_sign(store: Bytes, at: int, end: int, sign: int) -> bool:
    return at < end and store[at] == sign


@compiled
def _read_day(store: Bytes, start: int, end: int, form: NDArray[np.int64]) -> int:
    """Return the day of a text, counted as Python does, or that it is no date, or unsure.

    Python also takes digits of other scripts and blanks here and there.
    """
    odd = 0
    for at in range(start, end):
        odd += store[at] <= SPACE or store[at] >= NOT_ASCII
    day = _read_plain_day(store, start, end, form)
    # A single blank before the time is what some formats ask for.
    return UNSURE if day == NO_DAY and odd > 0 else day


@inlined
def _read_plain_day(store: Bytes, start: int, end: int, form: NDArray[np.int64]) -> int:
    order, sign = form[ORDER], form[SIGN]
    year = day = month = 0
    at = start
    if order == YEAR_FIRST:
        year, at = _read_year(store, at, end)
    elif order == DAY_FIRST:
        day, at = _read_part(store, at, end, 1, 31)
    else:
        month, at = _read_part(store, at, end, 1, 12)
    if not _is_sign(store, at, end, sign):
        return NO_DAY
    if order == MONTH_FIRST:
        day, at = _read_part(store, at + 1, end, 1, 31)
    else:
        month, at = _read_part(store, at + 1, end, 1, 12)
    if not _is_sign(store, at, end, sign):
        return NO_DAY
    if order == YEAR_FIRST:
        day, at = _read_part(store, at + 1, end, 1, 31)
    else:
        year, at = _read_year(store, at + 1, end)
    if year <= 0 or month < 0 or day < 0:
        return NO_DAY
    if form[CLOCK_PARTS] > 0:
        at = _skip_clock(store, at, end, form[CLOCK_PARTS], form[CLOCK_SIGN])
    return _count_days(year, month, day) if at == end else NO_DAY


@inlined
def _skip_clock(store: Bytes, at: int, end: int, parts: int, sign: int) -> int:
    """Return where a time of day ends; not at the end of the text if it is none."""
    # A letter may be small.
    if not (
        _is_sign(store, at, end, sign) or (sign > NINE and _is_sign(store, at, end, sign + 32))
    ):
        return NO_TEXT
    hour, at = _read_part(store, at + 1, end, 0, 23)
    if hour < 0:
        return NO_TEXT
    for _ in range(parts - 1):
        if not _is_sign(store, at, end, 58):
            return NO_TEXT
        part, at = _read_part(store, at + 1, end, 0, 59)
        if part < 0:
            return NO_TEXT
    return at


@inlined
def _count_days(year: int, month: int, day: int) -> int:
    """Return how many days there are up to this one, the first of January of year 1 being 1."""
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = 30 + (month + (month > 7)) % 2
    if month == 2:
        length = 28 + is_leap
    if day > length:
        return NO_DAY
    before = (367 * month - 362) // 12
    if month > 2:
        before -= 1 if is_leap else 2
    last = year - 1
    return 365 * last + last // 4 - last // 100 + last // 400 + before + day
