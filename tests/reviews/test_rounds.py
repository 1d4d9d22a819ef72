"""Votes are on one exact request: any change to it starts a new round."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, connections
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.audit.models import Event
from deid_portal.plans.services import choose_protection
from deid_portal.releases.models import Release
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.selectors import better_runs, requests_awaiting
from deid_portal.reviews.services import approvals_of, decide, resubmit
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promote_run
from deid_portal.runs.services import start_run
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast
from tests.patience import PATIENCE

SignIn = Callable[[User], Client]
Verdict = Decision.Verdict


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    request = factories.make_request(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, approvals=2)
    return request


@pytest.fixture
def second_approver(cast: Cast) -> User:
    return factories.make_person("approver2", cast.team, Role.APPROVER)


def vote(request: ReviewRequest, person: User, verdict: Verdict = Verdict.APPROVE) -> Decision:
    return decide(
        request=request,
        decided_by=person,
        verdict=verdict,
        reason="because",
        seen=fingerprints_of(request),
    )


def other_run(cast: Cast, review: ReviewRequest) -> Run:
    """A run of a plan that differs in a number."""
    dataset = review.run.dataset
    method = {**factories.METHOD, "suppression_limit": 0.5}
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=factories.RULES, method=method)
    dataset.refresh_from_db()
    return factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))


def test_it_takes_as_many_as_the_policy_asks(
    cast: Cast, review: ReviewRequest, second_approver: User
) -> None:
    vote(review, cast.approver)
    review.refresh_from_db()
    assert (review.status, approvals_of(review)) == ("submitted", 1)
    vote(review, second_approver)
    review.refresh_from_db()
    assert review.status == "released"
    assert Release.objects.count() == 1


def test_one_person_counts_once_and_may_change_their_mind(
    cast: Cast, review: ReviewRequest
) -> None:
    vote(review, cast.approver)
    vote(review, cast.approver)
    assert approvals_of(review) == 1
    vote(review, cast.approver, Verdict.REJECT)
    review.refresh_from_db()
    assert review.status == "rejected"


def test_another_run_makes_votes_void_visibly(
    cast: Cast, review: ReviewRequest, second_approver: User, signed_in: SignIn
) -> None:
    vote(review, cast.approver)
    run = other_run(cast, review)
    signed_in(cast.steward).post(
        reverse("reviews:submit", args=[review.id]), {"run": str(run.id), "is_sure": "on"}
    )
    review.refresh_from_db()
    assert (review.round, review.run_id, approvals_of(review)) == (2, run.id, 0)
    page = signed_in(second_approver).get(reverse("reviews:show", args=[review.id]))
    assert "1 vote given before is void" in page.content.decode()
    vote(review, second_approver)
    review.refresh_from_db()
    assert review.status == "submitted"
    event = Event.objects.get(action="review.resubmitted")
    assert event.facts["votes_voided"] == 1


def test_changes_are_asked_for_and_answered(cast: Cast, review: ReviewRequest) -> None:
    vote(review, cast.approver, Verdict.ASK_FOR_CHANGES)
    assert [r.id for r in requests_awaiting(cast.steward, cast.team)] == [review.id]
    run = other_run(cast, review)
    resubmit(request=review, run=run, submitted_by=cast.steward)
    assert requests_awaiting(cast.steward, cast.team) == []
    assert [r.id for r in requests_awaiting(cast.approver, cast.team)] == [review.id]


def test_whoever_has_voted_is_not_waited_for(cast: Cast, review: ReviewRequest) -> None:
    vote(review, cast.approver)
    assert requests_awaiting(cast.approver, cast.team) == []


def test_the_same_run_again_is_refused_while_it_is_voted_on(
    cast: Cast, review: ReviewRequest
) -> None:
    with pytest.raises(Refused, match="already"):
        resubmit(request=review, run=review.run, submitted_by=cast.steward)


def test_a_run_of_another_dataset_is_refused(cast: Cast, review: ReviewRequest) -> None:
    foreign = factories.make_finished_run(cast.steward, cast.team)
    with pytest.raises(Refused, match="another dataset"):
        resubmit(request=review, run=foreign, submitted_by=cast.steward)


@pytest.mark.django_db(transaction=True)
def test_two_approvers_at_the_same_instant_make_one_release(cast: Cast) -> None:
    """Both votes count, the release is made once, whoever comes second."""
    second = factories.make_person("approver2", cast.team, Role.APPROVER)
    request = factories.make_request(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, approvals=2)
    gate = threading.Barrier(2)
    problems: list[BaseException] = []

    def vote_at_once(person: User) -> None:
        try:
            gate.wait(PATIENCE)
            vote(ReviewRequest.objects.get(id=request.id), person)
        except BaseException as error:
            problems.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=vote_at_once, args=[p]) for p in (cast.approver, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    request.refresh_from_db()
    assert request.status == "released"
    assert Release.objects.filter(request=request).count() == 1
    assert approvals_of(request) == 2
    assert connection.vendor in ("sqlite", "postgresql")


def test_other_terms_make_votes_void_too(
    cast: Cast, review: ReviewRequest, second_approver: User, signed_in: SignIn
) -> None:
    """Who gets it is no fingerprint; so it changes in a new round alone."""
    stale = {"verdict": "approve", **fingerprints_of(review), "round": str(review.round)}
    vote(review, cast.approver)
    vote(review, second_approver, Verdict.ASK_FOR_CHANGES)
    answers = {"purpose": "other people", "download_days": "5", "downloads_per_person": "1"}
    client = signed_in(cast.steward)
    page = client.get(reverse("reviews:show", args=[review.id])).content.decode()
    assert "Change who gets it" in page
    client.post(reverse("reviews:edit", args=[review.id]), answers)
    review.refresh_from_db()
    assert (review.status, review.purpose, review.round) == ("submitted", "other people", 2)
    assert approvals_of(review) == 0
    late = signed_in(second_approver).post(reverse("reviews:decide", args=[review.id]), stale)
    assert late.status_code == 409
    assert approvals_of(review) == 0


def test_terms_of_what_is_voted_on_stay(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    answers = {"purpose": "other people", "download_days": "5", "downloads_per_person": "1"}
    signed_in(cast.steward).post(reverse("reviews:edit", args=[review.id]), answers)
    review.refresh_from_db()
    assert review.purpose == "teaching file"


def test_another_run_takes_its_place_only_when_that_is_confirmed(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    client, there = signed_in(cast.steward), reverse("reviews:show", args=[review.id])
    assert "Submit another run" not in client.get(there).content.decode(), "there is none yet"
    run = other_run(cast, review)
    form = client.get(there).context["resubmit_form"]
    assert next(str(label) for _, label in form.fields["run"].choices) == "Choose a run"
    assert str(run.pk) in str(form["run"])
    assert str(review.run_id) not in str(form["run"])
    assert f"Run {review.run.number} is submitted." in client.get(there).content.decode()
    answer = client.post(
        reverse("reviews:submit", args=[review.id]), {"run": str(run.pk)}, follow=True
    )
    assert "Confirm that it takes the place of run 1." in answer.content.decode()
    review.refresh_from_db()
    assert review.run_id != run.pk


def test_where_a_run_is_promoted_no_other_is_offered(cast: Cast, review: ReviewRequest) -> None:
    other_run(cast, review)
    assert len(better_runs(review)) == 2
    promote_run(run=review.run, promoted_by=cast.steward)
    assert list(better_runs(ReviewRequest.objects.get(id=review.id))) == [review.run]
