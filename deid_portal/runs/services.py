from collections.abc import Mapping

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.plans.basis import AnyPlan, basis_of
from deid_portal.plans.subjects import PlannedSubject, check_plan_chosen
from deid_portal.runs.chance import destroy_secret
from deid_portal.runs.models import Priority, Run
from deid_portal.runs.notifications import tell_that_it_was_stopped
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.summaries import describe_request
from deid_portal.runs.tasks import execute_run
from deid_portal.taxonomies.selectors import versions_in_force
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES, queue, request_stop


def check_can_start_run(user: User, dataset: Dataset) -> None:
    check_can_run(user, dataset)
    check_plan_chosen(dataset)


def check_can_retry_run(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    if run.is_open:
        raise Refused("This run is still at work.")
    if run.status == Run.Status.FINISHED:
        raise Refused("This run has an answer already; start a new run for another one.")
    check_is_ready(run.dataset)


def check_can_move_ahead(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    if run.status != Run.Status.QUEUED:
        raise Refused("This run does not wait any more.")


@transaction.atomic
def start_run(*, dataset: Dataset, started_by: User) -> Run:
    """Freeze the current plan and queue its execution."""
    check_can_start_run(started_by, dataset)
    composed = PlannedSubject.of(dataset).compose()
    plan = composed.to_plan()
    return open_twin(hold_dataset(dataset), plan) or queue_run(
        dataset=dataset,
        plan=plan,
        files=composed.files,
        planned_by=dataset.protection.changed_by,
        started_by=started_by,
    )


@transaction.atomic
def retry_run(*, run: Run, retried_by: User) -> Run:
    """Queue the frozen plan of a failed or stopped run again, as a new run."""
    check_can_retry_run(retried_by, run)
    plan = run.frozen_plan()
    twin = open_twin(hold_dataset(run.dataset), plan)
    if twin is not None:
        return twin
    again = queue_run(
        dataset=run.dataset,
        plan=plan,
        files=run.plan_files,
        planned_by=run.planned_by,
        started_by=retried_by,
        based_on=run.based_on,
        change_words=run.change_words,
        priority=Priority(run.priority),
        retry_of=run,
        repeats=run.repeats,
    )
    # In sweeps it replaces the failed or stopped run.
    run.memberships.update(run=again, is_new=True)
    return again


def open_twin(dataset: Dataset, plan: AnyPlan) -> Run | None:
    """Return an open run of the same plan, for example after a double click."""
    return dataset.runs.filter(plan_sha256=plan.sha256, status__in=OPEN_STATUSES).first()


def hold_dataset(dataset: Dataset) -> Dataset:
    """Lock a dataset, so that runs started at the same moment get different numbers."""
    return Dataset.objects.select_for_update().get(id=dataset.id)


def queue_run(
    *,
    dataset: Dataset,
    plan: AnyPlan,
    files: Mapping[str, str],
    planned_by: User,
    started_by: User,
    based_on: Run | None = None,
    change_words: str = "",
    priority: Priority = Priority.SINGLE,
    retry_of: Run | None = None,
    repeats: int | None = None,
) -> Run:
    """Create a run with its frozen plan and queue it; the caller must have locked the dataset."""
    last = dataset.runs.aggregate(last=Max("number"))["last"] or 0
    document = plan.to_document()
    asked = basis_of(document)
    run = Run.objects.create(
        dataset=dataset,
        number=last + 1,
        started_by=started_by,
        planned_by=planned_by,
        based_on=based_on,
        change_words=change_words,
        priority=priority,
        retry_of=retry_of,
        repeats=repeats,
        plan=document,
        plan_words=asked.words,
        short_words=asked.short_words,
        plan_files=dict(files),
        summary=describe_request(document),
        plan_sha256=plan.sha256,
        input_sha256=dataset.file_sha256,
    )
    source = retry_of or based_on
    run.taxonomies.set(source.taxonomies.all() if source else versions_in_force(dataset))
    dataset.save(update_fields=["changed_at"])
    facts: dict[str, str | int] = {"plan_sha256": run.plan_sha256}
    if change_words:
        facts |= {"changed": change_words}
    if based_on is not None:
        facts |= {"from_run": based_on.number}
    if retry_of is not None:
        facts |= {"retry_of_run": retry_of.number}
    if repeats is not None:
        facts |= {"repeats_release": repeats}
    record_event("run.started", actor=started_by, team=dataset.team, subject=run, facts=facts)
    queue(run, execute_run)
    return run


@transaction.atomic
def move_run_ahead(*, run: Run, moved_by: User) -> None:
    """Make a waiting run the next one of its team; turns of other teams are not affected."""
    check_can_move_ahead(moved_by, run)
    waiting = Run.objects.filter(id=run.id, status=Run.Status.QUEUED)
    if not waiting.update(moved_ahead_at=timezone.now()):
        raise Refused("This run does not wait any more.")
    record_event("run.moved_ahead", actor=moved_by, team=run.dataset.team, subject=run)


@transaction.atomic
def stop_run(*, run: Run, stopped_by: User) -> None:
    check_can_run(stopped_by, run.dataset)
    if not run.is_open:
        raise Refused("This run has already ended.")
    is_stopped = request_stop(run)
    if is_stopped:
        destroy_secret(run)
    action = "run.stopped" if is_stopped else "run.stop_requested"
    record_event(action, actor=stopped_by, team=run.dataset.team, subject=run)
    tell_that_it_was_stopped(run, stopped_by)
