from collections.abc import Iterable
from datetime import date
from pathlib import PurePath
from typing import Any

from django import forms
from django.utils import timezone

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import (
    DatabaseFormat,
    FileFormat,
    FileKind,
    ParquetFormat,
    Settings,
    StatisticsFormat,
    WorkbookFormat,
)
from deid_portal.engine.table.missing_words import may_say_missing
from deid_portal.web.refusals import Refused

OTHER_DELIMITER = "other"
DELIMITERS = [
    (",", "Comma ,"),
    (";", "Semicolon ;"),
    ("\t", "Tab"),
    ("|", "Bar |"),
    (":", "Colon :"),
    (" ", "Space"),
    (OTHER_DELIMITER, "Another sign"),
]
NO_DELIMITER = (
    "Type the one sign that stands between the columns: any of the keyboard but letters, digits "
    "and the quote sign."
)
ENCODINGS = [
    ("utf-8", "UTF-8"),
    ("utf-16", "UTF-16"),
    ("cp1252", "Windows-1252 (Western)"),
    ("latin-1", "ISO-8859-1 (Latin 1)"),
    ("iso-8859-2", "ISO-8859-2 (Central European)"),
    ("cp1250", "Windows-1250 (Central European)"),
    ("cp1251", "Windows-1251 (Cyrillic)"),
    ("iso-8859-7", "ISO-8859-7 (Greek)"),
]
# A sign no text holds, for files without quoting.
NO_QUOTE = "\x1f"
QUOTES = [('"', 'Double quotes "'), ("'", "Single quotes '"), (NO_QUOTE, "Nothing")]
LABELS = [("yes", "The labels"), ("no", "The codes")]
SAME_ENCODING = ("", "As the file says")
HEADERS = [("yes", "Holds the names"), ("no", "Is already data")]
NOT_CONTINUED = "This dataset cannot be continued now. Choose another one, or a new dataset."
PASTE_LIMIT = 2_000_000  # characters; what a form may send is limited, too
DECIMALS = [(".", "Point ."), (",", "Comma ,")]


EMPTY_FILE = "The file is empty. Choose a file with column names and rows."


def paste_too_long_sentence() -> str:
    return "The pasted table is too long. Save it as a file and upload that."


