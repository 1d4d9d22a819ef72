"""The secret from which the random numbers of a run are derived.

Every run gets its own secret when it is queued, so that another worker's attempt draws the same
numbers. It is not needed after the end and is destroyed then. It is stored only sealed in the row
of the run: never in plan, report, queue, audit record or log.
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
    """Return the secret; None for runs of versions without secrets, and for ended runs."""
    return None if run.secret is None else bytes.fromhex(run.secret)


def destroy_secret(run: "Run") -> None:
    run.secret = None
    type(run).objects.filter(id=run.id).update(secret=None)


def drew_from_a_seed(plan: Mapping[str, Any]) -> bool:
    """Say whether the protection was drawn from the seed of a frozen plan.

    Only runs of versions without secrets have such plans; differential privacy never used the
    seed.
    """
    if plan.get("seed") is None:
        return False
    return basis_of(plan).drew_protection_from_seed


def honest_report(run: "Run") -> Report:
    """Return the report of a run; if protection came from a seed, it says so and claims no ε."""
    report = run.finished_report
    is_silent = report.randomness is None and drew_from_a_seed(run.plan)
    return admit_repeatable(report) if is_silent else report
