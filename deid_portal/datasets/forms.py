from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat

from deid_portal.datasets.uploading import SealedUpload
from deid_portal.engine.reading import CsvFormat

DELIMITERS = [
    (",", "Comma ,"),
    (";", "Semicolon ;"),
    ("\t", "Tab"),
    ("|", "Bar |"),
    (":", "Colon :"),
    (" ", "Space"),
]
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
HEADERS = [("yes", "Holds the column names"), ("no", "Is already data")]
DECIMALS = [(".", "Point ."), (",", "Comma ,")]


def upload_limit_words() -> str:
    return filesizeformat(settings.UPLOAD_LIMIT_BYTES).replace(".0", "")


def too_big_sentence() -> str:
    """What the browser says before sending a file over the limit, and the server after."""
    return (
        f"The file is larger than {upload_limit_words()}, the limit of this portal. "
        "Leave out columns nobody needs, or ask the administrator to raise the limit."
    )


class UploadForm(forms.Form):
    """The file is checked by hand: it lies in the vault, and Django would try to read it here."""

    name = forms.CharField(
        label="Name of the dataset",
        max_length=120,
        required=False,
        help_text="Without one, the dataset is called like its file.",
    )

    def __init__(
        self, *args: Any, upload: Any = None, too_big: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.upload = upload
        self.too_big = too_big

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.too_big:
            self.add_error(None, too_big_sentence())
        elif not isinstance(self.upload, SealedUpload):
            self.add_error(None, "Choose a file first.")
        elif not self.upload.size:
            self.add_error(None, "The file is empty. Choose a CSV file with a header and rows.")
        elif not cleaned.get("name"):
            cleaned["name"] = PurePath(self.upload.name or "").stem[:120] or "Dataset"
        return cleaned


class FormatForm(forms.Form):
    """How a file is read, each setting with the evidence for what was detected under it."""

    delimiter = forms.ChoiceField(label="Columns are separated by", choices=DELIMITERS)
    encoding = forms.ChoiceField(label="Encoding", choices=ENCODINGS)
    header = forms.ChoiceField(label="First row", choices=HEADERS)
    decimal = forms.ChoiceField(label="Decimal sign", choices=DECIMALS)
    missing = forms.CharField(
        label="Empty cells and these mean missing",
        max_length=100,
        required=False,
        help_text="With spaces between them, like ? NA",
    )

    @classmethod
    def from_format(cls, file_format: CsvFormat) -> "FormatForm":
        form = cls(
            initial={
                "delimiter": file_format.delimiter,
                "encoding": file_format.encoding,
                "header": "yes" if file_format.has_header else "no",
                "decimal": file_format.decimal,
                "missing": " ".join(file_format.missing),
            }
        )
        form.offer(file_format)
        return form

    def offer(self, file_format: CsvFormat) -> None:
        """Add what was detected to the choices where it is none of the usual ones."""
        for name, detected in (
            ("delimiter", file_format.delimiter),
            ("encoding", file_format.encoding),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 -- for the type checker
            choices = list(field.choices)  # type: ignore[arg-type]
            if detected not in [choice for choice, _ in choices]:
                field.choices = [*choices, (detected, detected)]

    def facts(self) -> list[tuple[str, str]]:
        """Say in words how the file is read: label and chosen answer of every setting."""
        answers = []
        for field in self:
            chosen = field.value() or ""
            choices = dict(getattr(field.field, "choices", []))
            words = str(choices.get(chosen, chosen)) or "only empty cells"
            answers.append((str(field.label), words))
        return answers

    def to_format(self) -> CsvFormat:
        data = self.cleaned_data
        return CsvFormat(
            delimiter=data["delimiter"],
            encoding=data["encoding"],
            has_header=data["header"] == "yes",
            decimal=data["decimal"],
            missing=tuple(dict.fromkeys(data["missing"].split())),
        )


class NameForm(forms.Form):
    name = forms.CharField(
        label="Name of the dataset",
        max_length=120,
        error_messages={"required": "Give the dataset a name."},
    )
