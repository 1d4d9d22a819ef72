"""Who is notified about a review request, and of what. Never of the text of a comment."""

from collections.abc import Iterable

from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.selectors import attack_summary_of
from deid_portal.engine.wording.words import capital
from deid_portal.notices.services import tell
from deid_portal.policies.gates import GateTally, attacks_in_words
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.selectors import who_may_decide
from deid_portal.work.leases import OPEN_STATUSES

Status = ReviewRequest.Status
TOLD_OF_ATTACKS = (Status.SUBMITTED, Status.APPROVED, Status.RELEASED)


def tell_that_it_was_asked(request: ReviewRequest, tally: GateTally) -> None:
    asked_by = request.asked_by.display_name
    words = f"{request} waits for a decision; {asked_by} asks. {capital(tally.sentence)}."
    _tell(who_may_decide(request), words, "review.asked", request, asks=True)


def tell_if_attacks_got_through(test: AttackTest) -> None:
    """Tell whoever decides or decided if attacks on what a request is about are over their limit.

    Told once for all attacks that were at work together, when the last of them has ended.
    """
    run = test.run
    about = run.requests.filter(status__in=TOLD_OF_ATTACKS, output_sha256=test.output_sha256)
    request = about.select_related("run__dataset__team", "asked_by").first()
    if request is None or run.attack_tests.filter(status__in=OPEN_STATUSES).exists():
        return
    summary = attack_summary_of(run)
    if not any(_began_in_this_round(row.test, request) for row in summary.over):
        return
    words = f"{request}: {attacks_in_words(summary.answered, len(summary.over))}."
    waits = request.status == Status.SUBMITTED
    follows = "Look again before you decide." if waits else "It was approved before; look again."
    people = [*who_may_decide(request), *_authors(request)]
    _tell(people, f"{words} {follows}", "review.attacked", request, asks=waits)


def _began_in_this_round(test: AttackTest | None, request: ReviewRequest) -> bool:
    began = request.round_began_at or request.asked_at
    return test is not None and test.finished_at is not None and test.finished_at >= began


def tell_that_votes_are_void(request: ReviewRequest, tally: GateTally) -> None:
    void = "Votes given before are void; look again."
    words = f"{request} now holds another release. {void} {capital(tally.sentence)}."
    _tell(who_may_decide(request), words, "review.resubmitted", request, asks=True)


def tell_that_it_was_decided(request: ReviewRequest, decided_by: User, tally: GateTally) -> None:
    if request.status == Status.CHANGES_REQUESTED:
        words = f"{request} was sent back: changes are asked for."
        kind, asks = "review.changes_requested", True
    else:
        was = request.get_status_display().lower()
        words = f"{request} was {was}. {capital(tally.sentence)}."
        kind, asks = f"review.{request.status}", False
    _tell(_authors(request), words, kind, request, asks=asks, but=decided_by)


def tell_that_request_was_withdrawn(request: ReviewRequest, withdrawn_by: User) -> None:
    words = f"{request} was withdrawn; there is nothing to decide any more."
    _tell(who_may_decide(request), words, "review.withdrawn", request, but=withdrawn_by)


def tell_that_it_still_waits(request: ReviewRequest, people: Iterable[User], days: int) -> None:
    since = "since yesterday" if days == 1 else f"for {days} days"
    what = "an answer" if request.status == Status.CHANGES_REQUESTED else "a decision"
    words = f"{request} has been waiting for {what} {since}. It is your turn."
    _tell(people, words, "review.reminded", request, asks=True)


def tell_that_request_expired(request: ReviewRequest) -> None:
    words = f"{request} expired: nobody moved it in time. Its author may ask again."
    _tell([*_authors(request), *who_may_decide(request)], words, "review.expired", request)


def tell_that_it_was_commented(request: ReviewRequest, written_by: User) -> None:
    said = [comment.written_by for comment in request.comments.select_related("written_by")]
    decided = [made.decided_by for made in request.decisions.select_related("decided_by")]
    words = f"{request} has a new comment by {written_by.display_name}."
    people = [*_authors(request), *said, *decided]
    _tell(people, words, "review.commented", request, but=written_by)


def _tell(
    people: Iterable[User],
    words: str,
    kind: str,
    request: ReviewRequest,
    *,
    asks: bool = False,
    but: User | None = None,
) -> None:
    url = reverse("reviews:show", args=[request.id])
    tell(people, words, kind=kind, url=url, team=request.run.dataset.team, asks=asks, but=but)


def _authors(request: ReviewRequest) -> list[User]:
    return [request.asked_by, request.run.started_by, request.run.planned_by]
