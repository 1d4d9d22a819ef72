"""Form fields for the declared parameters of models and methods.

Parameters are declared as data (`engine/parameters.py`). The fields only turn text into document
entries, which the engine validates. A kind of parameter without a field of its own is edited as
JSON, so that new kinds work at once.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms

from deid_portal.datasets.models import ColumnRoleChoices, DatasetColumn
from deid_portal.engine import parameters as declared_kinds
from deid_portal.engine.parameters import Declared
from deid_portal.engine.wording.numbers import middle_cut
from deid_portal.plans.matrix_field import MOST_VALUES, MatrixField
from deid_portal.plans.models import PopulationTable

MISSING = "(missing)"  # the gap in lists of values
ABSENT = object()
NO_REAL_LIMIT = 1e12  # wider bounds are not shown

LABELS = {
    "suppression_limit": "Share that may be left out",
    "metric": "Keep small",
    "time_limit_seconds": "Time limit in seconds",
    "variant": "Variant",
    "column": "Sensitive column",
    "columns": "Columns",
    "class_column": "Class column",
    "guard_column": "Column with each person's guarding node",
    "owner": "Column that says whose row it is",
    "household": "Household column",
    "person": "Column that says whose row it is",
    "population": "Table of the population",
    "population_size": "People in the population",
    "knows_limit": "Share an intruder may be sure of",
    "p_prime": "p′",
    "x": "X, what is known",
    "y": "Y, what is concluded",
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "epsilon": "ε",
    "top_share": "Top share",
    "bottom_share": "Bottom share",
}
HELP = {
    "suppression_limit": "From 0 to 1; 0.05 lets five rows in a hundred be left out.",
    "time_limit_seconds": "60 if left empty; matters only beyond a million combinations of levels.",
    "window": "In percent of the rows.",
}


@dataclass(frozen=True)
class Columns:
    """The columns of a dataset as a form offers them."""

    all: Sequence[DatasetColumn]
    for_model: bool = False
    populations: Sequence[PopulationTable] = ()

    def choices(self, parameter: str) -> list[tuple[str, str]]:
        """Return the columns to choose from for a parameter, with their roles if relevant."""
        if parameter == "column" or (parameter == "columns" and self.for_model):
            return [(c.name, c.name) for c in self.all if c.role == ColumnRoleChoices.SENSITIVE]
        offered = self.all
        if parameter not in ("owner", "person", "household", "x", "y"):
            offered = [c for c in self.all if c.role != ColumnRoleChoices.IDENTIFIER]
        return [(c.name, f"{c.name} ({c.get_role_display().lower()})") for c in offered]

    @property
    def quasi_identifiers(self) -> list[DatasetColumn]:
        return [column for column in self.all if column.is_quasi_identifier]

    @property
    def sensitive(self) -> list[DatasetColumn]:
        return [column for column in self.all if column.role == ColumnRoleChoices.SENSITIVE]


class ParameterField(ABC):
    """The form fields of one declared parameter, and its conversion from and to the document."""

    def __init__(self, declared: Declared, columns: Columns) -> None:
        self.declared: Any = declared
        self.columns = columns

    @property
    def name(self) -> str:
        name: str = self.declared.name
        return name

    @property
    def label(self) -> str:
        words = LABELS.get(self.name)
        if words is None:
            words = self.name.replace("_", " ")
            return words if len(words) < 3 else words[0].upper() + words[1:]
        return words

    def fields(self) -> dict[str, forms.Field]:
        return {self.name: self.field()}

    @abstractmethod
    def field(self) -> forms.Field: ...

    def read(self, cleaned: Mapping[str, Any]) -> Any:
        """Return the entry for the document, or ABSENT."""
        value = cleaned.get(self.name)
        return ABSENT if value in (None, "", [], {}) else value

    def write(self, value: Any) -> dict[str, Any]:
        """Return what the fields show for an entry of a document."""
        return {self.name: value}

    def _help(self, otherwise: str = "") -> str:
        return HELP.get(self.name, otherwise)


class TypedNumberField(forms.CharField):
    """A number as typed, which the engine validates."""

    def __init__(self, *, whole: bool, **kwargs: Any) -> None:
        attrs = {"inputmode": "numeric" if whole else "decimal", "autocomplete": "off"}
        super().__init__(widget=forms.TextInput(attrs=attrs), **kwargs)
        self.whole = whole

    def clean(self, value: Any) -> Any:
        text = super().clean(value).replace("\u2212", "-").strip()
        if not text:
            return None
        try:
            number = float(text)
        except ValueError:
            kind = "whole number" if self.whole else "number, with a point for decimals"
            raise forms.ValidationError(f"This is not a {kind}.") from None
        return int(number) if number.is_integer() and abs(number) < 1e15 else number

    def prepare_value(self, value: Any) -> Any:
        return f"{value:.12g}" if isinstance(value, float) else value


class _Number(ParameterField):
    def field(self) -> forms.Field:
        declared = self.declared
        words = declared.range_words()
        if min(-declared.minimum, declared.maximum) >= NO_REAL_LIMIT:
            words = "a number"
        optional = declared.optional or declared.default is not None
        usual = f"; {declared.default:g} if left empty" if declared.default is not None else ""
        if declared.optional:
            usual = f"; {declared.note or 'may be left empty'}"
        return TypedNumberField(
            whole=declared.whole,
            label=self.label,
            required=not optional,
            help_text=self._help(f"{words[0].upper()}{words[1:]}{usual}."),
            error_messages={"required": "A number is needed here."},
        )


class _Choice(ParameterField):
    def field(self) -> forms.Field:
        choices = [
            (word, word.replace("_", " ").replace("-", " ")) for word in self.declared.choices
        ]
        return forms.ChoiceField(label=self.label, choices=choices, help_text=self._help())


class _Flag(ParameterField):
    def field(self) -> forms.Field:
        return forms.BooleanField(label=self.label, required=False, help_text=self._help())

    def read(self, cleaned: Mapping[str, Any]) -> Any:
        return bool(cleaned.get(self.name))


class _ColumnName(ParameterField):
    def field(self) -> forms.Field:
        choices = self.columns.choices(self.name)
        nothing = [("", "none")] if self.declared.optional else []
        return forms.ChoiceField(
            label=self.label,
            choices=[*nothing, *choices],
            required=not self.declared.optional,
            help_text=self._help(),
            error_messages={"required": "No column fits; tag one on the columns page first."},
        )


class _ColumnNames(ParameterField):
    def field(self) -> forms.Field:
        return forms.MultipleChoiceField(
            label=self.label,
            choices=self.columns.choices(self.name),
            required=not self.declared.optional,
            widget=forms.CheckboxSelectMultiple,
            help_text=self._help("May be left empty." if self.declared.optional else ""),
            error_messages={"required": "Choose at least one column."},
        )


class _FileName(ParameterField):
    """One of the population tables of the dataset."""

    def field(self) -> forms.Field:
        choices = [
            (own.name, f"{middle_cut(own.file_name, 40)}, {own.rows:,} people")
            for own in self.columns.populations
        ]
        return forms.ChoiceField(
            label=self.label,
            choices=choices,
            error_messages={"required": "Add a table of the population first."},
        )


class _Value(ParameterField):
    def field(self) -> forms.Field:
        return forms.CharField(label=self.label, required=False, help_text="May be left empty.")


class _Values(ParameterField):
    """One value a line."""

    def field(self) -> forms.Field:
        return forms.CharField(
            label=self.label,
            required=False,
            strip=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=f"One value a line, {MISSING} for a missing one; all values if left empty.",
        )

    def read(self, cleaned: Mapping[str, Any]) -> Any:
        lines = [line for line in (cleaned.get(self.name) or "").splitlines() if line]
        return [None if line == MISSING else line for line in lines] or ABSENT

    def write(self, value: Any) -> dict[str, Any]:
        return {self.name: "\n".join(MISSING if text is None else text for text in value)}


class _LevelsByColumn(ParameterField):
    """A level for every quasi-identifier, or for every sensitive column with a taxonomy."""

    @property
    def _offered(self) -> list[DatasetColumn]:
        if not self.declared.of_sensitive:
            return self.columns.quasi_identifiers
        return [column for column in self.columns.sensitive if hasattr(column, "taxonomy")]

    def fields(self) -> dict[str, forms.Field]:
        return {self._key(column): self._level(column) for column in self._offered}

    def field(self) -> forms.Field:
        raise NotImplementedError  # one per column

    def _key(self, column: DatasetColumn) -> str:
        return f"{self.name}-{column.position}"

    def _level(self, column: DatasetColumn) -> forms.Field:
        taxonomy = getattr(column, "taxonomy", None)
        height = taxonomy.height if taxonomy is not None else 1
        words = [("0", "exact"), *((str(n), f"level {n} of {height}") for n in range(1, height))]
        choices = [*words, (str(height), "hidden")] if height else words
        label = f"Level of {column.name}"
        start = "1" if self.declared.of_sensitive else "0"
        return forms.TypedChoiceField(label=label, choices=choices, coerce=int, initial=start)

    def read(self, cleaned: Mapping[str, Any]) -> Any:
        keys = {column.name: self._key(column) for column in self._offered}
        return {name: cleaned[key] for name, key in keys.items() if key in cleaned}

    def write(self, value: Any) -> dict[str, Any]:
        columns = {column.name: column for column in self._offered}
        return {self._key(columns[n]): level for n, level in value.items() if n in columns}


class _Matrices(ParameterField):
    """A grid of chances per column with few values."""

    def field(self) -> forms.Field:
        offered = [
            (name, words)
            for name, words in self.columns.choices("columns")
            if self._distinct(name) <= MOST_VALUES
        ]
        return MatrixField(
            offered,
            label="Chances, typed in a grid",
            help_text=(
                "Instead of ε and p. A cell that is left empty gets what is left to 1. The columns "
                "ticked above and the grids must be the same."
            ),
        )

    def _distinct(self, name: str) -> int:
        column = next(own for own in self.columns.all if own.name == name)
        return int(column.distinct) + (1 if column.missing else 0)


class JsonField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        attrs = {"rows": 2, "spellcheck": "false", "class": "form-control mono"}
        super().__init__(widget=forms.Textarea(attrs=attrs), required=False, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise forms.ValidationError("This is not valid JSON.") from None


class _Json(ParameterField):
    EXAMPLES: ClassVar[dict[type, str]] = {
        declared_kinds.ValuesByColumn: '{"condition": ["Flu", null]}, null instead of a list for '
        "all values of the column",
        declared_kinds.AssociationRules: '[{"if": {"sex": "f"}, "then": {"condition": "Flu"}}]',
    }

    def field(self) -> forms.Field:
        example = self.EXAMPLES.get(type(self.declared), "")
        words = f"As JSON, for example {example}." if example else "As JSON."
        if not isinstance(self.declared, declared_kinds.AssociationRules):
            words += " May be left empty."
        return JsonField(label=self.label, help_text=words)

    def write(self, value: Any) -> dict[str, Any]:
        return {self.name: json.dumps(value, ensure_ascii=False)}


_KINDS: dict[type, type[ParameterField]] = {
    declared_kinds.Parameter: _Number,
    declared_kinds.Choice: _Choice,
    declared_kinds.Flag: _Flag,
    declared_kinds.ColumnName: _ColumnName,
    declared_kinds.ColumnNames: _ColumnNames,
    declared_kinds.Value: _Value,
    declared_kinds.Values: _Values,
    declared_kinds.LevelsByColumn: _LevelsByColumn,
    declared_kinds.FileName: _FileName,
    declared_kinds.TransitionMatrices: _Matrices,
}


def field_for(declared: Declared, columns: Columns) -> ParameterField:
    return _KINDS.get(type(declared), _Json)(declared, columns)
