"""Bounds from dp-accounting, which is imported where it is needed because that takes seconds.

Every (ε, δ) promise is no worse than this: with the chance δ everything is told, else one bit is
told with the truth e^ε times likelier than its opposite (P. Kairouz, S. Oh, P. Viswanath, The
composition theorem for differential privacy, ICML 2015). So these bounds hold for any mechanism of
that price.
"""

from collections import Counter
from collections.abc import Iterable
from math import exp, prod

from deid_portal.engine.differential.budget.price import PrivacyPrice

SMALLEST_INTERVAL = 1e-5
MOST_STEPS = 1_000_000  # of the discretized privacy loss
MOST_DIFFERENT = 200


def delta_left(prices: Iterable[PrivacyPrice], delta: float) -> float:
    """Return what remains of δ once the prices' own are taken off: 1 − (1 − δ)/∏(1 − δᵢ)."""
    kept = prod(1 - price.delta for price in prices)
    return 1 - (1 - delta) / kept if kept > 0 else -1.0


def renyi_epsilon(prices: list[PrivacyPrice], delta: float) -> float:
    """Return ε by Rényi divergences; `delta` is what delta_left() says, above 0."""
    from dp_accounting import NeighboringRelation, RandomizedResponseDpEvent, SelfComposedDpEvent
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
    for epsilon, times in Counter(price.epsilon for price in prices).items():
        event = RandomizedResponseDpEvent(2 / (1 + exp(epsilon)), 2)
        accountant.compose(SelfComposedDpEvent(event, times))
    return float(accountant.get_epsilon(delta))


def privacy_loss_epsilon(prices: list[PrivacyPrice], delta: float) -> float | None:
    """Return ε by distributions of the privacy loss, rounded up; None if too many differ."""
    from dp_accounting.pld.common import DifferentialPrivacyParameters
    from dp_accounting.pld.privacy_loss_distribution import from_privacy_parameters, identity

    times = Counter(prices)
    if len(times) > MOST_DIFFERENT:
        return None
    total = sum(price.epsilon for price in prices)
    interval = max(SMALLEST_INTERVAL, 2 * total / MOST_STEPS)
    composed = identity(interval)
    for price, count in times.items():
        parameters = DifferentialPrivacyParameters(price.epsilon, price.delta)
        composed = composed.compose(
            from_privacy_parameters(parameters, interval).self_compose(count)
        )
    return float(composed.get_epsilon_for_delta(delta))
