"""Seeds that undo what chance protects are for tests only, and have to be confirmed."""

from deid_portal.engine import InvalidPlan
from deid_portal.engine.randomness.seeds import SeededPlan

CONFIRMATION = "I know that the seed undoes the protection"


def confirm_seed(plan: SeededPlan, sentence: str | None) -> bool:
    """Refuse before any work is done a seed that undoes the protection and was not confirmed."""
    if sentence not in (None, CONFIRMATION):
        raise InvalidPlan(f'--repeatable: only "{CONFIRMATION}" confirms it.')
    is_confirmed = sentence is not None
    plan.check_seed(
        is_confirmed=is_confirmed,
        or_else=f', or for tests only confirm it with --repeatable "{CONFIRMATION}"',
    )
    return is_confirmed
