"""Opening a dataset for questions, asking for more, and deciding on that."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from deid_portal.datasets.models import ColumnRole, Dataset, DatasetColumn
from deid_portal.engine.differential.domains import MOST_VALUES, plain_number
from deid_portal.engine.differential.setting import MOST_ROWS, MOST_ROWS_PER_PERSON
from deid_portal.querydesk.amounts import (
    MOST_EPSILON,
    atto_of,
    delta_of,
    epsilon_of,
    micro_of,
    read_number,
)
from deid_portal.querydesk.composing import GAP
from deid_portal.querydesk.models import Period, Terms
from deid_portal.querydesk.services import Offer

NUMBERS, LIST = "numbers", "list"
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


class EpsilonField(forms.DecimalField):
    """An amount of ε, kept in whole millionths."""

    def __init__(self, *, label: str, help_text: str = "", required: bool = True) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=required,
            min_value=Decimal("0.0001"),
            max_value=Decimal(MOST_EPSILON),
            decimal_places=6,
            error_messages={
                "required": "Say how much, for example 5.",
                "invalid": "A number is needed, for example 0.5.",
                "min_value": "Choose 0.0001 or more.",
                "max_value": f"Choose {MOST_EPSILON} or less; more would protect nobody.",
            },
        )


class DeltaField(forms.FloatField):
    def __init__(self, *, label: str, help_text: str) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            min_value=1e-15,
            max_value=0.01,
            widget=forms.TextInput(attrs={"class": "form-control", "inputmode": "decimal"}),
            error_messages={
                "invalid": "A small number is needed, for example 1e-6.",
                "min_value": "Choose 1e-15 or more, or leave it empty.",
                "max_value": "Choose 0.01 or less; far below one over the number of people.",
            },
        )


class OpeningForm(forms.Form):
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

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, dataset: Dataset, terms: Terms | None = None
    ) -> None:
        super().__init__(data, initial=_initial_of(terms) if terms else None)
        self.dataset = dataset
        self.columns = list(dataset.columns.defer("profile").exclude(role=ColumnRole.IDENTIFIER))
        names = [(column.name, column.name) for column in dataset.columns.defer("profile")]
        self.fields["person_column"].choices = [("", "choose"), *names]  # type: ignore[attr-defined]
        domains = terms.setting["domains"] if terms else {}
        for column in self.columns:
            self._add_column(column, domains.get(column.name))

    def _add_column(self, column: DatasetColumn, domain: Mapping[str, Any] | None) -> None:
        place = column.position
        is_number = column.type in ("integer", "number")
        kind = NUMBERS if (is_number if domain is None else "low" in domain) else LIST
        self.fields[f"open-{place}"] = forms.BooleanField(
            label=f"Open {column.name}", required=False, initial=domain is not None
        )
        self.fields[f"kind-{place}"] = forms.ChoiceField(
            label=f"What {column.name} may hold",
            choices=[(NUMBERS, "numbers"), (LIST, "one of a list")],
            initial=kind,
            required=False,
            widget=forms.Select(attrs={"class": "form-select form-select-sm"}),
        )
        for name, words in (("low", "Lowest"), ("high", "Highest")):
            initial = plain_number(domain[name]) if domain and name in domain else None
            self.fields[f"{name}-{place}"] = forms.CharField(
                label=f"{words} number of {column.name}",
                required=False,
                initial=initial,
                max_length=40,
                widget=forms.TextInput(
                    attrs={"class": "form-control form-control-sm", "inputmode": "decimal"}
                ),
            )
        values = [GAP if value is None else value for value in (domain or {}).get("values", [])]
        self.fields[f"values-{place}"] = forms.CharField(
            label=f"Values of {column.name}, one per line",
            required=False,
            initial="\n".join(values),
            widget=forms.Textarea(attrs={"class": "form-control form-control-sm", "rows": 3}),
        )

    @property
    def column_rows(self) -> list[dict[str, Any]]:
        """One line per column that can be opened, with its fields and what is wrong with it."""
        return [
            {
                "column": column,
                **{
                    name: self[f"{name}-{column.position}"]
                    for name in ("open", "kind", "low", "high", "values")
                },
                "problems": [
                    problem
                    for name in ("open", "kind", "low", "high", "values")
                    for problem in self[f"{name}-{column.position}"].errors
                ],
            }
            for column in self.columns
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        domains = {}
        for column in self.columns:
            if cleaned.get(f"open-{column.position}"):
                domain = self._domain_of(column, cleaned)
                if domain is not None:
                    domains[column.name] = domain
        if not domains and not self.errors:
            raise ValidationError("Open at least one column; nothing can be asked otherwise.")
        cleaned["domains"] = domains
        self._check_person(cleaned)
        self._check_budgets(cleaned)
        return cleaned

    def _domain_of(self, column: DatasetColumn, cleaned: dict[str, Any]) -> dict[str, Any] | None:
        place = column.position
        if cleaned.get(f"kind-{place}") == NUMBERS:
            return self._bounds_of(column, cleaned)
        lines = str(cleaned.get(f"values-{place}") or "").splitlines()
        values = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if not values:
            self.add_error(f"values-{place}", "List what the column may hold, one value per line.")
            return None
        if len(values) > MOST_VALUES:
            self.add_error(f"values-{place}", f"At most {MOST_VALUES:,} values are accepted.")
            return None
        return {"values": [None if value == GAP else value for value in values]}

    def _bounds_of(self, column: DatasetColumn, cleaned: dict[str, Any]) -> dict[str, Any] | None:
        place = column.position
        low, high = (read_number(cleaned.get(f"{name}-{place}") or "") for name in ("low", "high"))
        if low is None or high is None:
            self.add_error(
                f"low-{place}", "Give the lowest and the highest number that can possibly occur."
            )
            return None
        if not low < high:
            self.add_error(f"low-{place}", "The lowest number must be below the highest.")
            return None
        bounds: dict[str, Any] = {"low": plain_number(low), "high": plain_number(high)}
        decimal = self.dataset.file_format.get("decimal", ".")
        return bounds if decimal == "." else {**bounds, "decimal": decimal}

    def _check_person(self, cleaned: dict[str, Any]) -> None:
        if cleaned.get("unit") != "person":
            return
        if not cleaned.get("person_column"):
            self.add_error("person_column", "Choose the column that says who is who.")
        if not cleaned.get("person_rows") and "person_rows" not in self.errors:
            self.add_error("person_rows", "Say how many rows of a person count at most.")

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

    def to_offer(self) -> Offer:
        given = self.cleaned_data
        setting: dict[str, Any] = {"neighbours": given["neighbours"], "domains": given["domains"]}
        if given["unit"] == "person":
            setting["person"] = {"column": given["person_column"], "rows": given["person_rows"]}
        if given["size"]:
            setting["size"] = given["size"]
        if given["delta"]:
            setting["delta"] = given["delta"]
        return Offer(
            setting=setting,
            total_micro=micro_of(given["total"]),
            analyst_micro=micro_of(given["analyst"]),
            period=Period(given["period"]),
            smallest_micro=micro_of(given["smallest"]),
            pool_micro=micro_of(given["pool"]) if given["pool"] else None,
            delta_total_atto=atto_of(given["delta_total"]) if given["delta_total"] else 0,
        )


def _initial_of(terms: Terms) -> dict[str, Any]:
    """The terms in force as the form shows them."""
    setting = terms.setting
    person = setting.get("person")
    return {
        "neighbours": setting["neighbours"],
        "unit": "person" if person else "row",
        "person_column": person["column"] if person else "",
        "person_rows": person["rows"] if person else None,
        "size": setting.get("size"),
        "total": _plain(terms.total_micro),
        "analyst": _plain(terms.analyst_micro),
        "period": terms.period,
        "pool": _plain(terms.pool_micro) if terms.pool_micro is not None else None,
        "smallest": _plain(terms.smallest_micro),
        "delta": f"{setting['delta']:g}" if setting.get("delta") else None,
        "delta_total": f"{delta_of(terms.delta_total_atto):g}" if terms.delta_total_atto else None,
    }


def _plain(micro: int) -> float | int:
    return plain_number(epsilon_of(micro))


class WishForm(forms.Form):
    amount = EpsilonField(label="How much more ε do you need?")
    reason = forms.CharField(
        label="What for?",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
        help_text="Name the questions you still want to ask and how exact they must be.",
        error_messages={"required": "Say what you need it for; the approver decides on that."},
    )


class DecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label="Your decision",
        choices=[("grant", "Grant"), ("decline", "Decline")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one of the two."},
    )
    amount = EpsilonField(label="ε to grant", required=False)
    answer = forms.CharField(
        label="Reason",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
        help_text="The person who asked reads it.",
        error_messages={"required": "Write a reason; the person who asked reads it."},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        is_empty = not cleaned.get("amount") and "amount" not in self.errors
        if cleaned.get("verdict") == "grant" and is_empty:
            self.add_error("amount", "Say how much you grant.")
        return cleaned

    @property
    def micro(self) -> int:
        granted = self.cleaned_data["verdict"] == "grant"
        return micro_of(self.cleaned_data["amount"]) if granted else 0
