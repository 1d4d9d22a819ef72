"""A gate that fails is let pass for a written reason, once a second person agrees."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member
from deid_portal.audit.models import Event
from deid_portal.releases.models import Release
from deid_portal.reviews.gates import gates_of
from deid_portal.reviews.models import ReviewRequest, Waiver
from deid_portal.reviews.services import agree_to_waiver, ask_for_waiver
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
REASON = "The recipient is bound by contract."


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    """A request whose smallest group is too small for the policy, and nothing else is wrong."""
    request = factories.make_request(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, least_k=5)
    return request


def ask(review: ReviewRequest, asked_by: User) -> Waiver:
    return ask_for_waiver(request=review, asked_by=asked_by, gate="least_k", reason=REASON)


def test_a_failing_gate_closes_the_approval(cast: Cast, review: ReviewRequest) -> None:
    assert gates_of(review).title == "One gate fails, so this cannot be approved yet"
    with pytest.raises(Refused, match="Opens when no gate fails"):
        factories.approve(review, cast.approver)


def test_asking_alone_opens_nothing(cast: Cast, review: ReviewRequest) -> None:
    ask(review, cast.steward)
    with pytest.raises(Refused, match="Opens when no gate fails"):
        factories.approve(review, cast.approver)


def test_a_second_person_agrees_and_it_can_be_approved(
    cast: Cast, review: ReviewRequest, signed_in: SignIn
) -> None:
    there = reverse("reviews:waive", args=[review.id])
    signed_in(cast.steward).post(there, {"gate": "least_k", "reason": REASON})
    waiver = review.waivers.get()
    signed_in(cast.approver).post(reverse("reviews:agree", args=[review.id, waiver.id]))
    checked = gates_of(review)
    assert (checked.fails, checked.waived) == (0, 1)
    assert isinstance(factories.approve(review, cast.approver), Release)
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"review.waiver_asked", "review.waiver_agreed"} <= actions
    assert REASON not in str(list(Event.objects.values_list("facts", flat=True)))


def test_nobody_agrees_to_their_own_waiver(cast: Cast, review: ReviewRequest) -> None:
    waiver = ask(review, cast.approver)
    with pytest.raises(Refused, match="a second person has to agree"):
        agree_to_waiver(waiver=waiver, agreed_by=cast.approver)


def test_authors_never_agree(cast: Cast, review: ReviewRequest) -> None:
    add_member(team=cast.team, user=cast.steward, roles=[Role.APPROVER], added_by=None)
    waiver = ask(review, cast.approver)
    with pytest.raises(Refused, match="You prepared this release"):
        agree_to_waiver(waiver=waiver, agreed_by=cast.steward)


@pytest.mark.parametrize("person", ["teammate", "reviewer", "administrator"])
def test_only_approvers_agree(person: str, cast: Cast, review: ReviewRequest) -> None:
    waiver = ask(review, cast.steward)
    with pytest.raises(Refused):
        agree_to_waiver(waiver=waiver, agreed_by=getattr(cast, person))


def test_a_waiver_needs_a_reason(cast: Cast, review: ReviewRequest, signed_in: SignIn) -> None:
    there = reverse("reviews:waive", args=[review.id])
    answer = signed_in(cast.steward).post(there, {"gate": "least_k", "reason": " "})
    assert answer.status_code == 422
    assert "printed on the certificate" in answer.content.decode()
    assert not review.waivers.exists()


def test_a_gate_that_passes_cannot_be_waived(cast: Cast, review: ReviewRequest) -> None:
    with pytest.raises(Refused, match="nothing to waive"):
        ask_for_waiver(request=review, asked_by=cast.steward, gate="most_left_out", reason=REASON)
