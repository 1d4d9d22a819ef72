"""Noise on numbers: one number per row, NaN for a gap, which stays one."""

import numpy as np

from deid_portal.engine.table.numbers import Numbers


def add_noise(numbers: Numbers, deviation: float, generator: np.random.Generator) -> Numbers:
    """Add a normal draw of this standard deviation to every number."""
    return numbers + generator.normal(0.0, deviation, len(numbers))


def multiply_noise(numbers: Numbers, scale: float, generator: np.random.Generator) -> Numbers:
    """Multiply every number by a log-normal draw of mean one and standard deviation `scale`.

    Mean one keeps totals right on average; signs and zeros stay.
    """
    variance = np.log1p(scale**2)
    return numbers * generator.lognormal(-variance / 2, np.sqrt(variance), len(numbers))


def add_correlated_noise(columns: Numbers, scale: float, generator: np.random.Generator) -> Numbers:
    """Add noise with scale² times the columns' own covariance, then shrink it back.

    `columns` has one row per record and one column per variable. After y = x + e the covariance is
    1 + scale² times too large; (y − mean) / √(1 + scale²) + mean has the mean and the covariance of
    x again, on average (J. J. Kim, A method for limiting disclosure in microdata based on random
    noise and transformation, 1986). Covariances are those of the rows without a gap.
    """
    if not len(columns):
        return columns.copy()
    spread = generator.standard_normal(columns.shape) @ _root(covariance_of(columns)).T
    means = np.array([mean_of(column) for column in columns.T])
    noisy: Numbers = means + (columns - means + scale * spread) / np.sqrt(1 + scale**2)
    return noisy


def covariance_of(columns: Numbers) -> Numbers:
    """Return the covariance over the rows without a gap; zero when there are fewer than two."""
    complete = columns[~np.isnan(columns).any(axis=1)]
    width = columns.shape[1]
    if len(complete) < 2:
        return np.zeros((width, width))
    return np.asarray(np.cov(complete, rowvar=False), np.float64).reshape(width, width)


def deviation_of(numbers: Numbers) -> float:
    """Return the standard deviation of the numbers present; zero when there are fewer than two."""
    present = numbers[~np.isnan(numbers)]
    return float(present.std(ddof=1)) if len(present) > 1 else 0.0


def expected_deviation(numbers: Numbers, scale: float, kind: str) -> float:
    """Return the standard deviation of the change by a kind of noise, as designed.

    It is not estimated from the numbers drawn: for a few rows that would help to undo the noise.
    """
    present = numbers[~np.isnan(numbers)]
    if kind == "multiplicative":
        return scale * float(np.sqrt(np.mean(present**2))) if len(present) else 0.0
    if kind == "correlated":
        # Shrinking moves numbers too: (1 − 1/r)² + scale²/r² with r² = 1 + scale².
        return deviation_of(numbers) * float(np.sqrt(2 - 2 / np.sqrt(1 + scale**2)))
    return scale * deviation_of(numbers)


def mean_of(numbers: Numbers) -> float:
    present = numbers[~np.isnan(numbers)]
    return float(present.mean()) if len(present) else 0.0


def _root(covariance: Numbers) -> Numbers:
    """Return R with R Rᵀ = covariance, also where columns depend on each other."""
    values, vectors = np.linalg.eigh(covariance)
    root: Numbers = vectors * np.sqrt(np.maximum(values, 0))
    return root
