"""The forms of the builders, which return a recipe as in plans, or a tree of the values."""

from typing import Any

from django import forms

from deid_portal.engine import Column, InvalidPlan
from deid_portal.engine.taxonomies import (
    Outline,
    group_by_quantiles,
    group_by_rules,
    group_neighbours,
    group_rare,
    looks_like_columns,
    parse_pasted,
    parse_rules,
)
from deid_portal.taxonomies.typed_tree import parse_typed_tree

MASK_SIDES = [("right", "from the right: 1305*"), ("left", "from the left: *3053")]
DATE_UNITS = [
    ("month", "Month"),
    ("quarter", "Quarter"),
    ("year", "Year"),
    ("five years", "Five years"),
    ("decade", "Decade"),
]
AGE_LEVELS = [
    ("age", "Age in years"),
    ("5-year age", "Bands of 5"),
    ("10-year age", "Bands of 10"),
    ("20-year age", "Bands of 20"),
]


ORDERS = [("name", "as numbers, dates or by name"), ("rows", "most rows first")]


class BuilderForm(forms.Form):
    """A builder returns a recipe, or a tree if the groups depend on the rows."""

    def to_recipe(self) -> dict[str, Any]:
        return {}

    def to_outline(self, values: Column) -> Outline | None:
        """Return the tree of the values, or None when a recipe says it."""
        return None


