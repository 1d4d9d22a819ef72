"""Next month's links: what was decided is carried over, what changed is counted and said."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.releases.repetition import repeat_release
from deid_portal.reviews.services import RequestTerms, ask_for_review
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast
from tests.networks import worlds

SignIn = Callable[[User], Client]


@pytest.fixture
def first(cast: Cast) -> Dataset:
    dataset = worlds.make_network(cast.steward, cast.team, people=True)
    worlds.protect_karate(cast.steward, dataset, k=5)
    return dataset


@pytest.fixture
def second(cast: Cast, first: Dataset) -> Dataset:
    return worlds.read_uploaded(worlds.upload_next_month(cast.steward, first))


def test_it_is_the_second_version_with_name_roles_and_plan(first: Dataset, second: Dataset) -> None:
    assert (second.version, second.series, second.name) == (2, first.series, "Karate club")
    assert second.columns.get().role == "quasi-identifier"
    assert second.protection.rules == [{"model": "k-degree", "k": 5}]


def test_who_came_and_went_is_counted_by_their_ids(second: Dataset) -> None:
    drift = second.network.drift
    assert drift["people"] == {"before": 34, "after": 34, "stayed": 33}
    assert drift["links"] == {"before": 78, "after": 78, "stayed": 77}
    assert "newcomer" not in str(drift)


def test_the_page_says_what_changed_and_leads_to_the_run(
    cast: Cast, second: Dataset, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("versions:drift", args=[second.id]), follow=True)
    said = page.content.decode()
    assert "1 came, 1 went" in said
    assert "77 of 78 links are still there" in said
    assert "Run the plan on this version" in said
    seen = signed_in(cast.reviewer).get(reverse("networks:changes", args=[second.id]))
    check_chart(page.context["chart"])
    check_chart(seen.context["chart"])
    counts = [int(cell) for row in seen.context["chart"].table.rows for cell in row[1:-1]]
    assert all(count == 0 or count >= 5 for count in counts)  # the last one joins the few


def test_the_next_version_of_a_network_is_uploaded_as_one(
    cast: Cast, first: Dataset, signed_in: SignIn
) -> None:
    address = f"{reverse('datasets:new')}?next_of={first.id}"
    page = signed_in(cast.steward).get(address, follow=True)
    assert page.context["form"]["next_of"].value() == str(first.id)


def test_what_was_approved_is_repeated_on_it(cast: Cast, first: Dataset, second: Dataset) -> None:
    run = worlds.run_network(cast.steward, first)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching file"))
    release = factories.approve(request, cast.approver)
    again = repeat_release(release=release, dataset=second, repeated_by=cast.steward)
    assert (again.repeats, again.plan["method"]) == (release.number, run.plan["method"])
    assert again.dataset_id == second.id
