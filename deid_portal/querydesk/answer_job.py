"""Answer a question: open what it is about, draw noise once, keep the answer. Ends exactly once.

What must never happen: an exact answer, a value or the state of the noise is stored anywhere, or
two answers are drawn for one price. Whoever could get a second answer, by having the worker killed
at the right moment or because some answers cannot be stored, could choose between them, and the
guarantee would no longer hold. So `drawing_at` is written *before* noise is drawn. From then on the
price stays paid, whatever happens, and noise is never drawn again: work with this mark and without
an answer ends without one. Before that, a failure gives the price back.
"""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from deid_portal.audit.services import record_event
from deid_portal.datasets.policies import check_is_ready
from deid_portal.engine import Cancelled
from deid_portal.engine.differential import PrivateQuestion as EngineQuestion
from deid_portal.engine.differential import read_question
from deid_portal.querydesk.ledger import give_back, lock
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.prices import setting_of
from deid_portal.querydesk.subjects import OpenedSubject, answer_about, open_subject
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import JobLimits, OverLimit

RETURNED = "Nothing was drawn, so the price was given back."
KEPT = (
    "Noise had been or may have been drawn, so the price is not given back; a second draw for the "
    "same price would break the promise."
)
WORKER_DIED = "The worker stopped before the answer was stored."
WORKERS_DIED = "The worker broke off each time it tried this question, likely for want of memory."
NO_ROOM = "There was no room left on the disk. Ask the administrator to make room, then ask again."
UNEXPECTED = "The question ended because of a fault in the portal."
STOPPED = "The question was taken back."


class AnswerFault(Exception):  # noqa: N818
    """An unexpected error, without the original message, which could hold a value."""


def perform_question(lease: Lease[Question]) -> None:
    if lease.work.drawing_at is not None:
        _end_without_answer(lease, WorkStatus.FAILED, WORKER_DIED)
        return
    limits = lease.limits = JobLimits(settings.RUN_MEMORY_MB, settings.RUN_MINUTES)
    endings = Endings(
        stop=lambda: _end_without_answer(lease, WorkStatus.STOPPED, STOPPED),
        fail=lambda problem: _end_without_answer(lease, WorkStatus.FAILED, problem),
        drop=lambda: None,  # an attempt stores nothing before its end
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=limits,
    )
    lease.end_stuck = lambda over: endings.fail(str(over))
    with endings.applied():
        with lease, limits.refusing_too_much():
            document = _answer(lease)
        _keep(lease, document)


def _answer(lease: Lease[Question]) -> dict[str, Any]:
    work = lease.work
    check_is_ready(work.terms.dataset)
    lease.progress(0, 2, "read")
    question = read_question(setting_of(work.terms), work.document)
    subject = open_subject(work.terms.dataset, question, lease.progress)
    lease.progress(1, 2, "draw")
    _mark_drawing(lease)
    return _draw(subject, question, lease)


def _draw(
    subject: OpenedSubject, question: EngineQuestion, lease: Lease[Question]
) -> dict[str, Any]:
    """Compute the answer and draw its noise; of an error only the type is passed on."""
    try:
        return answer_about(subject, question, lease.progress).to_document()
    except (Cancelled, LeaseLost, OverLimit, MemoryError):
        raise
    except Exception as error:
        raise AnswerFault(type(error).__name__) from None


def _mark_drawing(lease: Lease[Question]) -> None:
    """Commit the mark that noise is drawn from now on."""
    marked = Question.objects.filter(
        id=lease.work.id, lease=lease.token, status=WorkStatus.RUNNING, drawing_at=None
    ).update(drawing_at=timezone.now())
    if not marked:
        raise LeaseLost


def _keep(lease: Lease[Question], document: dict[str, Any]) -> None:
    @transaction.atomic
    def write() -> None:
        try:
            lease.finish(WorkStatus.FINISHED, answer=document)
        except LeaseLost:
            return
        _record_end(lease.work, "question.answered")

    retry_while_unreachable(write)


def _end_without_answer(lease: Lease[Question], status: WorkStatus, problem: str) -> None:
    @transaction.atomic
    def write() -> None:
        # Lock the desk first, then the question, as everywhere.
        lock(lease.work.desk)
        try:
            lease.finish(status, problem=problem)
        except LeaseLost:
            return
        _settle(lease.work, problem)

    retry_while_unreachable(write)


def _settle(question: Question, problem: str) -> None:
    """Give the price back if no noise can have been drawn, and say whether it was."""
    returned = give_back(question) is not None
    words = f"{problem} {RETURNED if returned else KEPT}"
    Question.objects.filter(id=question.id).update(problem=words)
    _record_end(question, "question.failed")


def _record_end(question: Question, action: str) -> None:
    record_event(
        action,
        actor=question.asked_by,
        team=question.desk.team,
        subject=question,
        facts={"kind": question.kind, "price_micro": question.price_micro},
    )


@transaction.atomic
def give_up_question(question: Question) -> None:
    lock(question.desk)
    if end_as_given_up(question, WORKERS_DIED):
        _settle(question, WORKERS_DIED)