class IntervalsForm(BuilderForm):
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

    bottom = forms.DecimalField(
        label="One group below",
        required=False,
        max_digits=20,
        help_text="An open end, like <18. Empty: none.",
    )
    top = forms.DecimalField(
        label="One group from",
        required=False,
        max_digits=20,
        help_text="An open end, like ≥85. Empty: none.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        bottom, top = data.get("bottom"), data.get("top")
        if bottom is not None and top is not None and bottom >= top:
            self.add_error("top", "This must be above the other open end.")
        return data

    def clean_width(self) -> Any:
        width = self.cleaned_data["width"]
        if width == 0:
            raise forms.ValidationError("The width must be above 0.")
        return width

    def clean_widen(self) -> list[int]:
        return _read_widen(self.cleaned_data["widen"])

    def to_recipe(self) -> dict[str, Any]:
        start, width = (_plain(self.cleaned_data[name]) for name in ("start", "width"))
        ends = {name: self.cleaned_data.get(name) for name in ("bottom", "top")}
        given = {name: _plain(end) for name, end in ends.items() if end is not None}
        widen = self.cleaned_data["widen"]
        return {"intervals": {"start": start, "width": width, "widen": widen, **given}}


class QuantilesForm(BuilderForm):
    groups = forms.IntegerField(label="Groups", initial=10, min_value=2, max_value=1000)
    widen = forms.CharField(
        label="Then join",
        initial="2",
        required=False,
        max_length=60,
        help_text="How many groups each coarser level joins.",
    )

    def clean_widen(self) -> list[int]:
        return _read_widen(self.cleaned_data["widen"])

    def to_outline(self, values: Column) -> Outline:
        return group_by_quantiles(values, self.cleaned_data["groups"], self.cleaned_data["widen"])


class RulesForm(BuilderForm):
    rules = forms.CharField(
        label="Rules, one per line; the first that fits takes the value",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        max_length=200_000,
        error_messages={"required": "Type one rule per line."},
    )

    def clean_rules(self) -> Any:
        try:
            return parse_rules(self.cleaned_data["rules"])
        except InvalidPlan as error:
            raise forms.ValidationError(str(error)) from None

    def to_outline(self, values: Column) -> Outline:
        return group_by_rules(values, self.cleaned_data["rules"])


class RareForm(BuilderForm):
    least = forms.IntegerField(
        label="Join values with fewer rows than", initial=10, min_value=2, max_value=10**9
    )
    name = forms.CharField(label="Name of the group", initial="other", max_length=100)

    def to_outline(self, values: Column) -> Outline:
        return group_rare(values, self.cleaned_data["least"], self.cleaned_data["name"])


class OrderForm(BuilderForm):
    order = forms.ChoiceField(label="Order", choices=ORDERS, initial="name")
    size = forms.IntegerField(label="Neighbours to join", initial=5, min_value=2, max_value=10_000)
    widen = forms.CharField(label="Then join", initial="2", required=False, max_length=60)
    typed = forms.CharField(
        label="Your own order, one value per line",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        required=False,
        max_length=200_000,
        help_text="These come first; all others follow in the order chosen above.",
    )

    def clean_widen(self) -> list[int]:
        return _read_widen(self.cleaned_data["widen"])

    def to_outline(self, values: Column) -> Outline:
        data = self.cleaned_data
        typed = [line.strip() for line in data["typed"].splitlines()]
        return group_neighbours(values, data["order"], data["size"], data["widen"], typed)


class MaskForm(BuilderForm):
    side = forms.ChoiceField(label="Hide characters", choices=MASK_SIDES, initial="right")

    def to_recipe(self) -> dict[str, Any]:
        return {"mask": {"from": self.cleaned_data["side"], "character": "*"}}


class DatesForm(BuilderForm):
    """Parts of the calendar, or, with a day to reckon from, ages."""

    units = forms.MultipleChoiceField(
        label="Levels of the calendar",
        choices=DATE_UNITS,
        initial=["month", "quarter", "year", "decade"],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    as_of = forms.DateField(
        label="Or ages, as of",
        required=False,
        help_text="For days of birth; the levels above then do not count. 90 and older are one "
        "group.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    ages = forms.MultipleChoiceField(
        label="Levels of ages",
        choices=AGE_LEVELS,
        initial=[level for level, _ in AGE_LEVELS],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get(self._levels_asked):
            self.add_error(self._levels_asked, "Choose at least one level.")
        return cleaned

    @property
    def _levels_asked(self) -> str:
        return "ages" if self.cleaned_data.get("as_of") else "units"

    def to_recipe(self) -> dict[str, Any]:
        day = self.cleaned_data["as_of"]
        choices = AGE_LEVELS if day else DATE_UNITS
        chosen = self.cleaned_data[self._levels_asked]
        recipe: dict[str, Any] = {"dates": [level for level, _ in choices if level in chosen]}
        return recipe | ({"as_of": day.isoformat()} if day else {})


class TreeForm(BuilderForm):
    tree = forms.CharField(
        label="Tree: names indented under their group, or cells from a spreadsheet",
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        max_length=200_000,
        strip=False,
        error_messages={"required": "Type the root in the first line and the values below it."},
    )

    def clean_tree(self) -> dict[str, Any] | str:
        if looks_like_columns(self.cleaned_data["tree"]):
            return str(self.cleaned_data["tree"])
        try:
            return parse_typed_tree(self.cleaned_data["tree"])
        except InvalidPlan as error:
            raise forms.ValidationError(str(error)) from None

    def to_recipe(self) -> dict[str, Any]:
        return {"tree": self.cleaned_data["tree"]}

    def to_outline(self, values: Column) -> Outline | None:
        tree = self.cleaned_data["tree"]
        return parse_pasted(tree, values) if isinstance(tree, str) else None


class KeepTaxonomyForm(forms.Form):
    """Keep a tree in the team's library."""

    name = forms.CharField(label="Name in the library", max_length=100)
    source = forms.CharField(
        label="Where it comes from",
        max_length=200,
        required=False,
        help_text="A classification, an office, an edition. Empty: this dataset.",
    )


class FlatForm(BuilderForm):
    """Nothing to choose."""


def _read_widen(text: str) -> list[int]:
    texts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not all(part.isdecimal() and 2 <= int(part) <= 10_000 for part in texts):
        raise forms.ValidationError("Give whole numbers of 2 or more with commas, like 2, 2, 2.")
    return [int(part) for part in texts]


def _plain(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)
