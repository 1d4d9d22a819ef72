"""The promoted run of a dataset, the only one that can be reviewed.

Promotion can be undone, or another run promoted instead, until a review of the promoted run has
been requested.
"""

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Promotion, Run
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.services import hold_dataset
from deid_portal.web.refusals import Refused


def check_can_promote(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    if not run.has_release:
        raise Refused(f"Run {run.number} released nothing, so it cannot be promoted.")
    promoted = promoted_run(run.dataset)
    if promoted is not None and promoted.id == run.id:
        raise Refused(f"Run {run.number} is promoted already.")
    if promoted is not None:
        _check_not_in_review(promoted)


def check_can_undo_promotion(user: User, run: Run) -> None:
    check_can_run(user, run.dataset)
    promoted = promoted_run(run.dataset)
    if promoted is None or promoted.id != run.id:
        raise Refused(f"Run {run.number} is not promoted.")
    _check_not_in_review(run)


def _check_not_in_review(run: Run) -> None:
    asked = run.requests.filter(status__in=("submitted", "approved")).first()
    if asked is not None:
        raise Refused(
            f"Request {asked.number} asks for the review of run {run.number}. "
            "Withdraw it first, or wait until it has ended."
        )


def promoted_run(dataset: Dataset) -> Run | None:
    """Return the promoted run, or None."""
    promotion = getattr(dataset, "promotion", None)
    return promotion.run if promotion is not None else None


@transaction.atomic
def promote_run(*, run: Run, promoted_by: User) -> None:
    """Promote a run in place of the one promoted before."""
    dataset = hold_dataset(run.dataset)
    run.dataset = dataset
    check_can_promote(promoted_by, run)
    before = promoted_run(dataset)
    Promotion.objects.update_or_create(
        dataset=dataset, defaults={"run": run, "promoted_by": promoted_by}
    )
    dataset.save(update_fields=["changed_at"])
    facts = {"instead_of_run": before.number} if before is not None else {}
    record_event("run.promoted", actor=promoted_by, team=dataset.team, subject=run, facts=facts)


@transaction.atomic
def undo_promotion(*, run: Run, undone_by: User) -> None:
    dataset = hold_dataset(run.dataset)
    run.dataset = dataset
    check_can_undo_promotion(undone_by, run)
    Promotion.objects.filter(dataset=dataset).delete()
    dataset.save(update_fields=["changed_at"])
    record_event("run.promotion_undone", actor=undone_by, team=dataset.team, subject=run)
