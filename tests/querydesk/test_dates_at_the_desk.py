"""A column of dates is opened with its first and last day, filtered by period and counted by it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.querydesk.models import Desk, Question
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
TABLE = b"name,admitted\nAda,31.12.2023\nBo,01.01.2024\nCy,30.06.2024\nDi,\n"
PERIOD = {"first": "2023-12-01", "last": "2024-06-30", "format": "%d.%m.%Y"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_dataset(cast.steward, cast.team, TABLE)


def _terms(**changes: str) -> dict[str, str]:
    return {
        "open-1": "on",
        "kind-1": "dates",
        "first-1": "2023-12-01",
        "last-1": "2024-06-30",
        "written-1": "%d.%m.%Y",
        "neighbours": "add_remove",
        "unit": "row",
        "total": "20",
        "analyst": "20",
        "period": "quarter",
        "smallest": "0.05",
        **changes,
    }


def test_open_a_column_of_dates(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    page = client.get(f"/query-desk/open/{dataset.id}/").content.decode()
    assert "31.03.2024" in page  # an example of how dates are written, none of the table
    assert "2023" not in page
    assert client.post(f"/query-desk/open/{dataset.id}/", _terms()).status_code == 302
    assert Desk.objects.get().current.setting["domains"] == {"admitted": PERIOD}
    again = client.get(f"/query-desk/open/{dataset.id}/").content.decode()
    assert 'value="2023-12-01"' in again
    assert '<option value="%d.%m.%Y" selected>' in again


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"first-1": "2024-06-30", "last-1": "2023-12-01"}, "must be before the last"),
        ({"first-1": ""}, "Give the first and the last day"),
        ({"last-1": "30.06.2024"}, "written 2024-03-31"),
        ({"written-1": ""}, "Choose how dates are written"),
    ],
)
def test_periods_that_make_no_sense_are_refused(
    cast: Cast, dataset: Dataset, signed_in: SignIn, changes: dict[str, str], sentence: str
) -> None:
    address = f"/query-desk/open/{dataset.id}/"
    answer = signed_in(cast.steward).post(address, _terms(**changes))
    assert answer.status_code == 422
    assert sentence in answer.content.decode()


def test_ask_for_a_period_and_count_by_quarter(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    setting: dict[str, Any] = {"neighbours": "add_remove", "domains": {"admitted": PERIOD}}
    desk = factories.make_desk(
        cast.steward, cast.team, dataset, setting=setting, analyst_micro=20_000_000
    )
    client = signed_in(cast.analyst)
    form = {
        "kind": "count-by-period",
        "f-column": "admitted",
        "f-unit": "quarter",
        "conditions": "1",
        "c0-column": "admitted",
        "c0-test": "at_least",
        "c0-low": "2024-01-01",
        "epsilon": "20",
    }
    priced = client.post(f"/query-desk/{desk.id}/price/", form)
    assert priced.context["quote"].problem == ""
    page = priced.content.decode()
    assert 'type="date"' in page
    assert "admitted 2023-12-01 to 2024-06-30" in page
    wrong = client.post(f"/query-desk/{desk.id}/price/", {**form, "c0-low": "2019-01-01"})
    assert wrong.context["quote"].problem.startswith("admitted: a day of the declared period")
    key = "00000000-0000-4000-8000-000000000002"
    client.post(f"/query-desk/{desk.id}/ask/", {**form, "key": key, "seen_terms": "1"})
    question = factories.answer_question(Question.objects.get())
    counts = {one["of"]["admitted"]: one["value"] for one in question.answer["values"]}
    # With ε = 20 noise is 0 but for once in 10⁸ draws.
    assert counts == {"2023-Q4": 0, "2024-Q1": 1, "2024-Q2": 1}
    assert "2024-Q2" in client.get(f"/query-desk/questions/{question.id}/").content.decode()
