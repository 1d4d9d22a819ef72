"""The chances of randomized response, typed into a grid instead of a document."""

from collections.abc import Callable
from typing import Any

import pytest
from django.forms import ValidationError
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.expert_forms import ExpertForm
from deid_portal.plans.matrix_field import MatrixField, usual_matrix
from deid_portal.plans.services import check_choice
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def _clean(rows: list[list[Any]], values: list[Any] | None = None) -> Any:
    values = values or ["f", "m"]
    return MatrixField([]).clean({"sex": {"values": values, "rows": rows}})["sex"]["rows"]


def test_an_empty_cell_gets_what_is_left() -> None:
    assert _clean([["0.8", ""], ["", "0.7"]]) == [[0.8, 0.2], [0.3, 0.7]]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["0.8", "0.3"], ["", "1"]], "sex, row 1: chances must sum to 1; these sum to 1.1."),
        ([["", ""], ["", "1"]], "sex, row 1: leave at most one cell empty."),
        ([["1", "0"], ["often", ""]], "sex, row 2: every chance is a number."),
        ([["-0.5", "1.5"], ["", "1"]], "sex, row 1: chances lie between 0 and 1."),
        ([["1.2", ""], ["", "1"]], "sex, row 1: chances lie between 0 and 1."),
    ],
)
def test_what_is_no_chance_is_refused(rows: list[list[str]], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        _clean(rows)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12])
def test_the_grid_one_starts_from_sums_to_one(count: int) -> None:
    values = [str(number) for number in range(count)]
    rows = usual_matrix(values)["rows"]
    assert _clean(rows, values) == rows
    assert all(abs(sum(row) - 1) < 1e-9 for row in rows)


def _post(**more: Any) -> QueryDict:
    data = QueryDict(mutable=True)
    for key, own in {"view": "expert", "method": "0:pram", **more}.items():
        data.setlist(key, own if isinstance(own, list) else [own])
    return data


def test_a_grid_is_added_with_the_values_of_the_column_and_read_back(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    act = {"act": "grid method0-matrix", "method0-matrix-new": "Condition", "method0-epsilon": "1"}
    address = reverse("plans:protection", args=[dataset.id])
    answer = client.post(address, {"view": "expert", "method": "0:pram", **act})
    form = answer.context["choosing"].form
    part = form.methods.parts[0]
    values = part.initial["matrix"]["Condition"]["values"]
    assert len(values) > 1
    assert part.initial["columns"] == ["Condition"]
    assert part.initial["epsilon"] == ""
    assert "a row per true value, a column per value shown" in answer.content.decode()

    rows = {
        f"method0-matrix-0-row-{number}": [str(chance) for chance in row]
        for number, row in enumerate(part.initial["matrix"]["Condition"]["rows"])
    }
    posted = _post(
        **{
            "method0-columns": ["Condition"],
            "method0-matrix-column": ["Condition"],
            "method0-matrix-0-value": values,
            "method0-matrix-0-kind": ["value"] * len(values),
            **rows,
        }
    )
    read = ExpertForm(dataset, data=posted)
    assert read.is_valid(), [part.errors for part in read.parts]
    choice = read.to_choice({})
    plan = check_choice(dataset, choice)
    assert plan.methods[0].to_document()["matrix"]["Condition"]["values"] == values

    shown = ExpertForm(dataset, choice=ProtectionChoice([], choice.method))
    assert shown.methods.parts[0].initial["matrix"] == choice.methods[0]["matrix"]


def test_a_gap_is_a_value_of_its_own() -> None:
    data = _post(
        **{
            "m-column": ["sex"], "m-0-value": ["f", ""], "m-0-kind": ["value", "gap"],
            "m-0-row-0": ["0.9", "0.1"], "m-0-row-1": ["0.1", "0.9"],
        }
    )  # fmt: skip
    grids = MatrixField([]).widget.value_from_datadict(data, {}, "m")
    assert grids["sex"]["values"] == ["f", None]


def test_columns_with_many_values_are_not_offered(dataset: Dataset) -> None:
    dataset.columns.filter(name="Condition").update(distinct=400)
    form = ExpertForm(
        dataset, choice=ProtectionChoice([], {"name": "pram", "columns": ["Condition"]})
    )
    offered = form.methods.parts[0].fields["matrix"].widget.columns  # type: ignore[attr-defined]
    assert "Condition" not in [name for name, _ in offered]
