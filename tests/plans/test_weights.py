"""Column weights: chosen in any view, kept in all, carried out by the run; a seed stays."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.services import tag_columns
from deid_portal.plans.composition import compose_chosen_plan
from deid_portal.plans.models import Protection
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast
from tests.plans.test_choose_protection import CHOICE

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


@pytest.fixture
def steward(cast: Cast, signed_in: SignIn) -> Client:
    return signed_in(cast.steward)


def _weigh(dataset: Dataset, **numbers: str) -> dict[str, str]:
    positions = {column.name: column.position for column in dataset.columns.all()}
    given = {f"weight-c{positions[name]}": own for name, own in numbers.items()}
    return {"weight-c2": "1", "weight-c3": "1", **given}


def _save(client: Client, dataset: Dataset, data: dict[str, str]) -> str:
    return client.post(reverse("plans:keep", args=[dataset.id]), data).content.decode()


def test_weights_reach_the_plan_and_the_run(cast: Cast, dataset: Dataset, steward: Client) -> None:
    data = {**CHOICE, **_weigh(dataset, Age="3")}
    assert "Saved" in _save(steward, dataset, data)
    saved = Protection.objects.get()
    assert saved.weights == {"Age": 3.0}
    plan = compose_chosen_plan(saved).to_plan()
    assert {column.name: column.weight for column in plan.columns}["Age"] == 3
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.plan["columns"]["Age"]["weight"] == 3


def test_a_form_without_the_fields_leaves_them_as_they_were(
    dataset: Dataset, steward: Client
) -> None:
    Protection.objects.update(weights={"Age": 2.0}, seed=5)
    _save(steward, dataset, {**CHOICE, "k": "3"})
    saved = Protection.objects.get()
    assert (saved.rules[0]["k"], saved.weights, saved.seed) == (3, {"Age": 2.0}, 5)


def test_all_three_views_show_the_same(dataset: Dataset, steward: Client) -> None:
    Protection.objects.update(weights={"Age": 2.0}, seed=5)
    address = reverse("plans:protection", args=[dataset.id])
    for view in ("plain", "expert"):
        page = steward.get(f"{address}?view={view}").content.decode()
        assert 'value="2.0"' in page
        assert "weight-seed" not in page
    document = steward.get(f"{address}?view=json").context["choosing"].form.initial["document"]
    assert json.loads(document)["weights"] == {"Age": 2.0}
    assert json.loads(document)["seed"] == 5


def test_the_document_takes_weights_and_refuses_nonsense(dataset: Dataset, steward: Client) -> None:
    plan = {"models": factories.RULES, "method": factories.METHOD}

    def keep(**more: object) -> str:
        text = json.dumps({**plan, **more})
        return _save(steward, dataset, {"view": "json", "document": text})

    assert "Saved" in keep(weights={"Zip": 2, "Age": 1}, seed=3)
    assert Protection.objects.get().weights == {"Zip": 2}
    assert "only quasi-identifiers have a weight" in keep(weights={"Condition": 2})
    assert "Not saved" in keep(weights=[1])
    assert "Not saved" in keep(weights={"Zip": -1})
    assert "Not saved" in keep(seed="often")


def test_a_bad_weight_is_refused_at_its_field(dataset: Dataset, steward: Client) -> None:
    data = {**CHOICE, **_weigh(dataset, Age="-1")}
    answer = steward.post(reverse("plans:protection", args=[dataset.id]), data)
    assert answer.status_code == 422
    assert "A weight is 0 or more" in answer.content.decode()
    nothing = {**CHOICE, **_weigh(dataset, Age="0", Zip="0")}
    assert "needs a weight above 0" in _save(steward, dataset, nothing)


def test_a_column_that_is_no_quasi_identifier_any_more_loses_its_weight(
    cast: Cast, dataset: Dataset, steward: Client
) -> None:
    Protection.objects.update(weights={"Age": 2.0})
    age = dataset.columns.get(name="Age").position
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={age: "insensitive"})
    assert "Saved" in _save(steward, dataset, {**CHOICE, "facts": "1"})
    assert Protection.objects.get().weights == {}
