from collections.abc import Mapping
from typing import Any

from django import forms

from deid_portal.attacks.kinds import kind_of
from deid_portal.attacks.models import OutsideTable
from deid_portal.engine.attacks.outside_linkage import MATCHING
from deid_portal.engine.parameters import Choice, Parameter

MATCHING_WORDS = {
    "exact, then nearest": "Exact, then nearest",
    "exact": "Exact only",
    "nearest": "Nearest only",
}


LABELS = {
    "excluded": "Values that can be ruled out",
    "attempts": "Guesses",
    "columns": "Columns in a description",
    "threshold": "Gain that counts, 0 to 1",
    "level": "Level at which values mean the same",
    "width": "How near is near",
    "unit": "Measured as",
    "most_people": "People looked at",
    "tried_people": "People tried",
    "shadows": "Shadow models",
    "k": "Smallest group allowed",
}


class TuningForm(forms.Form):
    """The parameters of one attack; the engine validates their values."""

    def __init__(self, data: Any = None, *, attack: str, chosen: Mapping[str, Any]) -> None:
        super().__init__(data)
        for declared in kind_of(attack).parameters:
            label = LABELS.get(declared.name, declared.name.replace("_", " ").capitalize())
            if isinstance(declared, Parameter):
                self.fields[declared.name] = _number_field(declared, label, chosen)
            elif isinstance(declared, Choice):
                self.fields[declared.name] = forms.ChoiceField(
                    label=label,
                    required=False,
                    choices=[(word, word) for word in declared.choices],
                    initial=chosen.get(declared.name, declared.choices[0]),
                    widget=forms.Select(attrs={"class": "form-select"}),
                )

    def to_parameters(self) -> dict[str, Any]:
        return {name: own for name, own in self.cleaned_data.items() if own not in (None, "")}


def _number_field(declared: Parameter, label: str, chosen: Mapping[str, Any]) -> forms.Field:
    kind = forms.IntegerField if declared.whole else forms.FloatField
    field: forms.Field = kind(
        label=label, required=False, initial=chosen.get(declared.name, declared.default)
    )
    field.widget.attrs["class"] = "form-control"
    return field


class OutsideForm(forms.Form):
    """Mapping of an outside table: matching columns, the column of persons, and how to match.

    Columns are chosen by index from suggested pairs, so no user input reaches the engine.
    """

    columns = forms.TypedMultipleChoiceField(
        label="Columns both tables know",
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one column that both tables know."},
    )
    matching = forms.ChoiceField(
        label="How the intruder matches",
        choices=[(matching, MATCHING_WORDS[matching]) for matching in MATCHING],
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    person = forms.ChoiceField(
        label="Who is who",
        required=False,
        widget=forms.Select(attrs={"class": "form-select"}),
        help_text="Only for scoring: the intruder is not given this column.",
    )

    def __init__(self, data: Any = None, *, table: OutsideTable) -> None:
        about = table.about
        self.shared, self.persons = about.get("shared", []), about.get("persons", [])
        initial = {
            "columns": list(range(len(self.shared))),
            "person": "0" if self.persons else "",
            "matching": MATCHING[0],
        }
        super().__init__(data, initial=initial)
        columns, person = self.fields["columns"], self.fields["person"]
        assert isinstance(columns, forms.ChoiceField)  # noqa: S101 - declared above
        assert isinstance(person, forms.ChoiceField)  # noqa: S101
        columns.choices = [(place, _pair_words(pair)) for place, pair in enumerate(self.shared)]
        person.choices = [
            ("", "Nothing says so: count unique matches"),
            *((str(place), pair["ours"]) for place, pair in enumerate(self.persons)),
        ]

    def to_columns(self) -> dict[str, str]:
        chosen = [self.shared[place] for place in self.cleaned_data["columns"]]
        return {pair["ours"]: pair["theirs"] for pair in chosen}

    def to_person(self) -> tuple[str, str] | None:
        place = self.cleaned_data["person"]
        if not place:
            return None
        pair = self.persons[int(place)]
        return (pair["theirs"], pair["ours"])


def _pair_words(pair: dict[str, Any]) -> str:
    named = "" if pair["theirs"] == pair["ours"] else f", theirs {pair['theirs']}"
    return f"{pair['ours']}{named} · {100 * pair['overlap']:.0f} % of values known"
