from django.db import transaction
from django.db.models import Max

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.common.refusals import Refused
from deid_portal.common.work import OPEN_STATUSES, queue, request_stop
from deid_portal.datasets.models import Dataset
from deid_portal.plans.composition import compose_chosen_plan
from deid_portal.plans.policies import check_protection_chosen
from deid_portal.runs.models import Run
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.tasks import execute_run


def check_can_start_run(user: User, dataset: Dataset) -> None:
    check_can_run(user, dataset)
    check_protection_chosen(dataset)


@transaction.atomic
def start_run(*, dataset: Dataset, started_by: User) -> Run:
    """Freeze the plan as it stands now and queue its execution."""
    check_can_start_run(started_by, dataset)
    # The lock gives two people who start at the same instant two numbers.
    Dataset.objects.select_for_update().get(id=dataset.id)
    last = dataset.runs.aggregate(last=Max("number"))["last"] or 0
    composed = compose_chosen_plan(dataset.protection)
    plan = composed.to_plan()
    twin = dataset.runs.filter(plan_sha256=plan.sha256, status__in=OPEN_STATUSES).first()
    if twin is not None:
        return twin  # a second click, or a colleague's: the same plan is already being carried out
    run = Run.objects.create(
        dataset=dataset,
        number=last + 1,
        started_by=started_by,
        planned_by=dataset.protection.changed_by,
        plan=plan.to_document(),
        plan_files=composed.files,
        plan_sha256=plan.sha256,
        input_sha256=dataset.file_sha256,
    )
    dataset.save(update_fields=["changed_at"])
    record_event(
        "run.started",
        actor=started_by,
        team=dataset.team,
        subject=run,
        facts={"plan_sha256": run.plan_sha256},
    )
    queue(run, execute_run)
    return run


@transaction.atomic
def stop_run(*, run: Run, stopped_by: User) -> None:
    check_can_run(stopped_by, run.dataset)
    if not run.is_open:
        raise Refused("This run has already ended.")
    is_stopped = request_stop(run)
    action = "run.stopped" if is_stopped else "run.stop_requested"
    record_event(action, actor=stopped_by, team=run.dataset.team, subject=run)
