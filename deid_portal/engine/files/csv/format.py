"""How a CSV file is written, and guessing it from the beginning of the file."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, BinaryIO

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.missing_words import find_missing_words, says_missing
from deid_portal.engine.table.values import is_number

SAMPLE_BYTES = 256 * 1024
SAMPLE_ROWS = 1000
DELIMITERS = (",", ";", "\t", "|")
# Accepted only if they divide every row alike and no usual delimiter does.
RARE_DELIMITERS = ("~", "^", "#", "\x01")
DELIMITER_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
UTF_8 = ("utf-8", "utf_8", "utf8", "utf-8-sig", "utf_8_sig")
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ARCHIVE = "This is an archive of files. Unpack it and upload the table that is in it."
# The first bytes of files that people rename to .csv, and what to tell them.
FOREIGN_FILES = (
    (b"\xd0\xcf\x11\xe0", "This is an old Excel workbook, not a CSV file. Save it as CSV first."),
    (b"%PDF", "This is a PDF document, not a CSV file. Export the table behind it as CSV."),
    (b"PAR1", "This is a Parquet file, not a CSV file. Save it as CSV first."),
    (b"\x1f\x8b", "This is a gzip archive, not a CSV file. Unpack it first."),
    (b"SQLite format 3", "This is a SQLite database, not a CSV file. Export its table as CSV."),
    (b"\x89PNG", "This is a picture, not a CSV file."),
    (b"\xff\xd8\xff", "This is a picture, not a CSV file."),
    *(
        (beginning, ARCHIVE)
        for beginning in (
            b"7z\xbc\xaf\x27\x1c",
            b"Rar!\x1a\x07",
            b"\xfd7zXZ\0",
            b"\x28\xb5\x2f\xfd",
            b"BZh91AY&SY",
        )
    ),
    (b"MZ\x90\0", "This is a program, not a table."),
    (b"\x7fELF", "This is a program, not a table."),
)
TAR = (257, b"ustar")  # where such an archive says what it is
# Text that is no table: how it begins after blanks, and the message for it.
FOREIGN_TEXTS = (
    (rb"<(!doctype html|html|head|body|table)\b", "a web page. Open it, copy the table, paste it"),
    (rb"<\?xml\b", "an XML file. Save the table in it as CSV or Excel"),
    (rb"[\[{]\s*([\[{]|\"[^\"]*\"\s*:)", "a JSON file. Save the table in it as CSV or Excel"),
    (rb"\{\\rtf", "a text document. Save the table in it as CSV or Excel"),
)
# The digits may stand in groups of three: 35.173,27 and 35,173.27.
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+(?:[.'’ \u00a0\u202f][0-9]{3})*,[0-9]+\Z")
DECIMAL_POINT = re.compile(r"[+-]?[0-9]+(?:[,'’ \u00a0\u202f][0-9]{3})*\.[0-9]+\Z")


@dataclass(frozen=True)
class CsvFormat:
    """Everything needed to read one CSV file; an empty cell is always a gap."""

    delimiter: str = ","
    encoding: str = "utf-8"
    has_header: bool = True
    quote: str = '"'
    decimal: str = "."
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", tuple(self.missing))
        for sign, word in ((self.delimiter, "delimiter"), (self.quote, "quote sign")):
            if len(sign) != 1 or not sign.isascii() or sign in "\r\n\0":
                raise InvalidTable(f"The {word} must be a single plain character.")
        if self.delimiter == self.quote:
            raise InvalidTable("The delimiter and the quote sign must differ.")
        if self.decimal not in (".", ","):
            raise InvalidTable("The decimal sign must be a point or a comma.")
        try:
            codecs.lookup(self.encoding)
            b"".decode(self.encoding)
        except (LookupError, ValueError):
            raise InvalidTable("The encoding is not known; UTF-8 is the usual one.") from None

    def to_document(self) -> dict[str, Any]:
        document = {field.name: getattr(self, field.name) for field in fields(self)}
        return document | {"missing": list(self.missing)}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "CsvFormat":
        known = {field.name for field in fields(cls)}
        unknown = [key for key in document if key not in known]
        if unknown:
            raise InvalidTable(f'A CSV format has no entry "{unknown[0]}".')
        return cls(**document)


@dataclass(frozen=True)
class Detection:
    """A guessed format and, per setting, the sentence that says why."""

    format: CsvFormat
    evidence: dict[str, str]


def detect_csv(sample: bytes | BinaryIO, size: int | None = None) -> Detection:
    """Detect the format of a CSV file from its beginning.

    `sample` is the beginning of the file, or a stream to read it from; `size` the length of the
    whole file, if known, tells whether the sample ends in the middle. Raises InvalidTable for a
    file that is empty or no text table at all.
    """
    start = sample if isinstance(sample, bytes) else sample.read(SAMPLE_BYTES)
    check_is_text_table(start)
    is_cut = len(start) < size if size is not None else len(start) >= SAMPLE_BYTES
    encoding, encoding_evidence = _detect_encoding(start, is_cut)
    text = _decode(start, encoding, is_cut)
    delimiter, quote, delimiter_evidence = _detect_signs(text, is_cut)
    rows = split_sample_rows(text, delimiter, is_cut, quote)
    has_header, header_evidence = _detect_header(rows)
    body = rows[1:] if has_header else rows
    decimal, decimal_evidence = _detect_decimal(body, delimiter)
    missing, missing_evidence = _detect_missing(body)
    return Detection(
        CsvFormat(delimiter, encoding, has_header, quote, decimal, missing),
        {
            "delimiter": delimiter_evidence,
            "encoding": encoding_evidence,
            "has_header": header_evidence,
            "decimal": decimal_evidence,
            "missing": missing_evidence,
        },
    )


def check_is_text_table(start: bytes) -> None:
    """Refuse an empty file and the usual files that are not text."""
    if not start.strip(b"\xef\xbb\xbf\xff\xfe\r\n\t "):
        raise InvalidTable("The file is empty. Choose a file with column names and rows.")
    if start.startswith(b"PK\x03\x04"):
        if b"xl/" in start or b"[Content_Types].xml" in start:
            raise InvalidTable(
                "This is an Excel workbook, not a CSV file. Save it as CSV in Excel first."
            )
        raise InvalidTable("This is a ZIP archive, not a CSV file. Unpack it first.")
    for beginning, sentence in FOREIGN_FILES:
        if start.startswith(beginning):
            raise InvalidTable(sentence)
    place, mark = TAR
    if start[place : place + len(mark)] == mark:
        raise InvalidTable(ARCHIVE)
    text = start[:1000].lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    for pattern, what in FOREIGN_TEXTS:
        if re.match(pattern, text, re.IGNORECASE):
            raise InvalidTable(f"This is {what}.")


def split_sample_rows(text: str, delimiter: str, is_cut: bool, quote: str = '"') -> list[list[str]]:
    """Split the beginning of a file into rows, without the last one if it may be cut."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > SAMPLE_ROWS:
                return rows
    except csv.Error:
        return rows
    return rows[:-1] if is_cut and len(rows) > 1 else rows


