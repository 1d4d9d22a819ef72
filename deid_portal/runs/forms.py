"""The form of a sweep: the values to vary."""

import re
from typing import Any

from django import forms

from deid_portal.datasets.models import Dataset
from deid_portal.plans.basis import Basis
from deid_portal.runs.sweeps import SweepGrid, ways_of

USUAL_LOOK_ALIKES = (2, 3, 5, 10, 15, 25, 50)
USUAL_LIMITS = (0, 2, 5, 10)  # percent
MOST_NUMBERS = 60
_RANGE_MARK = re.compile(r"\s*(?:-|–|…|\.\.+)\s*")
_RANGE = re.compile(r"^(\d{1,9})-(\d{1,9})$")


class NumbersField(forms.CharField):
    """A list of numbers: "2, 5, 10"; whole numbers also as a range: "2-6"."""

    def __init__(self, *, whole: bool, least: float, most: float, **kwargs: Any) -> None:
        self.whole, self.least, self.most = whole, least, most
        widget = forms.TextInput(attrs={"class": "form-control", "autocomplete": "off"})
        super().__init__(widget=widget, required=False, **kwargs)

    def clean(self, value: Any) -> tuple[float, ...]:
        text = super().clean(value)
        # "2 - 6" is one range, not three numbers.
        words = re.split(r"[,;\s]+", _RANGE_MARK.sub("-", text).replace(" %", "%"))
        numbers = {number for word in words if word for number in self._read(word)}
        if len(numbers) > MOST_NUMBERS:
            raise forms.ValidationError(f"At most {MOST_NUMBERS} numbers can be tried at once.")
        return tuple(sorted(numbers))

    def _read(self, word: str) -> list[float]:
        spread = _RANGE.match(word) if self.whole else None
        if spread:
            first, last = int(spread[1]), int(spread[2])
            if last - first >= MOST_NUMBERS:
                raise forms.ValidationError(f"“{word}” is more than {MOST_NUMBERS} numbers.")
            return [self._check(float(number), word) for number in range(first, last + 1)]
        try:
            number = float(word.removesuffix("%"))
        except ValueError:
            kind = "a whole number" if self.whole else "a number"
            raise forms.ValidationError(f"“{word[:20]}” is not {kind}.") from None
        return [self._check(number, word)]

    def _check(self, number: float, word: str) -> float:
        if self.whole and number != int(number):
            raise forms.ValidationError(f"“{word}” is not a whole number.")
        if not self.least <= number <= self.most:
            raise forms.ValidationError(
                f"“{word[:20]}” is not between {self.least:,g} and {self.most:,.10g}."
            )
        return number


class SweepForm(forms.Form):
    """Values of k, suppression limits and methods; each combination is a run."""

    def __init__(self, *args: Any, dataset: Dataset, basis: Basis, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = max(dataset.rows, 2)
        limit = basis.limit
        self.fields["look_alikes"] = NumbersField(
            whole=True,
            least=2,
            most=rows,
            label="Hides among",
            help_text="Whole numbers, for example 2, 5, 10 or 2-6. Empty: as chosen.",
            initial=_joined(_usual_look_alikes(basis, rows)),
        )
        if dataset.subject.leaves_people_out:
            self.fields["limits"] = NumbersField(
                whole=False,
                least=0,
                most=100,
                label="May leave out, in percent of the rows",
                help_text="For example 0, 2, 5. Empty: as chosen. Methods that leave out nobody "
                "run once.",
                initial=_joined(sorted({*USUAL_LIMITS, 100 * limit})) if limit is not None else "",
            )
        self.fields["methods"] = forms.MultipleChoiceField(
            label="Methods",
            required=False,
            choices=[(way.name, way.title) for way in ways_of(dataset)],
            widget=forms.CheckboxSelectMultiple,
            help_text="None ticked: the method as chosen.",
        )

    def to_grid(self) -> SweepGrid:
        return SweepGrid(
            look_alikes=tuple(int(k) for k in self.cleaned_data["look_alikes"]),
            limits=tuple(limit / 100 for limit in self.cleaned_data.get("limits", ())),
            methods=tuple(self.cleaned_data["methods"]),
        )


def _usual_look_alikes(basis: Basis, rows: int) -> list[int]:
    chosen = basis.look_alikes
    usual = {*USUAL_LOOK_ALIKES, *([chosen] if chosen else [])}
    return sorted(k for k in usual if k <= rows // 2)


def _joined(numbers: Any) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
