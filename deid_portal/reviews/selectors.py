from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import has_role
from deid_portal.accounts.selectors import people_with_role
from deid_portal.datasets.selectors import visible_datasets
from deid_portal.querydesk.released_answers import Document, to_documents
from deid_portal.reviews.models import Comment, Decision, ReviewRequest, Waiver
from deid_portal.reviews.permissions import authors_of, team_of_request
from deid_portal.runs.models import Run
from deid_portal.runs.promotion import promoted_run
from deid_portal.runs.selectors import HEAVY

Status = ReviewRequest.Status


def visible_requests(user: User) -> QuerySet[ReviewRequest]:
    deferred = [f"run__{name}" for name in HEAVY]
    return (
        ReviewRequest.objects.filter(run__dataset__in=visible_datasets(user))
        .select_related("run__dataset__team", "run__started_by", "asked_by")
        .defer(*deferred)
    )


def get_request_or_404(user: User, request_id: UUID) -> ReviewRequest:
    return get_object_or_404(visible_requests(user), id=request_id)


def answers_of(request: ReviewRequest) -> list[Document]:
    """Return the noisy answers released with a request."""
    return to_documents(
        request.answers.select_related("terms__dataset", "repeat_of__terms__dataset")
    )


def requests_of_team(user: User, team: Team) -> QuerySet[ReviewRequest]:
    return visible_requests(user).filter(run__dataset__team=team)


def requests_awaiting(user: User, team: Team) -> list[ReviewRequest]:
    """Return the requests that wait for this person: for a vote, a waiver or a correction.

    A request does not wait for somebody who has already voted in this round, except for a waiver.
    """
    waiting = Q(pk=None)
    if has_role(user, team, Role.APPROVER):
        own = Q(asked_by=user) | Q(run__started_by=user) | Q(run__planned_by=user)
        waiting |= Q(status=Status.SUBMITTED) & ~own
    if has_role(user, team, Role.STEWARD):
        waiting |= Q(status=Status.CHANGES_REQUESTED, asked_by=user)
    found = list(requests_of_team(user, team).filter(waiting).order_by("changed_at"))
    voted = set(
        Decision.objects.filter(request__in=found, decided_by=user).values_list(
            "request_id", "round"
        )
    )
    asked_to_agree = set(
        Waiver.objects.filter(request__in=found, agreed_at=None)
        .exclude(asked_by=user)
        .values_list("request_id", "round")
    )
    return [
        request
        for request in found
        if (request.id, request.round) not in voted
        or (request.id, request.round) in asked_to_agree
        or request.status == Status.CHANGES_REQUESTED
    ]


def whose_turn_it_is(request: ReviewRequest) -> list[User]:
    """Return the people whose "awaiting me" lists contain a request."""
    team = team_of_request(request)
    people = {*people_with_role(team, Role.APPROVER), request.asked_by}
    waits = [person for person in people if request in requests_awaiting(person, team)]
    return sorted(waits, key=lambda person: person.username)


def who_may_decide(request: ReviewRequest) -> list[User]:
    """Return the approvers who are not authors of the release."""
    authors = authors_of(request)
    approvers = people_with_role(team_of_request(request), Role.APPROVER)
    return [person for person in approvers if person.pk not in authors]


def better_runs(request: ReviewRequest) -> QuerySet[Run]:
    """Return finished runs of the dataset that could replace the one under review.

    Where a run is promoted, no other is reviewed.
    """
    taken = ReviewRequest.objects.filter(
        run__dataset=request.run.dataset_id,
        status__in=[
            Status.DRAFT,
            Status.SUBMITTED,
            Status.CHANGES_REQUESTED,
            Status.APPROVED,
            Status.RELEASED,
        ],
    ).exclude(id=request.id)
    promoted = promoted_run(request.run.dataset)
    finished = Run.objects.filter(
        dataset=request.run.dataset_id, status=Run.Status.FINISHED, solution=True
    )
    return (
        (finished.filter(id=promoted.id) if promoted is not None else finished)
        .exclude(id__in=taken.values("run_id"))
        .defer(*HEAVY)
        .order_by("-number")
    )


