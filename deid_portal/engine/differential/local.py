"""Local differential privacy: everybody randomizes their own answer before anyone sees it.

S. L. Warner, Randomized response, JASA 60, 1965; S. P. Kasiviswanathan et al., What can we learn
privately?, SIAM J. Comput. 40(3), 2011; P. Kairouz, S. Oh, P. Viswanath, Extremal mechanisms for
local differential privacy, JMLR 17, 2016. The matrices are in `randomness/transition_matrix.py`.
"""

from math import exp, inf
from secrets import token_bytes
from typing import Any

import numpy as np

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.randomness.transition_matrix import Transition
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Counts

MOST_ROUNDS = 100_000
STILL = 1e-12


def coin(truth: float, yes: float) -> Transition:
    """Return rr(p, p'): the truth with the chance p, else yes with p'. Yes is category 0."""
    return Transition.truth_or_draw(truth, np.array([yes, 1 - yes]))


def two_coins() -> Transition:
    """Return the truth on tails, else the answer of a second coin: ε = ln 3."""
    return coin(0.5, 0.5)


def check_local(transition: Transition) -> float:
    """Return the ε of a matrix; refuse one without any."""
    if transition.epsilon == inf:
        raise InvalidPlan(
            "This randomization is not private for any epsilon: one of its answers is impossible "
            "for some people, so it tells for sure; let every answer be possible for everybody."
        )
    return transition.epsilon


def is_feasible(p00: float, p11: float, epsilon: float) -> bool:
    """Say whether two chances of telling the truth keep ε: the region of deck 001.

    p00 ≤ (1 − p11)·e^ε, p11 ≤ (1 − p00)·e^ε, 1 − p00 ≤ p11·e^ε, 1 − p11 ≤ p00·e^ε.
    """
    most = exp(epsilon)
    pairs = ((p00, 1 - p11), (p11, 1 - p00), (1 - p00, p11), (1 - p11, p00))
    return all(first <= second * most + 1e-12 for first, second in pairs)


def region_of_feasibility(epsilon: float) -> list[tuple[float, float]]:
    """Return the corners of all (p00, p11) that keep ε; the last tells the truth most often."""
    best = exp(epsilon) / (1 + exp(epsilon))
    return [(0.0, 1.0), (1 - best, 1 - best), (1.0, 0.0), (best, best)]


def randomize(codes: Codes, transition: Transition) -> Codes:
    """Draw what each person says, by secret bytes; refuses a matrix that is not private.

    OpenDP has the symmetric matrix only (see `respond`). A chance is rounded to a multiple of 2⁻⁶³,
    and one too small for the floats it is added up in is refused.
    """
    promised = check_local(transition)
    sums = np.cumsum(transition.matrix, axis=1)[:, :-1]
    steps = np.floor(np.minimum(sums, 1.0) * 2.0**63).astype(np.uint64)
    drawn = np.diff(steps.astype(np.float64), axis=1, prepend=0.0, append=2.0**63)
    if check_local(Transition(drawn / 2.0**63)) > promised * (1 + 1e-6) + 1e-9:
        raise InvalidPlan("Some chances are too small to be drawn exactly; take a smaller epsilon.")
    draws = np.frombuffer(token_bytes(8 * len(codes)), np.uint64) >> np.uint64(1)
    return np.asarray((draws[:, np.newaxis] >= steps[codes]).sum(axis=1), np.int32)


def respond(epsilon: float, categories: int) -> Any:
    """Return OpenDP's k-ary randomized response for the places of so many categories."""
    from opendp.measurements import make_randomized_response
    from opendp.mod import enable_features

    enable_features("contrib")
    truth = float(Transition.for_epsilon(epsilon, categories).matrix[0, 0])
    return make_randomized_response(list(range(categories)), truth * (1 - 1e-12))


def estimate_by_inversion(transition: Transition, counts: Counts) -> Numbers:
    """Return the true shares as (Pᵀ)⁻¹ times those shown: unbiased, maybe below zero."""
    if not transition.is_invertible:
        raise InvalidPlan("What is shown by this matrix does not say what was true.")
    return transition.estimate(counts).shares


def estimate_by_likelihood(transition: Transition, counts: Counts) -> Numbers:
    """Return the likeliest true shares, which are never below zero, by expectation maximization."""
    shown = counts / max(int(counts.sum()), 1)
    shares = np.full(len(shown), 1 / len(shown))
    for _ in range(MOST_ROUNDS):
        expected = shares @ transition.matrix
        weights = transition.matrix @ np.divide(
            shown, expected, out=np.zeros_like(shown), where=expected > 0
        )
        better = shares * weights
        if np.abs(better - shares).max() < STILL:
            break
        shares = better
    return np.asarray(shares, np.float64)
