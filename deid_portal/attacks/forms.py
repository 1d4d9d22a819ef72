from typing import Any

from django import forms

from deid_portal.attacks.models import OutsideTable
from deid_portal.engine.attacks.outside_linkage import MATCHING

MATCHING_WORDS = {
    "exact, then nearest": "Exact, then nearest",
    "exact": "Exact only",
    "nearest": "Nearest only",
}


class OutsideForm(forms.Form):
    """Which columns of a brought table are ours, which says who is who, how the intruder matches.

    Columns are given by their place among the suggested pairs; nothing typed reaches the engine.
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
