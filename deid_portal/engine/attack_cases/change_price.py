"""What a change of the plan would do to an attack, and what it would cost: both measured.

The changed plan is carried out in full and attacked again, so the price is the true one and not an
estimate; it is what a run of that plan would come to.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from deid_portal.engine.attack_cases.case import AttackAnswer, Case
from deid_portal.engine.measures import NO_MEASURES
from deid_portal.engine.plan import Plan
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.protection import protect
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class ChangePrice:
    """A release after a change: what an intruder still gets, who is left out, detail lost."""

    share: float
    records: int
    is_found: bool
    left_out: int
    loss: float


def price_change(
    table: Table,
    plan: Plan,
    attack_again: Callable[[Case], AttackAnswer],
    *,
    key: bytes | None = None,
    progress: ProgressCallback | None = None,
) -> ChangePrice | None:
    """Carry out a changed plan and attack what comes out; None if it has no solution."""
    bare = replace(plan, measures=NO_MEASURES).without_undoing_seed()
    outcome = protect(table, bare, progress, pseudonym_key=key)
    if outcome.released is None:
        return None
    stake = attack_again(Case.of_outcome(bare, table, outcome)).stake
    return ChangePrice(
        share=stake.share,
        records=stake.records,
        is_found=stake.is_found,
        left_out=outcome.report.rows.suppressed,
        loss=outcome.report.utility.known_loss,
    )