class SeriesChoiceForm(forms.Form):
    """The choice whether a file is a new dataset or the next version of an existing one."""

    next_of = forms.ChoiceField(label="Dataset", required=False)

    def __init__(self, *args: Any, offered: Iterable[Dataset] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered = {str(dataset.id): dataset for dataset in offered}
        field = self.fields["next_of"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 -- for the type checker
        field.choices = [("", "A new dataset"), *map(_offer, self.offered.values())]
        field.error_messages["invalid_choice"] = NOT_CONTINUED
        if not self.offered and not self.data.get("next_of"):
            field.widget = forms.HiddenInput()

    def check_choice(self) -> None:
        """Refuse a choice that is not offered any more."""
        if "next_of" in self.errors:
            raise Refused(NOT_CONTINUED)

    @property
    def chosen(self) -> Dataset | None:
        """The dataset that is continued; None for a new one."""
        return self.offered.get(self.cleaned_data["next_of"])


def _offer(dataset: Dataset) -> tuple[str, str]:
    return str(dataset.id), f"Next version of “{dataset.name}”, after {dataset.version_number}"


def _first_problem(form: forms.Form) -> str:
    return str(next((errors[0] for errors in form.errors.values()), ""))


class ArrivalForm(SeriesChoiceForm):
    """The description of a file that a browser sends before the pieces."""

    name = forms.CharField(max_length=120, required=False)
    file_name = forms.CharField(max_length=255)
    file_bytes = forms.IntegerField(min_value=1, error_messages={"min_value": EMPTY_FILE})
    file_stamp = forms.IntegerField(min_value=-(2**62), max_value=2**62)

    @property
    def first_problem(self) -> str:
        return _first_problem(self)

    @property
    def upload(self) -> dict[str, Any]:
        return {**self.cleaned_data, "next_of": self.chosen}


class UploadForm(SeriesChoiceForm):
    """The file is not a form field: it is in the vault, and Django would try to read it."""

    name = forms.CharField(
        label="Name of the dataset",
        max_length=120,
        required=False,
        help_text="Without one, it is called like its file. A next version keeps its name.",
    )

    def __init__(self, *args: Any, upload: Any = None, refused: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.upload = upload
        self.refused = refused  # reason why the file was not received

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.refused:
            self.add_error(None, self.refused)
        elif not isinstance(self.upload, SealedUpload):
            self.add_error(None, "Choose a file or paste a table first.")
        elif not self.upload.size:
            self.add_error(None, EMPTY_FILE)
        elif not cleaned.get("name"):
            cleaned["name"] = PurePath(self.upload.name or "").stem[:120] or "Dataset"
        return cleaned

    @property
    def first_problem(self) -> str:
        return _first_problem(self)


TEXT_SETTINGS = (
    "delimiter",
    "other_delimiter",
    "quote",
    "encoding",
    "has_header",
    "decimal",
    "missing",
)
SETTINGS = {
    FileKind.CSV: TEXT_SETTINGS,
    FileKind.CSV_GZIP: TEXT_SETTINGS,
    FileKind.EXCEL: ("sheet", "first_row", "has_header", "missing"),
    FileKind.PARQUET: (),
    FileKind.SPSS: ("labels", "encoding"),
    FileKind.STATA: ("labels", "encoding"),
    FileKind.SAS: ("encoding",),
    FileKind.SAS_TRANSPORT: ("encoding",),
    FileKind.DATABASE: (),
}


# Begins the answer to the question whether a word means a missing value.
MISSING = "missing:"
TYPE_CHOICES = {choice.value for choice in TypeChoice}


class FormatForm(forms.Form):
    """How a file is read: the settings its kind of file has, and the types of its columns.

    A column's type is in `type-<place>`; `answer` is a button that says `<place>:<type>` or
    `missing:<word>`.
    """

    sheet = forms.ChoiceField(label="Sheet")
    first_row = forms.IntegerField(
        label="The table begins in row", min_value=1, max_value=1_048_576
    )
    delimiter = forms.ChoiceField(label="Columns are separated by", choices=DELIMITERS)
    other_delimiter = forms.CharField(
        label="That sign",
        required=False,
        strip=False,
        widget=forms.TextInput(attrs={"size": 2, "autocomplete": "off"}),
    )
    quote = forms.ChoiceField(label="Text stands in", choices=QUOTES)
    labels = forms.ChoiceField(label="For coded values show", choices=LABELS)
    encoding = forms.ChoiceField(label="Encoding", choices=ENCODINGS, required=False)
    has_header = forms.ChoiceField(label="First row", choices=HEADERS)
    decimal = forms.ChoiceField(label="Decimal sign", choices=DECIMALS)
    missing = forms.CharField(
        label="These words mean missing",
        max_length=400,
        required=False,
        help_text="Besides empty cells; with commas between them: ?, NA, not stated",
    )

    def __init__(
        self, data: Any = None, *, file_format: FileFormat, sheets: Iterable[str] = ()
    ) -> None:
        super().__init__(data, initial=_initial(file_format.settings))
        self.file_format = file_format
        for name in set(self.fields) - set(SETTINGS[file_format.kind]):
            del self.fields[name]
        if isinstance(file_format.settings, StatisticsFormat):
            self._set_choices("encoding", [SAME_ENCODING, *ENCODINGS])
        if "sheet" in self.fields:
            self._set_choices("sheet", [(name, name) for name in sheets])
        for name in ("delimiter", "quote", "encoding", "sheet"):
            self._offer_what_was_detected(name)

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 -- for the type checker
        field.choices = choices

    def _offer_what_was_detected(self, name: str) -> None:
        """Add the detected value to the choices if it is not a usual one."""
        if name not in self.fields:
            return
        detected = getattr(self.file_format.settings, name)
        choices = list(self.fields[name].choices)  # type: ignore[attr-defined]
        if detected not in [choice for choice, _ in choices]:
            self._set_choices(name, [(detected, _shown(detected)), *choices])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        typed = cleaned.pop("other_delimiter", "")
        if cleaned.get("delimiter") == OTHER_DELIMITER:
            if not _can_separate(typed, cleaned.get("quote", "")):
                self.add_error("other_delimiter", NO_DELIMITER)
            cleaned["delimiter"] = typed
        return cleaned

    def facts(self) -> list[tuple[str, str]]:
        """Say in words how the file is read: label and chosen answer of every setting."""
        answers = []
        for field in self:
            if field.name == "other_delimiter":
                continue
            chosen = field.value() or ""
            choices = dict(getattr(field.field, "choices", []))
            words = str(choices.get(chosen, chosen)) or "only empty cells"
            answers.append((str(field.label), words))
        return answers

    def to_format(self) -> FileFormat:
        """Return the chosen format; types are dropped if another setting moves the columns."""
        settings = self._settings()
        is_same = settings == self.file_format.settings
        return FileFormat(self.file_format.kind, settings, self._types() if is_same else {})

    def _settings(self) -> Settings:
        data = dict(self.cleaned_data)
        for name in ("has_header", "labels"):
            if name in data:
                data[name] = data[name] == "yes"
        if "missing" in data:
            said = [text for key, text in self._answers("answer") if key == "answer"]
            said = [text.removeprefix(MISSING) for text in said if text.startswith(MISSING)]
            data["missing"] = tuple(dict.fromkeys([*_read_words(data["missing"]), *said]))
        return type(self.file_format.settings)(**data)

    def _types(self) -> dict[int, TypeChoice]:
        chosen = dict(self.file_format.types)
        pairs = [(key.removeprefix("type-"), text) for key, text in self._answers("type-")]
        pairs += [text.partition(":")[::2] for _, text in self._answers("answer")]
        for place, text in pairs:
            if not place.isdecimal() or len(place) > 4:
                continue
            if text in TYPE_CHOICES:
                chosen[int(place)] = TypeChoice(text)
            else:
                chosen.pop(int(place), None)
        return chosen

    def _answers(self, beginning: str) -> list[tuple[str, str]]:
        return [(key, text) for key, text in self.data.items() if key.startswith(beginning)]


def _read_words(text: str) -> list[str]:
    """Read words with commas between them; codes and known words also with blanks, like ? NA."""
    parts = [part.strip() for part in text.split(",")]
    words = text.split()
    if len(parts) == 1 and all(may_say_missing(word) or word.isdecimal() for word in words):
        parts = words
    return [part for part in parts if part]


def _can_separate(sign: str, quote: str) -> bool:
    is_plain = len(sign) == 1 and sign.isascii() and sign.isprintable()
    return is_plain and not sign.isalnum() and sign != quote


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else f"Control character {ord(sign)}"


def _initial(settings: Settings) -> dict[str, Any]:
    match settings:
        case CsvFormat() | WorkbookFormat():
            return {
                **vars(settings),
                "has_header": "yes" if settings.has_header else "no",
                "missing": ", ".join(settings.missing),
            }
        case StatisticsFormat():
            return {**vars(settings), "labels": "yes" if settings.labels else "no"}
        case ParquetFormat() | DatabaseFormat():
            return {}


class DeletionForm(forms.Form):
    """The day on which a table is deleted by itself."""

    delete_on = forms.DateField(
        label="Delete file and keys on",
        required=False,
        help_text="Empty: it stays until somebody deletes it.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def clean_delete_on(self) -> date | None:
        day: date | None = self.cleaned_data["delete_on"]
        if day is not None and day <= timezone.localdate():
            raise forms.ValidationError("Choose a day after today.")
        return day


class KeepTableForm(SeriesChoiceForm, DeletionForm):
    name = forms.CharField(label="Name of the dataset", max_length=120, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("name") and not cleaned.get("next_of"):
            self.add_error("name", "Give the dataset a name.")
        return cleaned
