"""Repeats an approved plan on the next version of the table.

Roles and taxonomies were copied when the next version was read, and completed there; rules, method,
measures and weights are those of the approved plan, whatever was chosen since. Random numbers are
new: every run has its own secret, so that noise cannot be cancelled out between two releases of the
same people. If the drift check finds something that does not fit, no run is started.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.selectors import versions_of_dataset, why_not_continued
from deid_portal.engine import EngineError
from deid_portal.plans.composition import AnyComposedPlan, ProtectionChoice
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.releases.models import Release
from deid_portal.runs.models import Run
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.services import hold_dataset, queue_run
from deid_portal.runs.variants import find_twin
from deid_portal.versions.selectors import name_a_few, what_does_not_fit
from deid_portal.web.refusals import Refused

COUNTS = ("", "One thing does", "Two things do", "Three things do")


@dataclass(frozen=True)
class NextVersion:
    """The next version of a release's dataset; without one, why none can be uploaded now."""

    dataset: Dataset | None
    why_not: str = ""


class DoesNotFit(Refused):
    """The plan does not fit the new file; the page of changes shows why."""


def next_version_of(person: User, release: Release) -> NextVersion:
    own = release.request.run.dataset
    newest = versions_of_dataset(own)[0]
    if newest.version > own.version:
        return NextVersion(newest)
    return NextVersion(None, why_not_continued(person, newest))


def repeat_release(*, release: Release, dataset: Dataset, repeated_by: User) -> Run:
    """Run the approved plan on a later version of its table; an existing run of it is returned."""
    check_can_run(repeated_by, dataset)
    if release.is_withdrawn:
        raise Refused("This release was withdrawn, so its plan is not repeated.")
    _check_fits(release, dataset)
    try:
        composed = _compose(release.request.run, dataset)
    except EngineError as error:
        raise DoesNotFit(str(error)) from None
    return _start(release, dataset, composed, repeated_by)


def _compose(approved: Run, dataset: Dataset) -> AnyComposedPlan:
    """Compose the approved choice with the columns of a later version; raises InvalidPlan."""
    return PlannedSubject.of(dataset).compose_again(approved_choice(approved), approved.plan)


@transaction.atomic
def _start(
    release: Release,
    dataset: Dataset,
    composed: AnyComposedPlan,
    repeated_by: User,
) -> Run:
    plan = composed.to_plan()
    twin = find_twin(hold_dataset(dataset), plan)
    if twin is not None:
        return _mark(twin, release, repeated_by)
    return queue_run(
        dataset=dataset,
        plan=plan,
        files=composed.files,
        # The author of the approved plan stays the author, and cannot approve this release either.
        planned_by=release.request.run.planned_by,
        started_by=repeated_by,
        repeats=release.number,
    )


def _mark(run: Run, release: Release, repeated_by: User) -> Run:
    """Mark an existing run of the same plan as the repetition, whoever started it."""
    if run.repeats is None:
        run.repeats = release.number
        run.save(update_fields=["repeats"])
        facts = {"release": release.number}
        team = run.dataset.team
        record_event("run.repeats_release", actor=repeated_by, team=team, subject=run, facts=facts)
    return run


def approved_choice(run: Run) -> ProtectionChoice:
    """Return the choices in a frozen plan, except columns and taxonomies."""
    plan: dict[str, Any] = run.plan
    weights = {
        name: column["weight"]
        for name, column in plan["columns"].items()
        if column.get("weight", 1) != 1
    }
    choice = ProtectionChoice(
        plan["models"], plan["method"], plan.get("measures", {}), weights, plan.get("seed")
    )
    return choice.without_undoing_seed(run.dataset.subject)


def _check_fits(release: Release, dataset: Dataset) -> None:
    misfits = what_does_not_fit(dataset, thorough=True)
    if misfits:
        count = len(misfits)
        things = COUNTS[count] if count < len(COUNTS) else f"{count} things do"
        raise DoesNotFit(f"{things} not fit the new file. Mend what is listed, then repeat.")
    changed = _other_roles(release, dataset)
    if changed:
        have = "has another role" if len(changed) == 1 else "have other roles"
        raise DoesNotFit(
            f"{name_a_few(changed)} {have} than in release {release.number}, so it would be "
            "another plan. Change that, or start a run of the plan as it is now."
        )


def _other_roles(release: Release, dataset: Dataset) -> list[str]:
    """Return the columns whose role or treatment differs from the approved plan."""
    approved = release.request.run.plan["columns"]
    return [
        column.name
        for column in dataset.columns.all()
        if column.name in approved and _is_other(column, approved[column.name])
    ]


def _is_other(column: DatasetColumn, approved: Mapping[str, Any]) -> bool:
    if column.role != approved["role"]:
        return True
    is_treated = column.dataset.subject.treats_identifiers and "treatment" in approved
    return is_treated and column.treatment != approved["treatment"]
