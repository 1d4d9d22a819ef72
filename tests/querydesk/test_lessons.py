"""The lessons run, succeed without privacy and fail with it; on own data for stewards alone."""

from collections.abc import Callable

import pytest
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.querydesk.lessons import EXERCISES
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_dataset(cast.steward, cast.team)


@pytest.mark.parametrize("name", EXERCISES)
def test_every_lesson_can_be_run_by_an_analyst(cast: Cast, signed_in: SignIn, name: str) -> None:
    page = signed_in(cast.analyst).post("/query-desk/lessons/", {"lesson": name})
    assert page.status_code == 200
    lesson = page.context["lesson"]
    assert lesson.without.share > 0.9
    assert lesson.without.is_above(lesson.with_privacy.share)
    assert f"on average of {lesson.times} attacks" in page.content.decode()
    assert "on a table of your own" not in page.content.decode()


def _own(dataset: Dataset, **changes: str) -> dict[str, str]:
    place = dataset.columns.get(name="Condition").position
    usual = {"lesson": "differencing", "on": "own", "column": f"{dataset.id}:{place}"}
    return {**usual, "value": "Cancer", **changes}


def test_a_steward_attacks_a_table_of_the_team(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).post("/query-desk/lessons/", _own(dataset))
    assert page.context["lesson"].without.share == 1.0
    assert "This is not private." in page.content.decode()
    assert Event.objects.get(action="lesson.tried").facts["column"] == "Condition"


def test_nobody_else_does(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    for person, status in ((cast.analyst, 404), (cast.outsider, 404), (cast.reviewer, 403)):
        answer = signed_in(person).post("/query-desk/lessons/", _own(dataset))
        assert answer.status_code == status


def test_a_value_is_needed(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    page = signed_in(cast.steward).post("/query-desk/lessons/", _own(dataset, value=" "))
    assert page.status_code == 422
    assert "Type a value" in page.content.decode()
