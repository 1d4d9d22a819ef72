"""Who is notified about a review request, and of what. Never of the text of a comment."""

from collections.abc import Iterable

from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.notices.services import tell
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.selectors import who_may_decide

Status = ReviewRequest.Status


def tell_that_it_was_asked(request: ReviewRequest) -> None:
    asked_by = request.asked_by.display_name
    words = f"{request} waits for a decision; {asked_by} asks."
    _tell(who_may_decide(request), words, "review.asked", request, asks=True)


def tell_that_votes_are_void(request: ReviewRequest) -> None:
    words = f"{request} now holds another release. Votes given before are void; look again."
    _tell(who_may_decide(request), words, "review.resubmitted", request, asks=True)


def tell_that_it_was_decided(request: ReviewRequest, decided_by: User) -> None:
    if request.status == Status.CHANGES_REQUESTED:
        words = f"{request} was sent back: changes are asked for."
        kind, asks = "review.changes_requested", True
    else:
        words = f"{request} was {request.get_status_display().lower()}."
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
