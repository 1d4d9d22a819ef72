"""Lists ask the database as often for many lines as for few."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import HEAVY
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
PAGES = {
    "datasets:list": 20,
    "runs:list": 21,
    "reports:board": 25,
    "releases:list": 15,
    "notices:list": 12,
    "guide:bell": 9,
}


def make_more_runs(run: Run, count: int) -> None:
    for name in HEAVY:
        getattr(run, name)  # what is sealed opens under the id it was sealed with
    for number in range(run.number + 1, run.number + 1 + count):
        run.pk, run.number = uuid4(), number
        run._state.adding = True
        run.save()


@pytest.mark.parametrize("name", PAGES)
def test_a_list_costs_few_queries(
    cast: Cast,
    signed_in: SignIn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    name: str,
) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    run = release.request.run
    dataset = run.dataset
    make_more_runs(Run.objects.get(id=run.id), 8)
    client = signed_in(cast.steward)
    is_of_a_dataset = name in ("runs:list", "reports:board")
    address = reverse(name, args=[dataset.id] if is_of_a_dataset else [])
    with django_assert_max_num_queries(PAGES[name]):
        assert client.get(address).status_code == 200
