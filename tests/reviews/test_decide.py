"""Asking, deciding, sending back: who may, in what state, bound to what."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member, set_roles
from deid_portal.audit.models import Event
from deid_portal.releases.models import Release
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.policies import ALLOWED_MOVES, fingerprints_of
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
Status = ReviewRequest.Status


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    return factories.make_request(cast.steward, cast.team)


def _decide(client: Client, review: ReviewRequest, verdict: str, reason: str = ""):  # type: ignore[no-untyped-def]
    form = {"verdict": verdict, "reason": reason, **fingerprints_of(review)}
    return client.post(reverse("reviews:decide", args=[review.id]), form)


def test_approval_makes_the_release(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    assert _decide(signed_in(cast.approver), review, "approve").status_code == 302
    review.refresh_from_db()
    assert review.status == Status.RELEASED
    assert Release.objects.get(request=review).approved_by == cast.approver
    actions = list(Event.objects.order_by("-number").values_list("action", flat=True)[:3])
    assert actions == ["package.requested", "release.created", "review.approved"]


def test_sending_back_needs_a_reason(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    client = signed_in(cast.approver)
    assert _decide(client, review, "ask-for-changes").status_code == 422
    assert _decide(client, review, "ask-for-changes", "Make Zip coarser.").status_code == 302
    review.refresh_from_db()
    assert review.status == Status.CHANGES_REQUESTED
    assert not Release.objects.exists()
    page = signed_in(cast.steward).get(reverse("guide:home")).content.decode()
    assert "One thing is waiting for you" in page


@pytest.mark.parametrize("person", ["steward", "teammate", "reviewer", "administrator"])
def test_others_cannot_decide(
    person: str, cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    answer = _decide(signed_in(getattr(cast, person)), review, "approve")
    assert answer.status_code == 409
    review.refresh_from_db()
    assert review.status == Status.SUBMITTED


def test_the_author_cannot_approve_even_as_approver(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    add_member(team=cast.team, user=cast.steward, roles=[Role.APPROVER], added_by=None)
    client = signed_in(cast.steward)
    assert _decide(client, review, "approve").status_code == 409
    page = client.get(reverse("reviews:show", args=[review.id])).content.decode()
    assert "You prepared this release, so you cannot vote on it." in page
    assert 'aria-disabled="true"' in page


def test_who_chose_the_protection_cannot_approve_what_others_asked_for(
    cast: Cast, signed_in: SignIn
) -> None:
    add_member(team=cast.team, user=cast.steward, roles=[Role.APPROVER], added_by=None)
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.teammate))
    factories.allow_small_groups(cast.team, cast.administrator)
    review = ask_for_review(run=run, asked_by=cast.teammate, terms=RequestTerms("teaching"))
    assert _decide(signed_in(cast.steward), review, "approve").status_code == 409
    assert _decide(signed_in(cast.approver), review, "approve").status_code == 302


def test_a_decision_on_something_else_does_not_count(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    form = {"verdict": "approve", **fingerprints_of(review), "output": "0" * 64}
    answer = signed_in(cast.approver).post(reverse("reviews:decide", args=[review.id]), form)
    assert answer.status_code == 409
    assert "has changed since" in answer.content.decode()
    review.refresh_from_db()
    assert review.status == Status.SUBMITTED


def test_what_changed_is_named_and_the_form_goes_with_what_is_shown_now(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    stale = {
        "verdict": "reject",
        "reason": "Too fine.",
        **fingerprints_of(review),
        "plan": "0" * 64,
    }
    client, there = signed_in(cast.approver), reverse("reviews:decide", args=[review.id])
    page = client.post(there, stale)
    assert page.context["changed"] == [("Plan", "0" * 64, review.plan_sha256)]
    assert "Too fine." in page.content.decode()
    form = page.context["form"]
    names = ("verdict", "reason", "input", "plan", "engine", "output")
    assert client.post(there, {name: form[name].value() for name in names}).status_code == 302


def test_who_comes_second_keeps_what_they_wrote(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    second = factories.make_person("approver2", cast.team, Role.APPROVER)
    _decide(signed_in(cast.approver), review, "reject", "No contract.")
    answer = _decide(signed_in(second), review, "ask-for-changes", "Make Zip coarser.")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "This request is closed: rejected." in page
    assert "What you wrote is kept here" in page
    assert "Make Zip coarser." in page


def test_every_gate_leads_to_its_evidence(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    factories.allow_small_groups(
        cast.team,
        cast.administrator,
        protect_sensitive=True,
        most_left_out_of_group=0.5,
        surest_guess=0.5,
        attacks={"homogeneity": 0.5},
    )
    client = signed_in(cast.approver)
    rows = client.get(reverse("reviews:show", args=[review.id])).context["gates"]
    shown = {row["gate"].name: row["evidence"] for row in rows}
    assert [name for name, evidence in shown.items() if evidence is None] == ["download_days"]
    for evidence in filter(None, shown.values()):
        page = client.get(evidence.url)
        assert page.status_code == 200
        mark = evidence.part.strip("#[]").removeprefix("aria-labelledby=")
        assert f'"{mark}"' in page.content.decode(), evidence.url


def test_the_second_decision_is_refused(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    client = signed_in(cast.approver)
    _decide(client, review, "approve")
    answer = _decide(client, review, "ask-for-changes", "too late")
    assert answer.status_code == 409
    review.refresh_from_db()
    assert review.status == Status.RELEASED


def test_one_request_per_run(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    address = reverse("reviews:ask", args=[review.run_id])
    answer = signed_in(cast.steward).post(address, {"purpose": "again"})
    assert "already asked for" in answer.content.decode()
    assert ReviewRequest.objects.count() == 1


def test_a_request_needs_a_purpose(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    answer = signed_in(cast.steward).post(reverse("reviews:ask", args=[run.id]), {"purpose": ""})
    assert answer.status_code == 422
    assert not ReviewRequest.objects.exists()


def test_the_author_takes_it_back(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    signed_in(cast.teammate).post(reverse("reviews:take-back", args=[review.id]))
    review.refresh_from_db()
    assert review.status == Status.SUBMITTED
    signed_in(cast.steward).post(reverse("reviews:take-back", args=[review.id]))
    review.refresh_from_db()
    assert review.status == Status.WITHDRAWN


def test_a_comment_is_kept_and_its_text_stays_out_of_the_record(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    client = signed_in(cast.reviewer)
    client.post(reverse("reviews:comment", args=[review.id]), {"text": "Why so coarse?"})
    assert (
        "Why so coarse?" in client.get(reverse("reviews:show", args=[review.id])).content.decode()
    )
    event = Event.objects.get(action="review.commented")
    assert "coarse" not in str(event.facts)


def test_those_who_decide_see_no_rows(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    client = signed_in(cast.approver)
    for name, subject in (("reviews:show", review.id), ("reports:report", review.run_id)):
        page = client.get(reverse(name, args=[subject])).content.decode()
        assert "Diabetes" not in page
        assert "never rows" in page


@pytest.mark.parametrize("state", Status.values)
def test_every_state_is_in_the_table_of_moves(state: str) -> None:
    assert state in ALLOWED_MOVES


def test_the_approval_of_somebody_who_is_no_approver_any_more_does_not_count(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    factories.allow_small_groups(cast.team, cast.administrator, approvals=2)
    leaver, third = (
        factories.make_person(name, cast.team, Role.APPROVER) for name in ("leaver", "third")
    )
    _decide(signed_in(leaver), review, "approve")
    set_roles(team=cast.team, user=leaver, roles=[Role.ANALYST], set_by=cast.administrator)
    _decide(signed_in(cast.approver), review, "approve")
    review.refresh_from_db()
    assert review.status == Status.SUBMITTED
    _decide(signed_in(third), review, "approve")
    approvals = Release.objects.get(request=review).statement.document["approvals"]
    assert [own["person"] for own in approvals] == ["Approver", "Third"]
