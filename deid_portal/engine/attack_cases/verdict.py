"""In one word, how an attack went: what it got, held against a limit and against the promise."""

from enum import StrEnum

from deid_portal.engine.attacks.attack import Stake
from deid_portal.engine.plan import Plan


class AttackVerdict(StrEnum):
    RESISTED = "resisted"
    WEAK_SPOT = "weak spot"
    OVER_LIMIT = "over limit"


def judge_attack(stake: Stake, limit: float) -> AttackVerdict:
    """Judge an attack by the share it got.

    Over the limit: more than allowed, and certainly something. Resisted: the whole interval lies
    within the limit, and nothing was found beyond the baseline. Whatever lies between is a weak
    spot: something was found, or too little was tried to rule out that the limit is passed.
    """
    if stake.share > limit and stake.interval[0] > 0:
        return AttackVerdict.OVER_LIMIT
    if stake.interval[1] <= limit and not stake.is_found:
        return AttackVerdict.RESISTED
    return AttackVerdict.WEAK_SPOT


def promised_chance(plan: Plan) -> float:
    """Return the chance of a right match that the plan grants an intruder: 1 in k; 0 without k."""
    chances = (model.chance_granted for model in plan.models)
    return min((chance for chance in chances if chance is not None), default=0.0)
