"""Forms for all models and methods of the engine, as lists that can be edited.

The page works without scripts: the form holds the list of its parts, and buttons that add, remove
or move a part post the whole form.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.engine.methods import METHODS, RecodingMethod
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.privacy.kinds import DisclosureKind
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.matrix_field import MOST_VALUES, MatrixField, MatrixWidget, usual_matrix
from deid_portal.plans.parameter_fields import (
    ABSENT,
    Columns,
    JsonField,
    field_for,
)

HELP_PAGES: Path = settings.PROJECT_DIR / "templates" / "help"
WHAT_IS_LEARNT = {
    DisclosureKind.IDENTITY: "Who a person is",
    DisclosureKind.ATTRIBUTE: "What is true of a person",
    DisclosureKind.MEMBERSHIP: "Whether a person is in the table",
}


class PartForm(forms.Form):
    """One model or one method with its parameters."""

    def __init__(self, name: str, kind: Any, *args: Any, columns: Columns, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "id_%s")
        super().__init__(*args, **kwargs)
        self.name = name
        self.kind = kind
        self.parameters = [field_for(declared, columns) for declared in kind.parameters]
        for parameter in self.parameters:
            self.fields.update(parameter.fields())
        for bound in self:
            if isinstance(bound.field, JsonField | MatrixField):
                continue
            if isinstance(bound.field.widget, forms.Select):
                bound.field.widget.attrs.setdefault("class", "form-select")
            elif not isinstance(
                bound.field.widget, forms.CheckboxInput | forms.CheckboxSelectMultiple
            ):
                bound.field.widget.attrs.setdefault("class", "form-control")
        self.cautions: list[str] = []
        self.meaning = ""  # the engine's explanation, if the whole plan is valid

    @property
    def title(self) -> str:
        title: str = getattr(self.kind, "title", self.name)
        return title

    @property
    def help_slug(self) -> str:
        """Return the help page of this part; methods without one share a page."""
        kind = "model" if self.name in MODELS else "method"
        page = f"{kind}-{self.name}"
        return page if (HELP_PAGES / f"{page}.md").is_file() else "methods"

    @property
    def short_fields(self) -> list[forms.BoundField]:
        return [bound for bound in self if not _is_long(bound)]

    @property
    def long_fields(self) -> list[forms.BoundField]:
        return [bound for bound in self if _is_long(bound)]

    @property
    def needs_words(self) -> str:
        """Say what this part needs that the table does not have."""
        for bound in self:
            if not (bound.field.required and _is_empty_choice(bound.field)):
                continue
            if bound.name == "population":
                return "This compares with a table of the population. Add one below first."
            if bound.field.label:
                return (
                    "This is about a sensitive column, and none is tagged. Tag one on the columns "
                    "page, or remove this."
                )
        return ""

    def show(self, entry: Mapping[str, Any]) -> None:
        """Fill the fields from an entry of a document."""
        for parameter in self.parameters:
            if entry.get(parameter.name) is not None:
                self.initial.update(parameter.write(entry[parameter.name]))

    def to_entry(self) -> dict[str, Any]:
        entry = {}
        for parameter in self.parameters:
            value = parameter.read(self.cleaned_data)
            if value is not ABSENT:
                entry[parameter.name] = value
        return entry

    def place_error(self, path: str, sentence: str) -> None:
        """Show an error message of the engine at its field."""
        name = next((n for n in self.fields if n == path or n.startswith(f"{path}-")), None)
        self.add_error(name, sentence[:1].upper() + sentence[1:])


def _is_long(bound: forms.BoundField) -> bool:
    widget = bound.field.widget
    return isinstance(widget, forms.Textarea | forms.CheckboxSelectMultiple | MatrixWidget)


def _is_empty_choice(field: forms.Field) -> bool:
    return isinstance(field, forms.ChoiceField) and not len(field.widget.choices)


@dataclass(frozen=True)
class PartOffer:
    """A model or method that can be added."""

    name: str
    title: str


@dataclass(frozen=True)
class Shelf:
    """A group of the list of models or methods to add."""

    label: str
    offers: list[PartOffer]


class PartList:
    """The models, or the methods, of a plan as a list of forms."""

    def __init__(self, key: str, kinds: Mapping[str, Any], columns: Columns) -> None:
        self.key = key
        self.kinds = kinds
        self.columns = columns
        self.parts: list[PartForm] = []

    def read(self, data: QueryDict) -> None:
        for item in data.getlist(self.key):
            number, _, name = item.partition(":")
            if name in self.kinds and number.isdigit():
                self.parts.append(self._make(int(number), name, data))

    def show(self, entries: Iterable[Mapping[str, Any]], name_key: str) -> None:
        for entry in entries:
            part = self._make(len(self.parts), entry[name_key])
            part.show(entry)
            self.parts.append(part)

    def _make(self, number: int, name: str, data: QueryDict | None = None) -> PartForm:
        return PartForm(
            name, self.kinds[name], data, columns=self.columns, prefix=f"{self.key}{number}"
        )

    def add(self, name: str) -> None:
        if name not in self.kinds:
            return
        numbers = [int(str(part.prefix).removeprefix(self.key)) for part in self.parts]
        part = self._make(max(numbers, default=-1) + 1, name)
        part.show(starting_entry(part.kind.parameters))
        self.parts.append(part)

    def show_again(self, part: PartForm, column: str, matrix: dict[str, Any]) -> PartForm:
        """Return a part as typed, with a grid for one more column instead of a formula."""
        again = self._make(int(str(part.prefix).removeprefix(self.key)), part.name)
        typed = {name: part[name].value() for name in part.fields}
        columns = list(dict.fromkeys([*(typed.get("columns") or []), column]))
        grids = {**(typed.get("matrix") or {}), column: matrix}
        again.initial = {**typed, "columns": columns, "matrix": grids, "epsilon": "", "p": ""}
        return again

    def remove(self, place: int) -> None:
        del self.parts[place : place + 1]

    def move(self, place: int, by: int) -> None:
        other = place + by
        if 0 <= place < len(self.parts) and 0 <= other < len(self.parts):
            self.parts[place], self.parts[other] = self.parts[other], self.parts[place]

    def entries(self, name_key: str) -> list[dict[str, Any]]:
        return [{name_key: part.name, **part.to_entry()} for part in self.parts]


def starting_entry(parameters: Sequence[Declared]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    for parameter in parameters:
        if isinstance(parameter, Parameter):
            usual = None if parameter.optional else parameter.default
            entry[parameter.name] = usual if parameter.start is None else parameter.start
    return {key: value for key, value in entry.items() if value is not None}


class ExpertForm:
    """All rules and methods of a plan, bound to what was posted or showing a choice."""

    PATH = re.compile(r"^(models|method)(?:\[(\d+)\])?(?:\.([A-Za-z_]+))?[^:]*: (.*)$", re.DOTALL)

    def __init__(
        self,
        dataset: Dataset,
        *,
        data: QueryDict | None = None,
        choice: ProtectionChoice | None = None,
    ) -> None:
        columns = list(dataset.columns.select_related("taxonomy"))
        self.columns = columns
        about_models = Columns(columns, True, list(dataset.populations.all()))
        self.rules = PartList("rule", MODELS, about_models)
        self.methods = PartList("method", METHODS, Columns(columns))
        self.problems: list[str] = []
        self.is_bound = data is not None
        if data is not None:
            self.rules.read(data)
            self.methods.read(data)
        elif choice is not None:
            self.rules.show(choice.rules, "model")
            self.methods.show(choice.methods, "name")

    @property
    def parts(self) -> list[PartForm]:
        return [*self.rules.parts, *self.methods.parts]

    @property
    def has_errors(self) -> bool:
        return bool(self.problems) or any(part.is_bound and part.errors for part in self.parts)

    def is_valid(self) -> bool:
        if not self.methods.parts:
            self.problems.append("Choose at least one method.")
        wrong = [part for part in self.parts if not part.is_valid()]  # validates all
        return not wrong and not self.problems

    def to_choice(self, measures: dict[str, Any]) -> ProtectionChoice:
        methods = self.methods.entries("name")
        return ProtectionChoice(
            self.rules.entries("model"), methods[0] if len(methods) == 1 else methods, measures
        )

    def act(self, act: str, data: QueryDict) -> bool:
        """Handle a button of the form; return whether it was one."""
        verb, _, place = act.partition(" ")
        if verb == "grid":
            return self._add_grid(place, data)
        key, _, number = place.partition(" ")
        parts = {"rule": self.rules, "method": self.methods}.get(key)
        if parts is None:
            return False
        match verb:
            case "add":
                parts.add(data.get(f"new-{key}", ""))
            case "remove" if number.isdigit():
                parts.remove(int(number))
            case "up" if number.isdigit():
                parts.move(int(number), -1)
            case "down" if number.isdigit():
                parts.move(int(number), 1)
            case _:
                return False
        return True

    def _add_grid(self, name: str, data: QueryDict) -> bool:
        """Add a grid of chances for a column, with its values and usual chances."""
        chosen = data.get(f"{name}-new")
        column = next((own for own in self.columns if own.name == chosen), None)
        parts = self.methods.parts
        place = next((n for n, own in enumerate(parts) if f"{own.prefix}-matrix" == name), None)
        if column is None or place is None:
            return False
        values = values_of(column).values
        if len(values) <= MOST_VALUES:
            parts[place] = self.methods.show_again(parts[place], column.name, usual_matrix(values))
        return True

    def place_error(self, sentence: str) -> None:
        """Show an error message of the engine, at its field if it names one."""
        part, name, words = self._find(sentence)
        if part is not None and part.is_bound:
            part.place_error(name, words)
        else:
            self.problems.append(sentence)

    def say(self, sentence: str) -> str:
        """Replace the place in the document by the name of the part on the page."""
        part, name, words = self._find(sentence)
        if part is None:
            return sentence
        return f"{part.title}, {name}: {words}" if name else f"{part.title}: {words}"

    def _find(self, sentence: str) -> tuple[PartForm | None, str, str]:
        """Return the part and the parameter that a message of the engine names, and the rest."""
        found = self.PATH.match(sentence)
        if found is None:
            return None, "", sentence
        kind, place, name, words = found.groups()
        parts = self.rules.parts if kind == "models" else self.methods.parts
        if int(place or 0) >= len(parts):
            return None, "", sentence
        return parts[int(place or 0)], name or "", words

    @property
    def rule_shelves(self) -> list[Shelf]:
        shelves: dict[str, list[PartOffer]] = {words: [] for words in WHAT_IS_LEARNT.values()}
        for name, kind in self.rules.kinds.items():
            words = WHAT_IS_LEARNT[kind.disclosure.kinds[0]]
            shelves[words].append(PartOffer(name, name))
        return [Shelf(label, offers) for label, offers in shelves.items() if offers]

    @property
    def method_shelves(self) -> list[Shelf]:
        making: list[PartOffer] = []
        changing: list[PartOffer] = []
        for name, kind in self.methods.kinds.items():
            makes = kind.makes_classes or issubclass(kind, RecodingMethod)
            (making if makes else changing).append(PartOffer(name, kind.title))
        return [
            Shelf("Sees to it that the rules hold", making),
            Shelf("Changes columns before or after", changing),
        ]