def _detect_encoding(start: bytes, is_cut: bool) -> tuple[str, str]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding, "the file says so in its first bytes"
    if start.count(b"\0") > len(start) // 4:
        encoding = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
        if _fits(start, encoding, is_cut):
            return encoding, "every second byte is empty"
    if not _fits(start, "utf-8", is_cut):
        undefined = any(byte in start for byte in b"\x81\x8d\x8f\x90\x9d")
        return "latin-1" if undefined else "cp1252", "some characters are not UTF-8"
    if start.isascii():
        return "utf-8", "only plain characters found"
    return "utf-8", "no broken character found"


def _fits(start: bytes, encoding: str, is_cut: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(start, final=not is_cut)
    except UnicodeError:
        return False
    return True


def _decode(start: bytes, encoding: str, is_cut: bool) -> str:
    """Return the decoded text; broken characters are replaced, since the preview reports them."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return decoder.decode(start, final=not is_cut).removeprefix("\ufeff")


def _detect_signs(text: str, is_cut: bool) -> tuple[str, str, str]:
    """Return the delimiter, the quote sign, and what speaks for the delimiter."""
    quote = '"'
    share, cells, delimiter = _best_fit(text, is_cut, quote, DELIMITERS)
    # Single quotes only if they hold cells together that would be split otherwise.
    if 0 < share < 1 and quote not in text:
        single = _best_fit(text, is_cut, "'", DELIMITERS)
        if single[0] > share:
            quote, (share, cells, delimiter) = "'", single
    if cells == 1:
        share, cells, delimiter = _best_fit(text, is_cut, quote, RARE_DELIMITERS)
    if cells == 1 or (delimiter in RARE_DELIMITERS and share < 1):
        return ",", quote, "only one column found"
    if share == 1:
        return delimiter, quote, "same count in every row"
    return delimiter, quote, f"same count in {int(100 * share)}\u00a0% of the first rows"


def _best_fit(
    text: str, is_cut: bool, quote: str, delimiters: Sequence[str]
) -> tuple[float, int, str]:
    """Prefer the sign that gives most rows the same number of cells, and more than one."""
    best = (0.0, 1, ",")
    for delimiter in delimiters:
        counts = Counter(len(row) for row in split_sample_rows(text, delimiter, is_cut, quote))
        if not counts:
            continue
        cells, rows = max(counts.items(), key=lambda item: (item[0] > 1, item[1]))
        if cells > 1:
            best = max(best, (rows / counts.total(), cells, delimiter))
    return best


def _detect_header(rows: Sequence[Sequence[str]]) -> tuple[bool, str]:
    names = [name.strip() for name in rows[0]] if rows else []
    has_names, reason = judge_first_row(names, rows[1:])
    if reason:
        return has_names, reason
    if "" in names:
        return True, f"{names.count('')} of {len(names)} names are blank"
    repeated = len(names) - len(set(names))
    if repeated:
        return True, f"{len(names)} names, {repeated} of them repeated"
    return True, "1 name" if len(names) == 1 else f"{len(names)} names, no duplicates"


def judge_first_row(
    first: Sequence[str | None], below: Sequence[Sequence[str | None]]
) -> tuple[bool, str]:
    """Say whether a row names the columns below it, and why, if that is not obvious.

    Numbers are values and words are names, unless the rows below suggest otherwise.
    """
    names = [(name or "").strip() for name in first]
    columns = [(name, _column_below(below, place)) for place, name in enumerate(names) if name]
    numbers = [(name, cells) for name, cells in columns if _is_any_number(name)]
    is_above_numbers = any(
        not says_missing(name) and not _is_any_number(name) and _are_numbers(cells)
        for name, cells in columns
    )
    if numbers and is_above_numbers and not any(name in cells for name, cells in numbers):
        return True, "a word stands above numbers; names that are numbers occur nowhere below"
    if numbers:
        return False, "the first row holds numbers"
    again = sum(name in cells for name, cells in columns)
    is_like_others = again > 0 and 2 * again >= len(names) and not _is_repeated(names, below)
    if is_like_others and not is_above_numbers:
        return False, "cells of the first row occur again below it"
    return True, ""


def _column_below(rows: Sequence[Sequence[str | None]], place: int) -> list[str]:
    return [(row[place] or "").strip() for row in rows if place < len(row)]


def _are_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell and not says_missing(cell)]
    return len(filled) > 1 and all(_is_any_number(cell) for cell in filled)


def _is_any_number(text: str) -> bool:
    return is_number(text) or is_number(text, ",")


def _is_repeated(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> bool:
    """Say whether the whole row occurs again, as in files joined with their headers."""
    return any([(cell or "").strip() for cell in row] == list(names) for row in rows)


def _detect_decimal(rows: Iterable[Sequence[str]], delimiter: str) -> tuple[str, str]:
    cells = [cell for row in rows for cell in row]
    commas = sum(1 for cell in cells if DECIMAL_COMMA.match(cell))
    points = sum(1 for cell in cells if DECIMAL_POINT.match(cell))
    if not commas and not points:
        return ".", "no decimals in the first rows"
    if commas > points and delimiter != ",":
        return ",", f"{commas:,} numbers with a comma in the first rows"
    return ".", f"{points:,} numbers with a point in the first rows"


def _detect_missing(rows: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], str]:
    counts = Counter(cell for row in rows for cell in row)
    found, _ = find_missing_words(counts)
    if not found:
        return (), "no usual word for a missing value found"
    cells = sum(counts[word] for word in found)
    return tuple(found), f"{cells:,} cell{'s' if cells > 1 else ''} in the first rows"
