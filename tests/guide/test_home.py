from collections.abc import Callable
from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.accounts.permissions import roles_of
from deid_portal.guide.pending_items import waiting_for
from deid_portal.releases.models import Grant
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
HOME = "/"


def test_a_new_team_is_told_how_to_begin(cast: Cast, signed_in: SignIn) -> None:
    page = signed_in(cast.steward).get(HOME).content.decode()
    assert "1 · Upload" in page
    assert "Nothing leaves this server" in page or "nothing leaves this server" in page


def test_somebody_without_a_team_learns_whom_to_ask_and_under_which_name(
    cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(factories.make_person("newcomer")).get(HOME).content.decode()
    assert "Ask the administrator" in page
    assert "<strong>newcomer</strong>" in page


def test_a_stopped_run_is_not_called_unfinished(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    Run.objects.filter(id=run.id).update(status=Run.Status.STOPPED, solution=None)
    (line,) = signed_in(cast.steward).get(HOME).context["lines"]
    assert line.standing == "The last run was stopped"


def test_pages_look_up_only_what_waits_for_somebody(
    cast: Cast, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """One look for the whole team; where something of a kind waits, these are looked up."""
    factories.make_finished_run(cast.steward, cast.team)
    factories.make_upload(cast.steward, cast.team)
    steward = User.objects.get(pk=cast.steward.pk)
    roles_of(steward, cast.team)
    with django_assert_max_num_queries(2):
        waiting = waiting_for(steward, cast.team)
    assert [line.act for line in waiting] == ["Look"]


def test_whose_turn_it_is(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    steward, approver = signed_in(cast.steward), signed_in(cast.approver)
    assert [line.turn for line in steward.get(HOME).context["lines"]] == ["Steward"]
    assert [line.turn for line in approver.get(HOME).context["lines"]] == ["Steward"]
    assert steward.get(HOME).context["title"] == "One dataset is yours to go on with"
    assert approver.get(HOME).context["title"] == "Nothing is waiting for you"
    (line,) = steward.get(HOME).context["own_shown"]
    assert line.next_act == "Ask for review"
    ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))
    assert [line.turn for line in steward.get(HOME).context["lines"]] == ["Approver"]
    assert [line.turn for line in approver.get(HOME).context["lines"]] == ["you"]
    assert approver.get(HOME).context["title"] == "One thing is waiting for you"
    assert steward.get(HOME).context["title"] == "Nothing is waiting for you"
    assert steward.get(HOME).context["own_shown"] == []


def test_attacks_that_got_through_are_told_where_a_decision_waits(
    cast: Cast, signed_in: SignIn
) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward, "homogeneity")
    ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))
    page = signed_in(cast.approver).get(HOME).content.decode()
    assert "asks for approval: teaching. The one attack made is over its limit." in page


def test_a_release_waits_for_whoever_may_take_it_until_they_do(
    cast: Cast, signed_in: SignIn
) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    analyst = signed_in(cast.analyst)
    assert analyst.get(HOME).context["waiting"] == [], "it is being packed"
    factories.pack(release)
    answer = analyst.get(HOME)
    assert answer.context["title"] == "One thing is waiting for you"
    assert "Patients, release 1 — ready for you" in answer.content.decode()
    assert signed_in(cast.reviewer).get(HOME).context["waiting"] == []
    Grant.objects.filter(release=release, person=cast.analyst).update(taken=1)
    assert analyst.get(HOME).context["title"] == "Nothing is waiting for you"
    Grant.objects.filter(release=release).update(
        taken=0, granted_at=timezone.now() - timedelta(days=15)
    )
    assert analyst.get(HOME).context["waiting"] == []


def test_a_released_dataset_waits_for_nobody(cast: Cast, signed_in: SignIn) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    client = signed_in(cast.steward)
    assert client.get(HOME).context["lines"] == []
    (line,) = client.get(f"{HOME}?show=released").context["lines"]
    assert (line.standing, line.turn) == ("Released", "")
    assert {step.state for step in line.steps} == {"done"}


def test_many_datasets_cost_no_more_queries_than_few(
    cast: Cast,
    signed_in: SignIn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in(cast.steward)
    for _ in range(5):
        factories.make_tagged_dataset(cast.steward, cast.team)
    factories.make_release(cast.steward, cast.approver, cast.team)
    with django_assert_max_num_queries(28):
        assert len(client.get(HOME).context["lines"]) == 5


def test_an_approver_sees_requests_and_an_analyst_only_releases(
    cast: Cast, signed_in: SignIn
) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    page = signed_in(cast.analyst).get(HOME).content.decode()
    assert "Patients, release 1" in page
    assert reverse("datasets:list") not in page
