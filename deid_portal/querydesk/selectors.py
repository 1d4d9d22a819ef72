from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Membership, Role, Team, User
from deid_portal.accounts.permissions import DATASET_ROLES, has_role
from deid_portal.accounts.selectors import teams_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import datasets_of_team
from deid_portal.querydesk.models import Desk, Draft, Question, Terms, Wish
from deid_portal.querydesk.prices import PricedQuestion
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus


def visible_desks(user: User) -> QuerySet[Desk]:
    """Return the desks visible to a person.

    People who manage datasets see all of their team. Analysts see open desks, and those at which
    they have asked, because they keep their answers.
    """
    looks_after = Membership.objects.filter(
        user=user, team=OuterRef("team"), role__in=DATASET_ROLES
    )
    has_asked = Question.objects.filter(desk=OuterRef("pk"), asked_by=user)
    desks = Desk.objects.filter(team__in=teams_of(user))
    return (
        desks.filter(Exists(looks_after) | Q(closed_at=None) | Exists(has_asked))
        .select_related("team")
        .prefetch_related(Prefetch("terms", Terms.objects.select_related("dataset", "set_by")))
    )


def desks_of_team(user: User, team: Team) -> list[Desk]:
    """Return the team's desks, open ones first, then by name."""
    desks = visible_desks(user).filter(team=team)
    return sorted(desks, key=lambda desk: (not desk.is_open, desk.current.dataset.name.lower()))


def get_desk_or_404(user: User, desk_id: UUID) -> Desk:
    return get_object_or_404(visible_desks(user), id=desk_id)


def desk_of(dataset: Dataset) -> Desk | None:
    """Return the desk of a dataset; all its versions share one."""
    return Desk.objects.filter(series=dataset.series).first()


def datasets_to_open(user: User, team: Team) -> list[Dataset]:
    """Return the datasets that can be opened for questions, by name."""
    ready = datasets_of_team(user, team).filter(state=Dataset.State.READY)
    is_open = Desk.objects.filter(series=OuterRef("series"), closed_at=None)
    return list(ready.filter(~Exists(is_open)).order_by("name"))


def stored_answer(desk: Desk, terms: Terms, priced: PricedQuestion) -> Question | None:
    """Return an answered or queued question that is identical to this one.

    The fingerprint covers the question, its price and the declared setting; the table must be the
    same. Whoever paid for it: repeating an answer costs no further privacy.
    """
    good = [WorkStatus.FINISHED, *OPEN_STATUSES]
    return (
        desk.questions.filter(
            fingerprint=priced.fingerprint,
            table_id=terms.dataset.table_id,
            repeat_of=None,
            status__in=good,
        )
        .order_by("queued_at")
        .first()
    )


def closer_answer(desk: Desk, terms: Terms, priced: PricedQuestion) -> Question | None:
    """Return the best stored answer to the same question, if it is more exact."""
    best = best_answer(desk, terms, priced.topic)
    return best if best is not None and best.price_micro > priced.micro else None


def best_answer(desk: Desk, terms: Terms, topic: str) -> Question | None:
    """Return the most exact stored answer to a question, at whatever price."""
    return (
        desk.questions.filter(
            topic=topic,
            table_id=terms.dataset.table_id,
            repeat_of=None,
            status=WorkStatus.FINISHED,
        )
        .order_by("-price_micro")
        .first()
    )


def questions_of(desk: Desk, person: User) -> QuerySet[Question]:
    """Return a person's questions, the last first; answers are decrypted when shown."""
    return desk.questions.filter(asked_by=person).select_related("repeat_of", "terms__dataset")


def find_questions(desk: Desk, person: User, wanted: str, kind: str) -> list[Question]:
    """Return a person's questions of a kind whose words hold all that is looked for.

    The words are sealed, so they are opened and compared here, not in the database.
    """
    questions = questions_of(desk, person).defer("answer")
    if kind:
        questions = questions.filter(kind=kind)
    parts = wanted.casefold().split()
    return [
        question
        for question in questions
        if all(part in str(question.words).casefold() for part in parts)
    ]


def get_question_or_404(user: User, question_id: UUID) -> Question:
    """Return a question of the person: nobody else sees its answer."""
    questions = Question.objects.filter(asked_by=user, desk__in=visible_desks(user))
    return get_object_or_404(
        questions.select_related("desk__team", "terms__dataset", "repeat_of"), id=question_id
    )


def drafts_of(desk: Desk, person: User) -> QuerySet[Draft]:
    return desk.drafts.filter(person=person)


def get_draft_or_404(user: User, draft_id: UUID) -> Draft:
    return get_object_or_404(
        Draft.objects.filter(person=user, desk__in=visible_desks(user)), id=draft_id
    )


def get_wish_or_404(user: User, wish_id: UUID) -> Wish:
    """Return a wish at a desk the person manages, or their own."""
    looks_after = Q(
        desk__team__memberships__user=user, desk__team__memberships__role__in=DATASET_ROLES
    )
    wishes = Wish.objects.filter(looks_after | Q(asked_by=user), desk__in=visible_desks(user))
    return get_object_or_404(
        wishes.select_related("desk__team", "asked_by", "decided_by").distinct(), id=wish_id
    )


def waiting_wish(desk: Desk, person: User) -> Wish | None:
    return desk.wishes.filter(asked_by=person, status=Wish.Status.WAITING).first()


def wishes_awaiting(user: User, team: Team) -> list[Wish]:
    """Return the wishes this person could decide on, the oldest first."""
    if not has_role(user, team, Role.APPROVER):
        return []
    waiting = Wish.objects.filter(desk__team=team, status=Wish.Status.WAITING)
    return list(
        waiting.exclude(asked_by=user).select_related("desk", "asked_by").order_by("asked_at")
    )
