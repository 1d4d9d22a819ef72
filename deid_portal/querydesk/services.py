"""Asking, and all other changes of a desk. Every change leaves an audit record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.selectors import people_with_role
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.notices.services import tell
from deid_portal.querydesk.amounts import shown
from deid_portal.querydesk.ledger import give_back, lock, note_free, pay
from deid_portal.querydesk.models import Desk, Draft, Period, Question, Terms
from deid_portal.querydesk.permissions import check_may_ask_questions, check_may_open
from deid_portal.querydesk.policies import check_answers, check_same_terms, check_setting_fits
from deid_portal.querydesk.prices import PricedQuestion, price_question, setting_of
from deid_portal.querydesk.selectors import stored_answer
from deid_portal.querydesk.tasks import answer_question
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus, queue, request_stop


@dataclass(frozen=True)
class DeskOffer:
    """What a steward offers: the declared setting and the budgets, in millionths of ε."""

    setting: Mapping[str, Any]
    total_micro: int
    analyst_micro: int
    period: Period
    smallest_micro: int
    pool_micro: int | None = None
    delta_total_atto: int = 0


@transaction.atomic
def open_desk(*, dataset: Dataset, opened_by: User, offer: DeskOffer) -> Desk:
    """Open a dataset for questions, or change the terms of an open one.

    What was spent under earlier terms, of this version or an older one, stays spent.
    """
    check_may_open(opened_by, dataset.team)
    check_is_ready(dataset)
    # Serializes simultaneous requests, also before the desk exists.
    Dataset.objects.select_for_update().get(id=dataset.id)
    desk, is_new = Desk.objects.get_or_create(
        series=dataset.series, defaults={"team": dataset.team}
    )
    desk = lock(desk)
    last = None if is_new else desk.current
    terms = Terms(
        desk=desk,
        number=1 if last is None else last.number + 1,
        dataset=dataset,
        setting=dict(offer.setting),
        total_micro=offer.total_micro,
        analyst_micro=offer.analyst_micro,
        pool_micro=offer.pool_micro,
        period=offer.period,
        smallest_micro=offer.smallest_micro,
        delta_total_atto=offer.delta_total_atto,
        set_by=opened_by,
    )
    # Refuses a setting that the engine would not accept.
    check_setting_fits(dataset, setting_of(terms))
    terms.save()
    action = "desk.terms_changed" if last is not None and desk.is_open else "desk.opened"
    if not desk.is_open:
        desk.closed_at = None
        desk.save(update_fields=["closed_at"])
    record_event(
        action, actor=opened_by, team=dataset.team, subject=dataset, facts=_facts_of(terms)
    )
    _tell_approvers(terms, last)
    return desk


def _tell_approvers(terms: Terms, last: Terms | None) -> None:
    """Notify approvers, since a steward sets the total alone."""
    name, total = terms.set_by.display_name, shown(terms.total_micro)
    if last is None:
        words = f"{name} opened {terms.dataset} for questions, for ε {total} in all."
    elif terms.total_micro > last.total_micro:
        words = (
            f"{name} raised what may ever be spent on questions about {terms.dataset} from "
            f"ε {shown(last.total_micro)} to ε {total}."
        )
    else:
        return
    tell(
        people_with_role(terms.dataset.team, Role.APPROVER),
        words,
        kind="desk.opened" if last is None else "budget.raised",
        url=reverse("querydesk:accounts", args=[terms.desk_id]),
        team=terms.dataset.team,
        but=terms.set_by,
    )


def _facts_of(terms: Terms) -> dict[str, Any]:
    """Return numbers and names of columns for the audit record, without declared values."""
    return {
        "terms": terms.number,
        "version": terms.dataset.version,
        "columns": sorted(terms.setting["domains"]),
        **setting_of(terms).relation(),
        "total_micro": terms.total_micro,
        "analyst_micro": terms.analyst_micro,
        "pool_micro": terms.pool_micro,
        "period": terms.period,
        "smallest_micro": terms.smallest_micro,
    }


@transaction.atomic
def close_desk(*, desk: Desk, closed_by: User | None) -> None:
    """Close a desk and refund waiting questions; `closed_by` is None if the table was forgotten."""
    if closed_by is not None:
        check_may_open(closed_by, desk.team)
    locked = lock(desk)
    if not locked.is_open:
        raise Refused("This desk is closed already.")
    locked.closed_at = timezone.now()
    locked.save(update_fields=["closed_at"])
    for question in locked.questions.filter(status__in=OPEN_STATUSES):
        if request_stop(question):
            give_back(question)
    record_event(
        "desk.closed", actor=closed_by, team=desk.team, subject=locked.current.dataset, facts={}
    )


@transaction.atomic
def ask(
    *, desk: Desk, asked_by: User, document: Mapping[str, Any], key: UUID, seen_terms: int
) -> Question:
    """Pay for a question and queue it; free if the same was answered before.

    The price is charged in this transaction, under the lock of the desk, before anything is
    computed. A repeated key returns the question of the first request.
    """
    check_may_ask_questions(asked_by, desk)
    locked = lock(desk)
    known = Question.objects.filter(asked_by=asked_by, key=key).first()
    if known is not None:
        return known
    check_answers(locked)
    terms = locked.current
    check_same_terms(terms, seen_terms)
    priced = price_question(terms, document)
    earlier = stored_answer(locked, terms, priced)
    question = _write_question(locked, terms, asked_by, key, priced, earlier)
    if earlier is not None:
        note_free(question)
        _record("question.repeated", question)
        return question
    pay(question)
    _record("question.asked", question)
    queue(question, answer_question)
    return question


def _write_question(
    desk: Desk,
    terms: Terms,
    asked_by: User,
    key: UUID,
    priced: PricedQuestion,
    earlier: Question | None,
) -> Question:
    return Question.objects.create(
        desk=desk,
        terms=terms,
        asked_by=asked_by,
        key=key,
        kind=priced.document["query"],
        document=priced.document,
        words=priced.question.words(),
        fingerprint=priced.fingerprint,
        topic=priced.topic,
        table_id=terms.dataset.table_id,
        price_micro=0 if earlier else priced.micro,
        delta_atto=0 if earlier else priced.delta_atto,
        repeat_of=earlier,
        status=WorkStatus.FINISHED if earlier else WorkStatus.QUEUED,
        finished_at=timezone.now() if earlier else None,
    )


@transaction.atomic
def stop_question(*, question: Question, stopped_by: User) -> bool:
    """Cancel a question; return whether its price was refunded, because it still waited."""
    if question.asked_by_id != stopped_by.pk:
        raise Refused("Only who asked can take a question back.")
    lock(question.desk)
    if not question.is_open:
        raise Refused("This question has already ended.")
    is_stopped = request_stop(question)
    if is_stopped:
        give_back(question)
    _record("question.stopped" if is_stopped else "question.stop_requested", question)
    return is_stopped


def _record(action: str, question: Question) -> None:
    """Record who asked which kind of question at which price, without the values it names."""
    record_event(
        action,
        actor=question.asked_by,
        team=question.desk.team,
        subject=question,
        facts={"kind": question.kind, "price_micro": question.price_micro},
    )


@transaction.atomic
def save_draft(*, desk: Desk, person: User, fields: Mapping[str, Any], words: str) -> Draft:
    """Keep a question for later; it costs nothing."""
    check_may_ask_questions(person, desk)
    draft = Draft.objects.create(desk=desk, person=person, fields=dict(fields), words=words)
    record_event("question.drafted", actor=person, team=desk.team, subject=draft)
    return draft


@transaction.atomic
def drop_draft(*, draft: Draft, person: User) -> None:
    if draft.person_id != person.pk:
        raise Refused("This draft is somebody else's.")
    record_event("question.draft_dropped", actor=person, team=draft.desk.team, subject=draft)
    draft.delete()
