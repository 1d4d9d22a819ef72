"""Noisy answers of the query desk go through the review of the release they go out with."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.audit.models import Event
from deid_portal.querydesk.models import Desk, Question
from deid_portal.querydesk.released_answers import read_answers, sum_prices, to_documents
from deid_portal.releases.models import Release
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.services import (
    RequestTerms,
    approvals_of,
    ask_for_review,
    decide,
    resubmit,
)
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
FORM = {"purpose": "teaching file", "download_days": "5", "downloads_per_person": "1"}


@pytest.fixture
def run(cast: Cast) -> Run:
    run = factories.make_finished_run(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, approvals=2)
    return run


@pytest.fixture
def desk(cast: Cast, run: Run) -> Desk:
    return factories.make_desk(cast.steward, cast.team, run.dataset)


@pytest.fixture
def own(cast: Cast, desk: Desk) -> Question:
    return answer(desk, cast.steward)


def answer(desk: Desk, person: User, **document: Any) -> Question:
    return factories.answer_question(factories.ask_about(desk, person, **document))


def asked(cast: Cast, run: Run, *answers: Question) -> ReviewRequest:
    terms = RequestTerms("teaching file", answers=answers)
    return ask_for_review(run=run, asked_by=cast.steward, terms=terms)


def vote(request: ReviewRequest, person: User, verdict: str = "approve") -> None:
    seen = fingerprints_of(request)
    kind = Decision.Verdict(verdict)
    decide(request=request, decided_by=person, verdict=kind, reason="because", seen=seen)


def test_ask_with_an_answer(cast: Cast, run: Run, own: Question, signed_in: SignIn) -> None:
    client, address = signed_in(cast.steward), reverse("reviews:ask", args=[run.id])
    assert "Noisy answers to hand over with it" in client.get(address).content.decode()
    client.post(address, {**FORM, "answers": [str(own.id)]})
    review = ReviewRequest.objects.get()
    assert list(review.answers.all()) == [own]
    assert fingerprints_of(review)["answers"] == review.answers_sha256 != ""
    facts = Event.objects.get(action="review.asked").facts
    assert facts == {"output_sha256": run.output_sha256, "answers": 1}


def test_an_answer_leads_to_the_request_it_could_go_with(
    cast: Cast, run: Run, desk: Desk, own: Question, signed_in: SignIn
) -> None:
    link = f'href="{reverse("reviews:ask", args=[run.id])}"'
    answer(desk, cast.analyst, epsilon=0.5)
    address = f"/query-desk/{desk.id}/"
    assert link in signed_in(cast.steward).get(address).content.decode()
    assert link not in signed_in(cast.analyst).get(address).content.decode()
    asked(cast, run, own)
    assert link not in signed_in(cast.steward).get(address).content.decode()


def test_without_answers_nothing_is_said_of_them(
    cast: Cast, run: Run, desk: Desk, signed_in: SignIn
) -> None:
    answer(desk, cast.analyst)
    page = signed_in(cast.steward).get(reverse("reviews:ask", args=[run.id])).content.decode()
    assert "Noisy answers" not in page
    assert set(fingerprints_of(asked(cast, run))) == {"input", "plan", "engine", "output"}


def test_those_who_decide_see_question_answer_and_price(
    cast: Cast, run: Run, own: Question, signed_in: SignIn
) -> None:
    review = asked(cast, run, own)
    page = signed_in(cast.approver).get(reverse("reviews:show", args=[review.id])).content.decode()
    (read,) = read_answers(to_documents([own]))
    for words in ("that of the noisy answers", read.words, read.said, "ε 1", "one row is added"):
        assert words in page, words


def test_an_answer_in_a_draft_is_still_the_askers_alone(
    cast: Cast, run: Run, own: Question, signed_in: SignIn
) -> None:
    terms = RequestTerms("teaching file", answers=[own])
    draft = ask_for_review(run=run, asked_by=cast.steward, terms=terms, as_draft=True)
    address = reverse("reviews:show", args=[draft.id])
    assert "Noisy answers handed over" in signed_in(cast.steward).get(address).content.decode()
    assert "Noisy answers handed over" not in signed_in(cast.approver).get(address).content.decode()


def test_somebody_elses_answer_is_refused(
    cast: Cast, run: Run, desk: Desk, own: Question, signed_in: SignIn
) -> None:
    other = answer(desk, cast.analyst, epsilon=0.5)
    with pytest.raises(Refused, match="your own questions"):
        asked(cast, run, own, other)
    address = reverse("reviews:ask", args=[run.id])
    refused = signed_in(cast.steward).post(address, {**FORM, "answers": [str(other.id)]})
    assert refused.status_code == 422
    assert not ReviewRequest.objects.exists()


def test_neither_an_open_question_nor_one_about_another_dataset(
    cast: Cast, run: Run, desk: Desk
) -> None:
    elsewhere = answer(factories.make_desk(cast.steward, cast.team), cast.steward)
    for question in (factories.ask_about(desk, cast.steward), elsewhere):
        with pytest.raises(Refused, match="your own questions"):
            asked(cast, run, question)


def test_other_answers_make_votes_void(
    cast: Cast, run: Run, desk: Desk, own: Question, signed_in: SignIn
) -> None:
    review = asked(cast, run, own)
    stale = {"verdict": "approve", **fingerprints_of(review)}
    second = factories.make_person("approver2", cast.team, Role.APPROVER)
    vote(review, cast.approver)
    vote(review, second, "ask-for-changes")
    more = answer(desk, cast.steward, epsilon=0.5)
    form = {**FORM, "answers": [str(own.id), str(more.id)]}
    signed_in(cast.steward).post(reverse("reviews:edit", args=[review.id]), form)
    review.refresh_from_db()
    assert (review.status, review.round, approvals_of(review)) == ("submitted", 2, 0)
    late = signed_in(second).post(reverse("reviews:decide", args=[review.id]), stale)
    assert late.status_code == 409
    assert ("Noisy answers", stale["answers"], review.answers_sha256) in late.context["changed"]
    unseen = {name: value for name, value in stale.items() if name != "answers"}
    assert signed_in(second).post(
        reverse("reviews:decide", args=[review.id]), unseen
    ).status_code == 409  # fmt: skip
    assert approvals_of(review) == 0


def test_answers_of_what_is_voted_on_stay(
    cast: Cast, run: Run, own: Question, signed_in: SignIn
) -> None:
    review = asked(cast, run, own)
    signed_in(cast.steward).post(reverse("reviews:edit", args=[review.id]), FORM)
    review.refresh_from_db()
    assert review.answers.count() == 1
    with pytest.raises(Refused, match="already"):
        resubmit(request=review, run=run, submitted_by=cast.steward)


def test_an_answer_that_is_another_one_now_is_not_released(
    cast: Cast, run: Run, own: Question
) -> None:
    review = asked(cast, run, own)
    factories.allow_small_groups(cast.team, cast.administrator)
    own.answer = {**own.answer, "value": 999}
    own.save()
    with pytest.raises(Refused, match="not those that were asked for"):
        vote(review, cast.approver)
    assert not Release.objects.exists()
    assert approvals_of(review) == 0


def test_the_same_answer_counts_once(cast: Cast, desk: Desk, own: Question) -> None:
    repeated = factories.ask_about(desk, cast.steward)
    assert repeated.source == own
    documents = to_documents([own, repeated])
    assert [document["id"] for document in documents] == [str(own.id)]
    cheaper = answer(desk, cast.steward, epsilon=0.5)
    in_all = sum_prices(read_answers(to_documents([own, repeated, cheaper])))
    assert in_all == ["ε 1.50 in all, where one row is added or taken away"]


def test_a_free_repeat_of_anothers_question_is_ones_own(cast: Cast, run: Run, desk: Desk) -> None:
    paid = answer(desk, cast.analyst)
    free = factories.ask_about(desk, cast.steward)
    review = asked(cast, run, free)
    (document,) = to_documents(review.answers.all())
    assert document["id"] == str(paid.id)
