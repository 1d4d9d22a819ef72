"""The shapes of the builders' forms; each yields a recipe as plan-format writes it."""

from typing import Any

from django import forms

from deid_portal.engine import InvalidPlan
from deid_portal.taxonomies.typed_tree import parse_typed_tree

MASK_SIDES = [("right", "from the right: 1305*"), ("left", "from the left: *3053")]
DATE_UNITS = [
    ("month", "Month"),
    ("quarter", "Quarter"),
    ("year", "Year"),
    ("decade", "Decade"),
]


class IntervalsForm(forms.Form):
    start = forms.DecimalField(label="Start at", initial=0, max_digits=20)
    width = forms.DecimalField(
        label="Width of the finest interval",
        initial=5,
        max_digits=20,
        min_value=0,
        error_messages={"min_value": "The width must be above 0."},
    )
    widen = forms.CharField(
        label="Then join",
        initial="2, 2, 2",
        required=False,
        max_length=60,
        help_text="How many intervals each coarser level joins: 2, 2 makes 5, 10 and 20 wide.",
    )

    def clean_width(self) -> Any:
        width = self.cleaned_data["width"]
        if width == 0:
            raise forms.ValidationError("The width must be above 0.")
        return width

    def clean_widen(self) -> list[int]:
        parts = self.cleaned_data["widen"].replace(";", ",").split(",")
        texts = [part.strip() for part in parts if part.strip()]
        if not all(text.isdecimal() and int(text) >= 2 for text in texts):
            raise forms.ValidationError(
                "Give whole numbers of 2 or more with commas, like 2, 2, 2."
            )
        return [int(text) for text in texts]

    def to_recipe(self) -> dict[str, Any]:
        start, width = (_plain(self.cleaned_data[name]) for name in ("start", "width"))
        widen = self.cleaned_data["widen"]
        return {"intervals": {"start": start, "width": width, "widen": widen}}


class MaskForm(forms.Form):
    side = forms.ChoiceField(label="Hide characters", choices=MASK_SIDES, initial="right")

    def to_recipe(self) -> dict[str, Any]:
        return {"mask": {"from": self.cleaned_data["side"], "character": "*"}}


class DatesForm(forms.Form):
    units = forms.MultipleChoiceField(
        label="Levels",
        choices=DATE_UNITS,
        initial=["month", "quarter", "year", "decade"],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one level."},
    )

    def to_recipe(self) -> dict[str, Any]:
        return {"dates": [unit for unit, _ in DATE_UNITS if unit in self.cleaned_data["units"]]}


class TreeForm(forms.Form):
    tree = forms.CharField(
        label="Tree, one name per line, indented under its group",
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        max_length=200_000,
        strip=False,
        error_messages={"required": "Type the root in the first line and the values below it."},
    )

    def clean_tree(self) -> dict[str, Any]:
        try:
            return parse_typed_tree(self.cleaned_data["tree"])
        except InvalidPlan as error:
            raise forms.ValidationError(str(error)) from None

    def to_recipe(self) -> dict[str, Any]:
        return {"tree": self.cleaned_data["tree"]}


class FlatForm(forms.Form):
    def to_recipe(self) -> dict[str, Any]:
        return {}


def _plain(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)
