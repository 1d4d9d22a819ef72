"""Runs of a changed plan: "what if", without touching the protection that is chosen.

A variant starts from the plan a run froze, or from the protection, plus declared changes
(`plans/changes.py`). It is a run like any other: its own frozen plan, judged by the same validator,
with its own number, audit record and report. Besides it keeps what it was made from, in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.engine import ENGINE_VERSION
from deid_portal.engine.report import Report
from deid_portal.plans.basis import AnyPlan, Basis, basis_of
from deid_portal.plans.changes import Change, apply_changes
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.runs.models import Run
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.selectors import HEAVY
from deid_portal.runs.services import hold_dataset, queue_run
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus


@dataclass(frozen=True)
class Started:
    """The run of a plan; not new where the same plan is at work or was carried out before."""

    run: Run
    is_new: bool


def check_can_vary(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    check_is_ready(run.dataset)
    if run.input_sha256 != run.dataset.file_sha256:
        raise Refused("The table has changed since this run; start a new run of it first.")


def start_variant(*, run: Run, changes: Sequence[Change], started_by: User) -> Started:
    """Run the plan of `run` with changes; raises Refused, or InvalidPlan if that makes no sense."""
    check_can_vary(started_by, run)
    return start_changed(
        dataset=run.dataset,
        basis=basis_of_run(run),
        changes=changes,
        planned_by=run.planned_by,
        started_by=started_by,
        based_on=run,
    )


def basis_of_run(run: Run) -> Basis:
    """Return the frozen plan of a run and the levels it released at, or came nearest with."""
    report = run.report
    if report is None:
        return basis_of(run.plan, run.plan_files)
    heights = {
        name: column.height for name, column in report.columns.items() if column.height is not None
    }
    return basis_of(run.plan, run.plan_files, _reached_levels(report), heights)


def _reached_levels(report: Report) -> Mapping[str, int]:
    if report.tells("transformation"):
        return report.transformation.levels
    return report.nearest.levels if report.nearest else {}


def basis_of_protection(dataset: Dataset) -> Basis:
    composed = PlannedSubject.of(dataset).compose()
    return basis_of(composed.to_plan().to_document(), composed.files)


@transaction.atomic
def start_changed(
    *,
    dataset: Dataset,
    basis: Basis,
    changes: Sequence[Change],
    planned_by: User,
    started_by: User,
    based_on: Run | None = None,
) -> Started:
    changed, words = apply_changes(basis, changes)
    plan = judge(dataset, changed)
    twin = find_twin(hold_dataset(dataset), plan)
    if twin is not None:
        return Started(twin, is_new=False)
    run = queue_run(
        dataset=dataset,
        plan=plan,
        files=changed.files,
        planned_by=planned_by,
        started_by=started_by,
        based_on=based_on,
        change_words=words,
    )
    return Started(run, is_new=True)


def judge(dataset: Dataset, changed: Basis) -> AnyPlan:
    """Validate what changes came to, as every plan is; raises InvalidPlan."""
    plan = changed.to_plan()
    PlannedSubject.of(dataset).check_fits(plan)
    return plan


def find_twin(dataset: Dataset, plan: AnyPlan) -> Run | None:
    """Find a run that answers the same question: same table, same plan, same engine."""
    return find_twins(dataset, [plan]).get(plan.sha256)


def find_twins(dataset: Dataset, plans: Iterable[AnyPlan]) -> dict[str, Run]:
    """Find the runs that answer these plans already, by the hash of the plan."""
    answered = Q(status__in=OPEN_STATUSES) | Q(
        status=WorkStatus.FINISHED, engine_version=ENGINE_VERSION
    )
    same = dataset.runs.filter(
        answered,
        plan_sha256__in={plan.sha256 for plan in plans},
        input_sha256=dataset.file_sha256,
    )
    # Newest first, so that of several the oldest stays.
    return {run.plan_sha256: run for run in same.defer(*HEAVY)}
