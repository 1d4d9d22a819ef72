"""Opening a dataset for questions: columns with their domains, unit of privacy, budgets.

Nothing here reads the data, and nothing is filled in from it.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.differential.selection.domains import MOST_VALUES, plain_number
from deid_portal.engine.differential.setting import MOST_ROWS, MOST_ROWS_PER_PERSON
from deid_portal.engine.networks.questions.setting import (
    MOST_LINKS_PER_PERSON,
    People,
    ProtectedUnit,
)
from deid_portal.engine.table.values import DATE_FORMATS
from deid_portal.querydesk.amounts import atto_of, delta_of, epsilon_of, micro_of, read_typed_number
from deid_portal.querydesk.forms import DeltaField, EpsilonField
from deid_portal.querydesk.models import Period, Terms
from deid_portal.querydesk.question_form import GAP
from deid_portal.querydesk.services import DeskOffer
from deid_portal.querydesk.subjects import has_list_of_people

WHOLE, NUMBERS, DATES, LIST = "whole", "numbers", "dates", "list"
HOLDS = [
    (WHOLE, "whole numbers"),
    (NUMBERS, "numbers"),
    (DATES, "dates"),
    (LIST, "one of a list"),
]
COLUMN_FIELDS = ("open", "kind", "low", "high", "first", "last", "written", "values")
AN_EXAMPLE = datetime(2024, 3, 31, 14, 5, 59)
NEIGHBOURS = [
    (
        "add_remove",
        "A person is in the table or not (add or remove). Nobody learns whether somebody is in it.",
    ),
    (
        "replace",
        "A person has these values or others (replace). That somebody is in the table, "
        "and how many are, is known.",
    ),
]
UNITS = [
    ("row", "One row is one person."),
    ("person", "People may have several rows; a column says who is who."),
]
PROTECTS = [
    (
        ProtectedUnit.PEOPLE.value,
        "Every person with all links (node privacy). Nobody learns whether somebody is in the "
        "network.",
    ),
    (
        ProtectedUnit.LINKS.value,
        "Every link (edge privacy). Nobody learns whether two people are linked; who is in the "
        "network, and what the open columns say of them, counts as known.",
    ),
]
SMALL = "form-control form-control-sm"


def _format_words(form: str) -> str:
    order = {"%d/%m/%Y": ", day first", "%m/%d/%Y": ", month first"}
    return f"{AN_EXAMPLE:{form}}{order.get(form, '')}"


FORMATS = [("", "choose"), *((form, _format_words(form)) for form in DATE_FORMATS)]


class OpeningForm(forms.Form):
    """The common part for tables and networks: columns and budgets."""

    size = forms.IntegerField(
        label="Number of rows, if that is public anyway",
        required=False,
        min_value=1,
        max_value=MOST_ROWS,
        help_text="Only some averages need it. Leave it empty if it is not published elsewhere.",
    )
    total = EpsilonField(
        label="ε for everybody and for good",
        help_text="Never refilled. It is what all answers together may give away about a person.",
    )
    analyst = EpsilonField(label="ε per person who asks")
    period = forms.ChoiceField(label="Filled again", choices=Period.choices, initial=Period.QUARTER)
    pool = EpsilonField(
        label="ε for everybody until the next refill",
        required=False,
        help_text="Empty: only the two others limit.",
    )
    smallest = EpsilonField(
        label="Smallest ε per question",
        help_text="Less would be noise only, and many tiny questions are hard to oversee.",
    )
    delta = DeltaField(
        label="δ per question",
        help_text="Needed by Gaussian noise and by trained models. Empty: those cannot be asked.",
    )
    delta_total = DeltaField(
        label="δ for all questions together", help_text="The chance that the promise does not hold."
    )
    needs_columns = True
    columns_note = ""
    protection_template = "querydesk/_protects_rows.html"
    noise_words = (
        "A count at ε 1 is within 3 people of the truth in 19 of 20 cases; at ε 0.1 within 30."
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, dataset: Dataset, terms: Terms | None = None
    ) -> None:
        super().__init__(data, initial=self._initial_of(terms) if terms else None)
        self.dataset = dataset
        self.columns = list(
            dataset.columns.defer("profile").exclude(role=ColumnRoleChoices.IDENTIFIER)
        )
        domains = terms.setting["domains"] if terms else {}
        for column in self.columns:
            self._add_column(column, domains.get(column.name))

    def _initial_of(self, terms: Terms) -> dict[str, Any]:
        """Return the terms in force as the form shows them."""
        pool, delta, deltas = terms.pool_micro, terms.setting.get("delta"), terms.delta_total_atto
        return {
            **self.protection_of(terms.setting),
            "size": terms.setting.get("size"),
            "total": _plain(terms.total_micro),
            "analyst": _plain(terms.analyst_micro),
            "period": terms.period,
            "pool": _plain(pool) if pool is not None else None,
            "smallest": _plain(terms.smallest_micro),
            "delta": f"{delta:g}" if delta else None,
            "delta_total": f"{delta_of(deltas):g}" if deltas else None,
        }

    def protection_of(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """Return form values for whom a setting protects."""
        raise NotImplementedError

    def protection(self) -> dict[str, Any]:
        """Return the part of a setting that says whom the form protects."""
        raise NotImplementedError

    def check_protection(self, cleaned: dict[str, Any]) -> None:
        raise NotImplementedError

    def _add_column(self, column: DatasetColumn, domain: Mapping[str, Any] | None) -> None:
        place, declared = column.position, domain or {}
        self.fields[f"open-{place}"] = forms.BooleanField(
            label=f"Open {column.name}", required=False, initial=domain is not None
        )
        self.fields[f"kind-{place}"] = forms.ChoiceField(
            label=f"What {column.name} may hold",
            choices=HOLDS,
            initial=_kind_of(column, declared),
            required=False,
            widget=forms.Select(attrs={"class": "form-select form-select-sm"}),
        )
        self._add_bounds(column, declared)
        self._add_period(column, declared)
        values = [GAP if value is None else value for value in declared.get("values", [])]
        self.fields[f"values-{place}"] = forms.CharField(
            label=f"Values of {column.name}, one per line",
            required=False,
            initial="\n".join(values),
            widget=forms.Textarea(attrs={"class": SMALL, "rows": 3}),
        )

    def _add_bounds(self, column: DatasetColumn, declared: Mapping[str, Any]) -> None:
        place = column.position
        for name, words in (("low", "Lowest"), ("high", "Highest")):
            self.fields[f"{name}-{place}"] = forms.CharField(
                label=f"{words} number of {column.name}",
                required=False,
                initial=plain_number(declared[name]) if name in declared else None,
                max_length=40,
                widget=forms.TextInput(attrs={"class": SMALL, "inputmode": "decimal"}),
            )

    def _add_period(self, column: DatasetColumn, declared: Mapping[str, Any]) -> None:
        place = column.position
        for name in ("first", "last"):
            self.fields[f"{name}-{place}"] = forms.DateField(
                label=f"{name.title()} day of {column.name}",
                required=False,
                initial=declared.get(name),
                widget=forms.DateInput(attrs={"class": SMALL, "type": "date"}, format="%Y-%m-%d"),
                error_messages={"invalid": "A day is needed, written 2024-03-31."},
            )
        self.fields[f"written-{place}"] = forms.ChoiceField(
            label=f"How dates of {column.name} are written",
            choices=FORMATS,
            required=False,
            initial=declared.get("format", DATE_FORMATS[0]) if "first" in declared else "",
            widget=forms.Select(attrs={"class": "form-select form-select-sm"}),
        )

    @property
    def column_rows(self) -> list[dict[str, Any]]:
        """One line per column that can be opened, with its fields and what is wrong with it."""
        lines = []
        for column in self.columns:
            own = {name: self[f"{name}-{column.position}"] for name in COLUMN_FIELDS}
            problems = [problem for field in own.values() for problem in field.errors]
            lines.append({"column": column, **own, "problems": problems})
        return lines

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        domains = {}
        for column in self.columns:
            if cleaned.get(f"open-{column.position}"):
                domain = self._domain_of(column, cleaned)
                if domain is not None:
                    domains[column.name] = domain
        if self.needs_columns and not domains and not self.errors:
            raise ValidationError("Open at least one column; nothing can be asked otherwise.")
        cleaned["domains"] = domains
        self.check_protection(cleaned)
        self._check_budgets(cleaned)
        return cleaned

    def _domain_of(self, column: DatasetColumn, cleaned: dict[str, Any]) -> dict[str, Any] | None:
        kind = cleaned.get(f"kind-{column.position}")
        if kind in (NUMBERS, WHOLE):
            return self._bounds_of(column, cleaned, is_whole=kind == WHOLE)
        return (self._period_of if kind == DATES else self._list_of)(column.position, cleaned)

    def _list_of(self, place: int, cleaned: dict[str, Any]) -> dict[str, Any] | None:
        lines = str(cleaned.get(f"values-{place}") or "").splitlines()
        values = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if not values:
            self.add_error(f"values-{place}", "List what the column may hold, one value per line.")
            return None
        if len(values) > MOST_VALUES:
            self.add_error(f"values-{place}", f"At most {MOST_VALUES:,} values are accepted.")
            return None
        return {"values": [None if value == GAP else value for value in values]}

    def _period_of(self, place: int, cleaned: dict[str, Any]) -> dict[str, Any] | None:
        if f"first-{place}" in self.errors or f"last-{place}" in self.errors:
            return None
        first: date | None = cleaned.get(f"first-{place}")
        last: date | None = cleaned.get(f"last-{place}")
        if first is None or last is None:
            self.add_error(
                f"first-{place}", "Give the first and the last day that may be asked for."
            )
            return None
        if not first < last:
            self.add_error(f"first-{place}", "The first day must be before the last.")
            return None
        form = cleaned.get(f"written-{place}")
        if not form:
            self.add_error(
                f"written-{place}",
                "Choose how dates are written in the file; those written otherwise are left out.",
            )
            return None
        return {"first": first.isoformat(), "last": last.isoformat(), "format": form}

    def _bounds_of(
        self, column: DatasetColumn, cleaned: dict[str, Any], *, is_whole: bool
    ) -> dict[str, Any] | None:
        place = column.position
        low, high = (
            read_typed_number(cleaned.get(f"{name}-{place}") or "") for name in ("low", "high")
        )
        if low is None or high is None:
            self.add_error(
                f"low-{place}", "Give the lowest and the highest number that can possibly occur."
            )
            return None
        if not low < high:
            self.add_error(f"low-{place}", "The lowest number must be below the highest.")
            return None
        if is_whole and not (float(low).is_integer() and float(high).is_integer()):
            self.add_error(f"low-{place}", "Whole numbers have whole bounds.")
            return None
        bounds: dict[str, Any] = {"low": plain_number(low), "high": plain_number(high)}
        if is_whole:
            bounds["whole"] = True
        decimal = self._decimal
        return bounds if decimal == "." else {**bounds, "decimal": decimal}

    @property
    def _decimal(self) -> str:
        return str(self.dataset.file_format.get("decimal", "."))

    def _check_budgets(self, cleaned: dict[str, Any]) -> None:
        total, analyst = cleaned.get("total"), cleaned.get("analyst")
        if total and analyst and analyst > total:
            self.add_error("analyst", "One person cannot have more than everybody together.")
        if (smallest := cleaned.get("smallest")) and analyst and smallest > analyst:
            self.add_error("smallest", "This is more than one person has, so nobody could ask.")
        if (pool := cleaned.get("pool")) and total and pool > total:
            self.add_error("pool", "This is more than there is for good.")
        delta, all_deltas = cleaned.get("delta"), cleaned.get("delta_total")
        if bool(delta) != bool(all_deltas) and not {"delta", "delta_total"} & set(self.errors):
            self.add_error("delta_total", "Give both, or leave both empty.")
        elif delta and all_deltas and delta > all_deltas:
            self.add_error("delta", "One question cannot take more than all together.")

    def to_offer(self) -> DeskOffer:
        given = self.cleaned_data
        setting: dict[str, Any] = {**self.protection(), "domains": given["domains"]}
        if given["size"]:
            setting["size"] = given["size"]
        if given["delta"]:
            setting["delta"] = given["delta"]
        return DeskOffer(
            setting=setting,
            total_micro=micro_of(given["total"]),
            analyst_micro=micro_of(given["analyst"]),
            period=Period(given["period"]),
            smallest_micro=micro_of(given["smallest"]),
            pool_micro=micro_of(given["pool"]) if given["pool"] else None,
            delta_total_atto=atto_of(given["delta_total"]) if given["delta_total"] else 0,
        )


class TableOpeningForm(OpeningForm):
    neighbours = forms.ChoiceField(
        label="Which two tables must be hard to tell apart?",
        choices=NEIGHBOURS,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one; nothing is assumed here."},
    )
    unit = forms.ChoiceField(
        label="Who is protected?", choices=UNITS, widget=forms.RadioSelect, initial="row"
    )
    person_column = forms.ChoiceField(label="The column that says who is who", required=False)
    person_rows = forms.IntegerField(
        label="Rows of a person that count, at most",
        required=False,
        min_value=1,
        max_value=MOST_ROWS_PER_PERSON,
        help_text="More rows protect a person less well or add more noise; the rest is left out.",
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, dataset: Dataset, terms: Terms | None = None
    ) -> None:
        super().__init__(data, dataset=dataset, terms=terms)
        names = [(column.name, column.name) for column in dataset.columns.defer("profile")]
        self.fields["person_column"].choices = [("", "choose"), *names]  # type: ignore[attr-defined]

    def protection_of(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        person = setting.get("person")
        return {
            "neighbours": setting["neighbours"],
            "unit": "person" if person else "row",
            "person_column": person["column"] if person else "",
            "person_rows": person["rows"] if person else None,
        }

    def protection(self) -> dict[str, Any]:
        given = self.cleaned_data
        protected = {"neighbours": given["neighbours"]}
        if given["unit"] == "person":
            person = {"column": given["person_column"], "rows": given["person_rows"]}
            return {**protected, "person": person}
        return protected

    def check_protection(self, cleaned: dict[str, Any]) -> None:
        if cleaned.get("unit") != "person":
            return
        if not cleaned.get("person_column"):
            self.add_error("person_column", "Choose the column that says who is who.")
        if not cleaned.get("person_rows") and "person_rows" not in self.errors:
            self.add_error("person_rows", "Say how many rows of a person count at most.")


class NetworkOpeningForm(OpeningForm):
    protects = forms.ChoiceField(
        label="Who is protected?",
        choices=PROTECTS,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one; nothing is assumed here."},
    )
    bound = forms.IntegerField(
        label="Links of a person that count, at most",
        required=False,
        min_value=1,
        max_value=MOST_LINKS_PER_PERSON,
        help_text="Needed to protect people. Links beyond it are left out before counting; noise "
        "grows with it. Choose it without looking at the network.",
    )
    needs_columns = False
    columns_note = "Links can be asked about without any."
    protection_template = "querydesk/_protects_links.html"
    noise_words = (
        "A number of links at ε 1 is within 3 of the truth in 19 of 20 cases where links are "
        "protected; where people are, within 3 times the links that count."
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, dataset: Dataset, terms: Terms | None = None
    ) -> None:
        super().__init__(data, dataset=dataset, terms=terms)
        size = self.fields["size"]
        size.label = "Number of people, if that is public anyway"
        size.help_text = (
            "Where links are protected, the average number of links is only answered with it. "
            "Leave it empty if it is not published elsewhere."
        )

    @property
    def _decimal(self) -> str:
        return str(self.dataset.network.nodes_format.get("decimal", "."))

    def protection_of(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        return {"protects": setting["protects"], "bound": setting.get("bound")}

    def protection(self) -> dict[str, Any]:
        given = self.cleaned_data
        is_listed = has_list_of_people(self.dataset)
        people = People.LISTED if is_listed else People.LINKED
        protected = {"protects": given["protects"], "people": people.value}
        if given["protects"] == ProtectedUnit.PEOPLE:
            return {**protected, "bound": given["bound"]}
        return protected

    def check_protection(self, cleaned: dict[str, Any]) -> None:
        is_missing = not cleaned.get("bound") and "bound" not in self.errors
        if cleaned.get("protects") == ProtectedUnit.PEOPLE and is_missing:
            self.add_error("bound", "Say how many links of a person count at most.")


class OpenedDesk(SubjectPart):
    form: ClassVar[type[OpeningForm]]


class DeskOfTable(OpenedDesk, kind=SubjectKind.TABLE):
    form = TableOpeningForm


class DeskOfNetwork(OpenedDesk, kind=SubjectKind.NETWORK):
    form = NetworkOpeningForm


def opening_form(
    data: Mapping[str, Any] | None, *, dataset: Dataset, terms: Terms | None = None
) -> OpeningForm:
    """Return the form that fits what is asked about."""
    return OpenedDesk.of(dataset).form(data, dataset=dataset, terms=terms)


def _kind_of(column: DatasetColumn, declared: Mapping[str, Any]) -> str:
    """Return the declared kind of a column or, initially, the one its type suggests."""
    if declared:
        if "low" in declared:
            return WHOLE if declared.get("whole") else NUMBERS
        return DATES if "first" in declared else LIST
    return {"date": DATES, "integer": WHOLE, "number": NUMBERS}.get(column.type, LIST)


def _plain(micro: int) -> float | int:
    return plain_number(epsilon_of(micro))
