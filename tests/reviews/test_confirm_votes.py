"""A policy may have votes confirmed with the second factor; nothing filled in is lost."""

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from deid_portal.audit.models import Event
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.services import ask_for_waiver
from tests import factories
from tests.accounts.test_second_factor import SECRET, code_of
from tests.conftest import Cast
from tests.pages import Reader

CODE = "/account/confirm/code/"


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    request = factories.make_request(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, confirm_votes=True)
    return request


@pytest.fixture
def client(cast: Cast) -> Client:
    """The approver, signed in long ago."""
    TOTP.activate(cast.approver, SECRET)
    client = Reader()
    client.force_login(cast.approver)
    return client


def vote(client: Client, review: ReviewRequest) -> HttpResponse:
    form = {"verdict": "ask-for-changes", "reason": "Too fine.", **fingerprints_of(review)}
    return client.post(reverse("reviews:decide", args=[review.id]), form)  # type: ignore[return-value]


def give(client: Client, review: ReviewRequest, code: str) -> HttpResponse:
    back = {"code": code, "next": reverse("reviews:decide", args=[review.id])}
    return client.post(CODE, back)  # type: ignore[return-value]


def test_a_vote_counts_once_the_factor_was_given(review: ReviewRequest, client: Client) -> None:
    page = client.get(reverse("reviews:show", args=[review.id])).content.decode()
    assert "You will be asked for your second factor." in page
    answer = vote(client, review)
    assert answer["Location"].startswith(CODE)
    assert not Decision.objects.exists()
    assert give(client, review, "000000").status_code == 200
    assert not Decision.objects.exists()
    assert give(client, review, code_of(SECRET))["Location"].endswith(f"/reviews/{review.id}/")
    decision = Decision.objects.get()
    assert (decision.verdict, decision.reason) == ("ask-for-changes", "Too fine.")
    assert Event.objects.filter(action="review.changes_requested").count() == 1


def test_the_password_alone_does_not_confirm(review: ReviewRequest, client: Client) -> None:
    there = vote(client, review)["Location"]
    page = client.get(there).content.decode()
    assert "Use your password" not in page
    password = {"password": "password of approver", "next": there}
    client.post(reverse("account_reauthenticate"), password)
    vote(client, review)
    assert not Decision.objects.exists()


def test_who_has_just_given_it_is_not_asked_again(review: ReviewRequest, client: Client) -> None:
    vote(client, review)
    give(client, review, code_of(SECRET))
    page = client.get(reverse("reviews:show", args=[review.id])).content.decode()
    assert "You will be asked for your second factor." not in page


def test_who_has_none_is_told_and_keeps_the_form(cast: Cast, review: ReviewRequest) -> None:
    client = Reader()
    client.force_login(cast.approver)
    answer = vote(client, review)
    assert answer.status_code == 409
    assert "Set one up under Sign-in and devices" in answer.content.decode()
    assert not Decision.objects.exists()


def test_agreeing_to_a_waiver_is_confirmed_too(
    cast: Cast, review: ReviewRequest, client: Client
) -> None:
    factories.allow_small_groups(cast.team, cast.administrator, least_k=5, confirm_votes=True)
    waiver = ask_for_waiver(
        request=review, asked_by=cast.steward, gate="least_k", reason="contract"
    )
    there = reverse("reviews:agree", args=[review.id, waiver.id])
    assert client.post(there)["Location"].startswith(CODE)
    client.post(CODE, {"code": code_of(SECRET), "next": there})
    waiver.refresh_from_db()
    assert waiver.agreed_by == cast.approver
