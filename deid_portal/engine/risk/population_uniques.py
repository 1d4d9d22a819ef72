"""Population uniques: how many people are unique not only in the table but in the population.

Three estimators and the rule that chooses among them: F. Dankar, K. El Emam, A. Neisa and
T. Roffey, Estimating the re-identification risk of clinical data sets, BMC Medical Informatics and
Decision Making 12:66, 2012.
"""

from collections.abc import Mapping
from math import exp, inf, isfinite, lgamma, log

import numpy as np

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.report.risk import PopulationUniques
from deid_portal.engine.table.table import Counts

SMALL_FRACTION = 0.1


def estimate_population_uniques(sizes: Counts, population_size: int) -> PopulationUniques:
    """Estimate from the class sizes of a random sample of a population of known size."""
    rows = int(sizes.sum())
    if population_size < max(rows, 1):
        raise InvalidPlan(f"The population must have at least the {rows} people of the table.")
    uniques = int((sizes == 1).sum())
    answers = {name: _ask(name, sizes, population_size) for name in ESTIMATORS}
    model = _choose(answers, rows / population_size) if uniques else "none"
    estimate = (answers[model] or 0.0) if uniques else 0.0
    known = [answer for answer in answers.values() if answer is not None] or [0.0]
    return PopulationUniques(
        estimate=estimate,
        share=estimate / population_size,
        model=model,
        lowest=min(known),
        highest=max(known),
        by_model=answers,
        sample_uniques=uniques,
        population_size=population_size,
    )


def estimate_zayatz(sizes: Counts, population_size: int) -> float:
    """Bayes with the sample's class sizes as prior and hypergeometric sampling.

    L. Zayatz, Estimation of the percent of unique population elements on a microdata file using the
    sample, US Bureau of the Census, 1991.
    """
    rows = int(sizes.sum())
    distinct, classes = np.unique(sizes, return_counts=True)
    seen_once = [_chance_of_one(int(size), rows, population_size) for size in distinct]
    evidence = float(classes @ np.array(seen_once))
    alone = float(classes[distinct == 1].sum())
    fraction = rows / population_size
    return alone / fraction * (alone * fraction / evidence) if evidence else 0.0


def estimate_pitman(sizes: Counts, population_size: int) -> float:
    """Expected singletons of the Pitman sampling formula at its likeliest parameters.

    N. Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal
    of Official Statistics 17(4), 2001.
    """
    from scipy.optimize import minimize

    rows = int(sizes.sum())
    distinct, classes = np.unique(sizes, return_counts=True)
    pairs = list(zip(distinct.tolist(), classes.tolist(), strict=True))

    def unlikeliness(point: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
        alpha, theta = _pitman_parameters(float(point[0]), float(point[1]))
        return -_pitman_likelihood(alpha, theta, rows, len(sizes), pairs)

    start = np.array([0.0, log(max(len(sizes), 2) / 2)])
    found = minimize(unlikeliness, start, method="Nelder-Mead", options={"maxiter": 2000})
    alpha, theta = _pitman_parameters(float(found.x[0]), float(found.x[1]))
    size = population_size
    return size * exp(
        lgamma(theta + 1)
        - lgamma(theta + alpha)
        + lgamma(theta + alpha + size - 1)
        - lgamma(theta + size)
    )


def estimate_snb(sizes: Counts, population_size: int) -> float:
    """Slide negative binomial: class sizes are 1 + a negative binomial number, thinned by sampling.

    G. Chen and S. Keller-McNulty, Estimation of identification disclosure risk in microdata,
    Journal of Official Statistics 14(1), 1998. Shape and success chance are those that reproduce
    the sample's number of classes and of uniques, found by least squares.
    """
    from scipy.optimize import least_squares

    rows, uniques = int(sizes.sum()), int((sizes == 1).sum())
    fraction = rows / population_size

    def misfit(point: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[float]:
        shape, success = exp(float(point[0])), _logistic(float(point[1]))
        classes = population_size / (1 + shape * (1 - success) / success)
        left, slope = _snb_generating(shape, success, 1 - fraction)
        return [
            classes * (1 - left) / len(sizes) - 1,
            classes * fraction * slope / max(uniques, 1) - 1,
        ]

    starts = [(-2.0, -1.0), (0.0, 0.0), (-1.0, -4.0), (2.0, 1.0)]
    best = min(
        (least_squares(misfit, start, bounds=(-20, 20)) for start in starts),
        key=lambda found: found.cost,
    )
    if best.cost > 1e-3:
        return inf
    shape, success = exp(float(best.x[0])), _logistic(float(best.x[1]))
    classes = population_size / (1 + shape * (1 - success) / success)
    return float(classes * success**shape)


ESTIMATORS = {"pitman": estimate_pitman, "zayatz": estimate_zayatz, "snb": estimate_snb}


def _ask(name: str, sizes: Counts, population_size: int) -> float | None:
    """Return one estimator's answer: a possible number, or None."""
    uniques = int((sizes == 1).sum())
    if uniques == 0 or int(sizes.sum()) == population_size:
        return float(uniques)
    try:
        answer = float(ESTIMATORS[name](sizes, population_size))
    except (ArithmeticError, ValueError):
        return None
    return min(answer, float(population_size)) if isfinite(answer) and answer > 0 else None


def _choose(answers: Mapping[str, float | None], fraction: float) -> str:
    """Pitman for small samples, otherwise the smaller of Zayatz and SNB (Dankar et al., 2012)."""
    if fraction <= SMALL_FRACTION:
        return "pitman" if answers["pitman"] is not None else "zayatz"
    snb, zayatz = answers["snb"], answers["zayatz"]
    return "zayatz" if snb is None or (zayatz is not None and zayatz < snb) else "snb"


def _chance_of_one(size: int, rows: int, population_size: int) -> float:
    """Return the chance that exactly one of a class of this size was drawn."""
    if size == 1:
        return rows / population_size
    others, undrawn = population_size - size, population_size - rows
    if undrawn < size - 1:
        return 0.0
    return exp(log(size) + _log_choose(others, rows - 1) - _log_choose(population_size, rows))


def _log_choose(total: int, chosen: int) -> float:
    if not 0 <= chosen <= total:
        return -inf
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)


def _pitman_parameters(first: float, second: float) -> tuple[float, float]:
    alpha = min(max(_logistic(first), 1e-9), 1 - 1e-9)
    return alpha, exp(min(second, 40.0)) - alpha


def _pitman_likelihood(
    alpha: float, theta: float, rows: int, classes: int, pairs: list[tuple[int, int]]
) -> float:
    """Return the logarithm of the sampling formula, without its constant part."""
    if theta <= -alpha:
        return -inf
    growing = (classes - 1) * log(alpha) + lgamma(theta / alpha + classes)
    growing -= lgamma(theta / alpha + 1) + lgamma(theta + rows) - lgamma(theta + 1)
    alone = lgamma(1 - alpha)
    return growing + sum(count * (lgamma(size - alpha) - alone) for size, count in pairs)


def _snb_generating(shape: float, success: float, at: float) -> tuple[float, float]:
    """Return the generating function of a class size at a point, and its slope there."""
    rest = 1 - (1 - success) * at
    power = (success / rest) ** shape
    return at * power, power * (1 + at * shape * (1 - success) / rest)


def _logistic(number: float) -> float:
    return 1 / (1 + exp(-number))
