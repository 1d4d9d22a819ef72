"""Uncertainty of a share that was counted on a sample."""

from math import sqrt

Interval = tuple[float, float]
Z95 = 1.959963984540054


def wilson_interval(successes: int, attempts: int) -> Interval:
    """Return the 95 % score interval of a share (Wilson, 1927); nothing is known without attempts.

    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if attempts <= 0:
        return (0.0, 1.0)
    share = successes / attempts
    weight = Z95**2 / attempts
    middle = (share + weight / 2) / (1 + weight)
    half = Z95 / (1 + weight) * sqrt(share * (1 - share) / attempts + weight / (4 * attempts))
    return (max(middle - half, 0.0), min(middle + half, 1.0))


def exact_interval(successes: int, attempts: int) -> Interval:
    """Return the 95 % interval that covers a share at least so often, however few the attempts.

    C. Clopper and E. Pearson, The use of confidence or fiducial limits, Biometrika 26, 1934.

    >>> round(exact_interval(0, 100)[1], 4)
    0.0362
    """
    from scipy.special import betaincinv

    low = high = 0.0, 1.0
    if 0 < successes <= attempts:
        low = float(betaincinv(successes, attempts - successes + 1, 0.025)), 1.0
    if 0 <= successes < attempts:
        high = 0.0, float(betaincinv(successes + 1, attempts - successes, 0.975))
    return (low[0], high[1])


def exactly(share: float) -> Interval:
    """Return the interval of a share counted over everyone: a single point."""
    return (share, share)


def excess_over_control(share: float, control: float) -> float:
    """Return the success beyond the control, as a share of what it could be at most; at least 0.

    M. Giomi et al., A unified framework for quantifying privacy risk in synthetic data, PETS 2023.
    """
    return max((share - control) / (1 - control), 0.0) if control < 1 else 0.0


def excess_interval(main: Interval, control: Interval) -> Interval:
    """Return the excess with both shares at their unfavorable, and at their favorable end."""
    return (excess_over_control(main[0], control[1]), excess_over_control(main[1], control[0]))
