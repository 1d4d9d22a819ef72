"""The chances of randomized response in a grid: a row per true value, a column per shown one."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

Matrices = dict[str, dict[str, Any]]
MOST_VALUES = 12  # a larger grid is impractical; the document allows any size
USUAL_TRUTH = 0.8


class MatrixWidget(forms.Widget):
    """Shows a grid per column and reads it; input names are prefix-grid-row-cell."""

    template_name = "plans/_matrix.html"

    def __init__(self, columns: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.columns = columns  # for which a grid can be added

    def get_context(self, name: str, value: Any, attrs: Mapping[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, dict(attrs or {}))
        grids = value if isinstance(value, dict) else {}
        context["grids"] = [
            {
                "number": number,
                "column": column,
                "values": own["values"],
                "rows": list(zip(own["values"], own["rows"], strict=True)),
            }
            for number, (column, own) in enumerate(grids.items())
        ]
        context["columns"] = [pair for pair in self.columns if pair[0] not in grids]
        return context

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        # Django's form renderer only finds templates of applications.
        return render_to_string(self.template_name, self.get_context(name, value, attrs))

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Matrices:
        if not isinstance(data, QueryDict):
            found = data.get(name)
            return found if isinstance(found, dict) else {}
        grids: Matrices = {}
        for number, column in enumerate(data.getlist(f"{name}-column")):
            values = [
                None if is_gap == "gap" else text
                for text, is_gap in zip(
                    data.getlist(f"{name}-{number}-value"),
                    data.getlist(f"{name}-{number}-kind"),
                    strict=False,
                )
            ]
            rows = [data.getlist(f"{name}-{number}-row-{row}") for row in range(len(values))]
            grids[column] = {"values": values, "rows": rows}
        return grids

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return False

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class MatrixField(forms.Field):
    """Chances between 0 and 1; one empty cell per row gets the remainder."""

    def __init__(self, columns: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(widget=MatrixWidget(columns), required=False, **kwargs)

    def clean(self, value: Any) -> Matrices | None:
        if not value:
            return None
        return {
            column: {
                "values": own["values"],
                "rows": [self._row(column, place, row) for place, row in enumerate(own["rows"])],
            }
            for column, own in value.items()
        }

    def _row(self, column: str, place: int, cells: Sequence[Any]) -> list[float]:
        where = f"{column}, row {place + 1}"
        try:
            chances = [None if str(cell).strip() == "" else float(cell) for cell in cells]
        except ValueError:
            raise forms.ValidationError(f"{where}: every chance is a number.") from None
        given = [chance for chance in chances if chance is not None]
        empty = len(chances) - len(given)
        if empty > 1:
            raise forms.ValidationError(f"{where}: leave at most one cell empty.")
        rest = round(1 - sum(given), 12)
        if (empty and rest < 0) or any(not 0 <= chance <= 1 for chance in given):
            raise forms.ValidationError(f"{where}: chances lie between 0 and 1.")
        if not empty and abs(rest) > 1e-9:
            raise forms.ValidationError(
                f"{where}: chances must sum to 1; these sum to {sum(given):.4g}. "
                "Leave one cell empty to have the rest put there."
            )
        return [rest if chance is None else chance for chance in chances]


def usual_matrix(values: Sequence[str | None]) -> dict[str, Any]:
    """Return an initial grid: mostly the truth, all other values equally likely."""
    count = len(values)
    other = round((1 - USUAL_TRUTH) / max(count - 1, 1), 4)
    rows = [
        [USUAL_TRUTH if shown == true else (other if count > 1 else 0) for shown in range(count)]
        for true in range(count)
    ]
    for true, row in enumerate(rows):
        row[true] = round(1 - (sum(row) - row[true]), 10)
    return {"values": list(values), "rows": rows}
