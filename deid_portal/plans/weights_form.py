"""The weights of columns."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from deid_portal.datasets.models import Dataset
from deid_portal.engine.wording.numbers import middle_cut

HEAVIEST = 1000
NAME_LENGTH = 40


class WeightsForm(forms.Form):
    """A number per quasi-identifier; with a fixed prefix, like the form of measures."""

    def __init__(
        self, data: QueryDict | None = None, *, dataset: Dataset, weights: Mapping[str, float]
    ) -> None:
        super().__init__(data, prefix="weight")
        columns = [column for column in dataset.columns.all() if column.is_quasi_identifier]
        self.names = {f"c{column.position}": column.name for column in columns}
        for name, column in self.names.items():
            self.fields[name] = forms.FloatField(
                label=middle_cut(column, NAME_LENGTH),
                required=False,
                min_value=0,
                max_value=HEAVIEST,
                initial=weights.get(column, 1),
                widget=forms.NumberInput(attrs={"class": "form-control", "step": "any"}),
                error_messages={"min_value": "A weight is 0 or more; 0 says it costs nothing."},
            )
        self.was_given = data is not None and any(
            self.add_prefix(own) in data for own in self.names
        )

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[name] for name in self.names]

    @property
    def is_open(self) -> bool:
        """Whether the fields are shown at once, because a weight is not 1."""
        usual = all(str(own.value() or 1) in ("1", "1.0") for own in self.columns)
        return bool(self.errors) or not usual

    def to_weights(self) -> dict[str, float]:
        """Return the weights that are not 1."""
        given = {column: self.cleaned_data.get(name) for name, column in self.names.items()}
        return {column: own for column, own in given.items() if own is not None and own != 1}


def weights_of(saved: Any, dataset: Dataset) -> dict[str, float]:
    """Return the weights of a saved protection or of a choice.

    Columns whose role was changed since have no weight any more.
    """
    if saved is None:
        return {}
    quasi = {column.name for column in dataset.columns.all() if column.is_quasi_identifier}
    return {name: own for name, own in saved.weights.items() if name in quasi}
