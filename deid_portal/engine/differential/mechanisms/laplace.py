"""The Laplace distribution as the decks have it: what it costs, how it spreads."""

from math import exp


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """Return b = Δ/ε."""
    return sensitivity / epsilon


def laplace_density(x: float, middle: float, scale: float) -> float:
    return exp(-abs(x - middle) / scale) / (2 * scale)


def laplace_variance(scale: float) -> float:
    return 2 * scale**2


def laplace_epsilon(first: float, second: float, scale: float) -> float:
    """Return the largest log ratio of two densities: |first − second|/b, reached outside both."""
    return abs(first - second) / scale
