"""The form for measures beyond the models: attacks, a classifier, who pays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict

from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.engine.attacks import ATTACKS

# They need a second table or other releases, which cannot be given here.
NEEDS_MORE = ("control", "outside", "others")
MOST_QUERIES = 100_000


@dataclass(frozen=True)
class OfferedAttack:
    name: str
    title: str
    why: str
    is_chosen: bool
    closed: str  # why it cannot be chosen here


class MeasuresForm(forms.Form):
    """The prefix is fixed, since the form is shown beside all views of a plan."""

    attacks = forms.MultipleChoiceField(label="Attacks", required=False)
    class_column = forms.ChoiceField(
        label="What would a classifier learn?",
        required=False,
        widget=forms.Select(attrs={"class": "form-select"}),
        help_text="Its accuracy before and after is compared with always guessing the majority.",
    )
    groups = forms.MultipleChoiceField(
        label="Who pays? Losses are told by group of",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    queries = forms.IntegerField(
        label="Random counting questions to compare",
        required=False,
        min_value=0,
        max_value=MOST_QUERIES,
        widget=forms.NumberInput(attrs={"class": "form-control"}),
        help_text="0 asks none; 1,000 give a good picture of how far counts move.",
    )

    def __init__(
        self, data: QueryDict | None = None, *, dataset: Dataset, chosen: Mapping[str, Any]
    ) -> None:
        """`chosen` are the saved measures; those without a field here are kept."""
        utility = chosen.get("utility", {})
        initial = {
            "attacks": [attack["attack"] for attack in chosen.get("attacks", [])],
            "class_column": utility.get("class_column", ""),
            "groups": utility.get("groups", []),
            "queries": utility.get("queries", 0),
        }
        super().__init__(data, initial=initial, prefix="measure")
        self.chosen = chosen
        columns = list(dataset.columns.exclude(role=ColumnRoleChoices.IDENTIFIER))
        self.sensitive = [c.name for c in columns if c.role == ColumnRoleChoices.SENSITIVE]
        names = [(column.name, column.name) for column in columns]
        for name, choices in (
            ("attacks", [(attack.name, attack.title) for attack in self._offers([])]),
            ("class_column", [("", "none"), *names]),
            ("groups", names),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
            field.choices = choices

    @property
    def offers(self) -> list[OfferedAttack]:
        return self._offers(self["attacks"].value() or [])

    def _offers(self, ticked: list[str]) -> list[OfferedAttack]:
        return [
            OfferedAttack(
                name,
                name.replace("-", " ").capitalize(),
                kind().explain(),
                name in ticked,
                self._why_closed(kind.needs),
            )
            for name, kind in ATTACKS.items()
            if not any(need in NEEDS_MORE for need in kind.needs)
        ]

    def _why_closed(self, needs: tuple[str, ...]) -> str:
        if "sensitive" in needs and not self.sensitive:
            return "Needs a sensitive column; none is tagged."
        return ""

    def to_measures(self) -> dict[str, Any]:
        """Return the measures of the plan; an empty document if there are none."""
        given = self.cleaned_data
        utility: dict[str, Any] = {}
        if given["class_column"]:
            utility["class_column"] = given["class_column"]
        if given["groups"]:
            utility["groups"] = given["groups"]
        if given["queries"]:
            utility["queries"] = given["queries"]
        measures: dict[str, Any] = {}
        if "risk" in self.chosen:
            measures["risk"] = self.chosen["risk"]
        if attacks := self._attacks(given["attacks"]):
            measures["attacks"] = attacks
        if utility:
            measures["utility"] = utility
        return measures

    def _attacks(self, names: list[str]) -> list[dict[str, Any]]:
        """Return an entry per attack and column; saved ones keep their parameters."""
        kept = self.chosen.get("attacks", [])
        entries: list[dict[str, Any]] = []
        for name in names:
            before = [entry for entry in kept if entry["attack"] == name]
            entries += before or self._new_entries(name)
        return entries

    def _new_entries(self, name: str) -> list[dict[str, Any]]:
        if "sensitive" not in ATTACKS[name].needs:
            return [{"attack": name}]
        return [{"attack": name, "column": column} for column in self.sensitive]
