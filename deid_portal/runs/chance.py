"""The secret that the chance of a run comes from.

Every run has one of its own from the moment it is queued, so that an attempt which another worker
takes up draws the same. Nobody needs it after the end, so it is destroyed then. It lies sealed in
the row and goes nowhere else: not into plan, report, queue, audit record or log.
"""

from collections.abc import Mapping
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from deid_portal.engine.randomness.chance import SECRET_BYTES
from deid_portal.engine.randomness.seeds import admit_repeatable
from deid_portal.engine.report import Report
from deid_portal.plans.basis import basis_of

if TYPE_CHECKING:
    from deid_portal.runs.models import Run


def new_run_secret() -> str:
    return token_hex(SECRET_BYTES)


def secret_of(run: "Run") -> bytes | None:
    """Return the secret; None for a run that was queued before there were any."""
    return None if run.secret is None else bytes.fromhex(run.secret)


def destroy_secret(run: "Run") -> None:
    run.secret = None
    type(run).objects.filter(id=run.id).update(secret=None)


def drew_from_a_seed(plan: Mapping[str, Any]) -> bool:
    """Say whether what protected people was drawn from the seed of a frozen plan.

    Only runs of before chance was drawn in secret have such plans; differential privacy never used
    the seed.
    """
    if plan.get("seed") is None:
        return False
    return basis_of(plan).drew_protection_from_seed


def honest_report(run: "Run") -> Report:
    """Return the report of a run; one that drew from a seed says so and claims no ε any more."""
    report = run.finished_report
    is_silent = report.randomness is None and drew_from_a_seed(run.plan)
    return admit_repeatable(report) if is_silent else report
