"""The frame around every page must stay cheap, since every request renders it."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
# Session, person, memberships; four looks for what waits; news.
FRAME_QUERIES = 9


def test_the_frame_costs_few_queries_in_however_many_teams(
    cast: Cast, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        team = factories.make_team(f"Team {number}")
        add_member(team=team, user=cast.steward, roles=[Role.STEWARD], added_by=None)
    client = signed_in(cast.steward)
    with django_assert_max_num_queries(FRAME_QUERIES):
        page = client.get(reverse("guide:help")).content.decode()
    assert "Team 2" in page


def test_roles_of_the_team_one_works_in_decide_which_rooms_there_are(
    cast: Cast, signed_in: SignIn
) -> None:
    other = factories.make_team("A team of analysts")
    add_member(team=other, user=cast.steward, roles=[Role.ANALYST], added_by=None)
    client = signed_in(cast.steward)
    frame = client.get(reverse("guide:help")).context["frame"]
    assert frame.team == other  # the first by name
    assert frame.role_label == "Analyst"
    assert "Datasets" not in [room.label for room in frame.rooms]
