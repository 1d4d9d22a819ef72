"""Requests that nobody moves: reminders once per period, then expiry."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db.models import F
from pytest_django import Settings
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import Role
from deid_portal.audit.models import Event
from deid_portal.notices.models import Notice
from deid_portal.notices.tasks import mail_due_notices
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.selectors import whose_turn_it_is
from deid_portal.reviews.services import RequestTerms, ask_for_review, decide
from deid_portal.reviews.tasks import remind_and_expire
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def review(cast: Cast) -> ReviewRequest:
    return factories.make_request(cast.steward, cast.team)


def let_days_pass(review: ReviewRequest, days: float) -> None:
    """Move what the request remembers into the past."""
    review.refresh_from_db()
    back = timedelta(days=days)
    reminded_at = review.reminded_at and review.reminded_at - back
    ReviewRequest.objects.filter(id=review.id).update(
        changed_at=review.changed_at - back, reminded_at=reminded_at
    )
    team = review.run.dataset.team
    team.policies.update(changed_at=F("changed_at") - back)


def reminders() -> list[str]:
    told = Notice.objects.filter(kind="review.reminded").order_by("at")
    return list(told.values_list("person__username", flat=True))


def send_back(cast: Cast, review: ReviewRequest) -> None:
    verdict = Decision.Verdict.ASK_FOR_CHANGES
    seen = fingerprints_of(review)
    decide(request=review, decided_by=cast.approver, verdict=verdict, reason="why", seen=seen)


def test_nobody_is_reminded_early(cast: Cast, review: ReviewRequest) -> None:
    let_days_pass(review, 2.9)
    remind_and_expire()
    assert reminders() == []


def test_whoever_has_not_voted_is_reminded_once_per_period(
    cast: Cast, review: ReviewRequest
) -> None:
    factories.allow_small_groups(cast.team, cast.administrator, approvals=2)
    second = factories.make_person("approver2", cast.team, Role.APPROVER)
    factories.make_person("approver3", cast.team, Role.APPROVER)
    decide(
        request=review,
        decided_by=second,
        verdict=Decision.Verdict.APPROVE,
        reason="",
        seen=fingerprints_of(review),
    )
    let_days_pass(review, 3)
    remind_and_expire()
    remind_and_expire()
    assert reminders() == ["approver", "approver3"]
    notice = Notice.objects.filter(kind="review.reminded")[0]
    assert "waiting for a decision for 3 days" in notice.words
    assert notice.asks
    assert Event.objects.get(action="review.reminded").facts == {"people": 2, "days": 3}
    let_days_pass(review, 3)
    remind_and_expire()
    assert len(reminders()) == 4


def test_the_author_is_reminded_of_changes(cast: Cast, review: ReviewRequest) -> None:
    send_back(cast, review)
    let_days_pass(review, 4)
    remind_and_expire()
    assert reminders() == ["steward"]


def test_authors_are_never_reminded_to_decide_on_their_own(
    cast: Cast, review: ReviewRequest
) -> None:
    factories.add_member(team=cast.team, user=cast.steward, roles=[Role.APPROVER], added_by=None)
    assert whose_turn_it_is(review) == [cast.approver]


def test_a_draft_reminds_nobody_and_stays(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    draft = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("x"), as_draft=True)
    let_days_pass(draft, 300)
    remind_and_expire()
    draft.refresh_from_db()
    assert (draft.status, reminders()) == ("draft", [])


@pytest.mark.parametrize("is_sent_back", [False, True])
def test_a_request_expires_although_people_were_reminded(
    is_sent_back: bool, cast: Cast, review: ReviewRequest
) -> None:
    if is_sent_back:
        send_back(cast, review)
    for _ in range(3):
        let_days_pass(review, 10)
        remind_and_expire()
    review.refresh_from_db()
    assert review.status == "expired"
    assert Event.objects.filter(action="review.expired", actor=None).count() == 1
    told = Notice.objects.filter(kind="review.expired").values_list("person__username", flat=True)
    assert set(told) == {"steward", "approver"}
    with pytest.raises(Refused):
        factories.approve(review, cast.approver)
    again = ask_for_review(run=review.run, asked_by=cast.steward, terms=RequestTerms("again"))
    assert again.status == "submitted"


def test_the_policy_turns_both_off(cast: Cast, review: ReviewRequest) -> None:
    factories.allow_small_groups(cast.team, cast.administrator, reminder_days=0, decision_days=0)
    let_days_pass(review, 300)
    remind_and_expire()
    review.refresh_from_db()
    assert (review.status, reminders()) == ("submitted", [])


def test_a_reminder_leaves_by_mail(
    cast: Cast,
    review: ReviewRequest,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MAIL_IS_CONFIGURED, settings.PORTAL_URL = True, "https://portal.example"
    cast.approver.email = "approver@example.org"
    cast.approver.save()
    let_days_pass(review, 3)
    with django_capture_on_commit_callbacks(execute=True):
        remind_and_expire()
    mail_due_notices()
    (sent,) = mail.outbox
    assert sent.to == ["approver@example.org"]
    assert "It is your turn." in sent.subject


def test_a_shorter_time_counts_from_the_day_the_policy_says_it(
    cast: Cast, review: ReviewRequest
) -> None:
    let_days_pass(review, 10)
    factories.allow_small_groups(cast.team, cast.administrator, reminder_days=1, decision_days=5)
    remind_and_expire()
    review.refresh_from_db()
    assert review.status == ReviewRequest.Status.SUBMITTED
    let_days_pass(review, 5)
    remind_and_expire()
    review.refresh_from_db()
    assert review.status == ReviewRequest.Status.EXPIRED
