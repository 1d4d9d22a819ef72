"""Variants: runs of a changed plan, without changing the chosen protection.

A variant is the frozen plan of a run, or the protection, with declared changes
(`plans/changes.py`). It is a run like any other, with its own validated and frozen plan, number,
audit record and report. It also stores its origin, in words.
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
class VariantRun:
    """The run of a plan; not new if there already is an open or finished run of the same plan."""

    run: Run
    is_new: bool


def check_can_vary(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    check_is_ready(run.dataset)
    if run.input_sha256 != run.dataset.file_sha256:
        raise Refused("The table has changed since this run; start a new run of it first.")


def start_variant(*, run: Run, changes: Sequence[Change], started_by: User) -> VariantRun:
    """Run the plan of `run` with changes; raises Refused, or InvalidPlan if the plan is invalid."""
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
    """Return the frozen plan of a run, with the levels of its release or of its nearest miss."""
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
) -> VariantRun:
    changed, words = apply_changes(basis, changes)
    plan = validate_changed_plan(dataset, changed)
    twin = find_twin(hold_dataset(dataset), plan)
    if twin is not None:
        return VariantRun(twin, is_new=False)
    run = queue_run(
        dataset=dataset,
        plan=plan,
        files=changed.files,
        planned_by=planned_by,
        started_by=started_by,
        based_on=based_on,
        change_words=words,
    )
    return VariantRun(run, is_new=True)


def validate_changed_plan(dataset: Dataset, changed: Basis) -> AnyPlan:
    """Validate a changed plan like any other; raises InvalidPlan."""
    plan = changed.to_plan()
    PlannedSubject.of(dataset).check_fits(plan)
    return plan


def find_twin(dataset: Dataset, plan: AnyPlan) -> Run | None:
    """Find an equivalent run: same table, same plan, same engine."""
    return find_twins(dataset, [plan]).get(plan.sha256)


def find_twins(dataset: Dataset, plans: Iterable[AnyPlan]) -> dict[str, Run]:
    """Find equivalent runs of these plans, by the hash of the plan."""
    answered = Q(status__in=OPEN_STATUSES) | Q(
        status=WorkStatus.FINISHED, engine_version=ENGINE_VERSION
    )
    same = dataset.runs.filter(
        answered,
        plan_sha256__in={plan.sha256 for plan in plans},
        input_sha256=dataset.file_sha256,
    )
    # Runs are ordered newest first, so of several the oldest one is kept in the dict.
    return {run.plan_sha256: run for run in same.defer(*HEAVY)}
