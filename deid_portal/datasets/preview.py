"""The preview of a file: columns with their types, questions, and notes."""

from dataclasses import dataclass
from pathlib import PurePath

from deid_portal.datasets.models import TYPE_LABELS, Dataset
from deid_portal.engine import ColumnType
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.file_format import KIND_WORDS, FileFormat, FileKind
from deid_portal.engine.files.table_reader import ColumnPreview, DoubtfulWord
from deid_portal.engine.files.table_reader import FilePreview as Preview
from deid_portal.engine.wording.numbers import middle_cut

MOST_QUESTIONS = 3
DATE_WORDS = {"%Y": "year", "%m": "month", "%d": "day", "%H": "hour", "%M": "minute", "%S": "s"}
CHOICE_WORDS = {
    TypeChoice.TEXT: "text",
    TypeChoice.INTEGER: "whole number",
    TypeChoice.NUMBER: "number",
    TypeChoice.DAY_FIRST: "date, day first",
    TypeChoice.MONTH_FIRST: "date, month first",
}
ENDINGS = {
    FileKind.CSV: ("csv", "tsv", "txt", "tab", "dat", ""),
    FileKind.CSV_GZIP: ("gz",),
    FileKind.EXCEL: ("xlsx", "xlsm"),
    FileKind.PARQUET: ("parquet", "pq"),
    FileKind.SPSS: ("sav", "zsav"),
    FileKind.STATA: ("dta",),
    FileKind.SAS: ("sas7bdat",),
    FileKind.SAS_TRANSPORT: ("xpt", "xport"),
}


@dataclass(frozen=True)
class Head:
    """One column of the preview: its type, and the types it may be read as instead."""

    place: int
    name: str
    type: str
    choices: list[tuple[str, str]]  # the first one is what was detected
    chosen: str
    is_doubtful: bool


@dataclass(frozen=True)
class PreviewQuestion:
    """A question about an ambiguous file; the first answer is the default."""

    name: str
    text: str
    answers: list[tuple[str, str]]  # value and label of each button


@dataclass(frozen=True)
class PreviewTable:
    heads: list[Head]
    rows: list[list[str | None]]
    questions: list[PreviewQuestion]
    more_questions: int
    notes: list[str]
    doubtful_words: tuple[DoubtfulWord, ...] = ()

    @property
    def doubtful(self) -> list[str]:
        """The names of the ambiguous columns, which the preview asks about."""
        return [middle_cut(head.name) for head in self.heads if head.is_doubtful]


def show_preview(dataset: Dataset, preview: Preview) -> PreviewTable:
    form = FileFormat.from_document(dataset.file_format)
    heads = [_head(place, column, form) for place, column in enumerate(preview.columns)]
    asked = [
        question
        for place, column in enumerate(preview.columns)
        if place not in form.types and (question := _question(place, column)) is not None
    ]
    shown, more = asked[:MOST_QUESTIONS], len(asked[MOST_QUESTIONS:])
    notes = [*name_note(dataset), *preview.notes]
    return PreviewTable(heads, preview.rows, shown, more, notes, preview.doubtful_words)


def accepted_endings() -> list[str]:
    """The file extensions that the browser offers first."""
    return [ending for endings in ENDINGS.values() for ending in endings if ending]


def name_note(dataset: Dataset) -> list[str]:
    """Note that the content of the file does not match its extension."""
    kind = FileFormat.from_document(dataset.file_format).kind
    ending = PurePath(dataset.file_name).suffix.lower().removeprefix(".")
    if kind == FileKind.DATABASE or ending in ENDINGS[kind]:
        return []
    return [f"The name ends in .{ending}, but this is {_with_article(kind)}, and is read as one."]


def file_kind_words(dataset: Dataset) -> str:
    return KIND_WORDS[FileFormat.from_document(dataset.file_format).kind]


def _with_article(kind: FileKind) -> str:
    is_spoken_with_a_vowel = kind in (FileKind.EXCEL, FileKind.SPSS)
    return f"{'an' if is_spoken_with_a_vowel else 'a'} {KIND_WORDS[kind]}"


def _head(place: int, column: ColumnPreview, form: FileFormat) -> Head:
    chosen = form.types.get(place)
    detected = TYPE_LABELS[column.detected.value]
    # If text was confirmed to be text, that choice comes first.
    first = (
        TypeChoice.TEXT.value
        if chosen == TypeChoice.TEXT and column.detected == ColumnType.TEXT
        else ""
    )
    choices = [(first, f"{detected}{_format_words(column) if not chosen else ''}")]
    choices += [(choice.value, CHOICE_WORDS[choice]) for choice in _choices_of(column)]
    return Head(
        place,
        column.name,
        TYPE_LABELS[column.type.value],
        choices,
        chosen.value if chosen else "",
        not chosen and bool(column.leading_zeros or column.either_order),
    )


def _choices_of(column: ColumnPreview) -> list[TypeChoice]:
    match column.detected:
        case ColumnType.TEXT if column.leading_zeros:
            return [TypeChoice.INTEGER, TypeChoice.NUMBER]
        case ColumnType.TEXT:
            return []
        case ColumnType.DATE if column.either_order:
            return [TypeChoice.DAY_FIRST, TypeChoice.MONTH_FIRST, TypeChoice.TEXT]
        case _:
            return [TypeChoice.TEXT]


def _format_words(column: ColumnPreview) -> str:
    """Say how it is written, like "date · day.month.year"."""
    if column.has_thousands:
        return " · digits in groups"
    words = column.date_format
    for sign, word in DATE_WORDS.items():
        words = words.replace(sign, word)
    return f" · {words.split('T')[0].split(' ')[0]}" if words else ""


def _question(place: int, column: ColumnPreview) -> PreviewQuestion | None:
    if column.leading_zeros:
        zeros = column.leading_zeros
        values = "1 value starts" if zeros == 1 else f"{zeros:,} of the first values start"
        return PreviewQuestion(
            column.name,
            f"looks like numbers, but {values} with 0. We keep it as text so that the zeros "
            f"survive.",
            [
                (f"{place}:{TypeChoice.TEXT}", "Keep as text"),
                (f"{place}:{TypeChoice.INTEGER}", "Read as number"),
            ],
        )
    if column.either_order:
        return PreviewQuestion(
            column.name,
            "holds dates that can be read day first or month first. We read the day first.",
            [
                (f"{place}:{TypeChoice.DAY_FIRST}", "Day first"),
                (f"{place}:{TypeChoice.MONTH_FIRST}", "Month first"),
            ],
        )
    return None