@dataclass(frozen=True)
class ConversationEntry:
    """One line of the conversation: a comment, a vote, or a waiver."""

    at: datetime
    by: User
    text: str
    kind: str  # comment, or the verdict of a vote
    is_void: bool = False
    comment: Comment | None = None

    @property
    def is_open(self) -> bool:
        return self.comment is not None and self.comment.answered_at is None

    @property
    def is_answered(self) -> bool:
        return self.comment is not None and not self.is_open


def conversation_of(request: ReviewRequest) -> list[ConversationEntry]:
    """Return comments and votes in the order they were made."""
    comments = [
        ConversationEntry(row.written_at, row.written_by, row.text, "comment", comment=row)
        for row in request.comments.select_related("written_by")
    ]
    votes = [
        ConversationEntry(
            row.decided_at, row.decided_by, row.reason, row.verdict, row.round != request.round
        )
        for row in request.decisions.select_related("decided_by")
    ]
    return sorted([*comments, *votes], key=lambda entry: entry.at)


@dataclass(frozen=True)
class Block:
    """Consecutive entries, shown or collapsed."""

    entries: list[ConversationEntry]
    is_folded: bool

    @property
    def key(self) -> str:
        """Identifies a block across refreshes of the conversation."""
        return f"folded-{self.entries[0].at:%Y%m%d%H%M%S%f}"


SHORT_ENOUGH = 6
ALWAYS_SHOWN = 2


def fold_answered(entries: list[ConversationEntry]) -> list[Block]:
    """Collapse answered comments in a long conversation, except among its last entries."""
    if len(entries) <= SHORT_ENOUGH:
        return [Block(entries, is_folded=False)]
    last = entries[-ALWAYS_SHOWN:]
    blocks = []
    for is_folded, members in groupby(entries, lambda one: one.is_answered and one not in last):
        blocks.append(Block(list(members), is_folded))
    return blocks


@dataclass(frozen=True)
class RequestPerson:
    """The part that a person has in a request."""

    person: User
    words: str


VOTE_WORDS = {
    Decision.Verdict.APPROVE: "approved",
    Decision.Verdict.ASK_FOR_CHANGES: "asked for changes",
    Decision.Verdict.REJECT: "rejected",
}


def standings_of_people(request: ReviewRequest) -> list[RequestPerson]:
    """Describe what everybody who can vote or comment, and every author, has done so far."""
    team, authors = team_of_request(request), authors_of(request)
    votes = {
        vote.decided_by_id: VOTE_WORDS[Decision.Verdict(vote.verdict)]
        for vote in request.decisions.filter(round=request.round)
    }
    agreed = set(request.waivers.filter(round=request.round).values_list("agreed_by_id", flat=True))
    talked = set(request.comments.values_list("written_by_id", flat=True))
    people = [
        RequestPerson(person, _approver_words(person, votes, agreed, request))
        for person in who_may_decide(request)
    ]
    people += [
        RequestPerson(person, "commented, cannot vote" if person.pk in talked else "can comment")
        for person in people_with_role(team, Role.REVIEWER)
        if person.pk not in authors and person not in [one.person for one in people]
    ]
    prepared = User.objects.filter(pk__in=authors).order_by("username")
    return [*people, *(RequestPerson(person, "author, can never vote") for person in prepared)]


def _approver_words(
    person: User, votes: dict[int, str], agreed: set[int], request: ReviewRequest
) -> str:
    if person.pk in votes:
        return votes[person.pk]
    waits = "not voted" if request.status == Status.SUBMITTED else "approver"
    return f"agreed to a waiver, {waits}" if person.pk in agreed else waits


def turn_words(request: ReviewRequest, *, is_mine: bool) -> str:
    """Say whose turn it is."""
    if is_mine:
        return "your turn"
    if request.status == Status.SUBMITTED:
        return "the approvers’ turn"
    if request.status in (Status.DRAFT, Status.CHANGES_REQUESTED):
        return f"{request.asked_by.display_name}’s turn"
    if request.status == Status.APPROVED:
        return "the portal is working"
    return ""
