"""Transition matrices: the randomized answer given the true one, and estimates of the true shares.

Row i holds the probabilities of what is shown where category i is true; every row sums to one. The
shares shown are then Pᵀ times the true ones, not P times (they agree only for a symmetric P).

S. L. Warner, Randomized response, JASA 60, 1965. J. M. Gouweleeuw, P. Kooiman, L. Willenborg and
P.-P. de Wolf, Post randomisation for statistical disclosure control, JOS 14(4), 1998.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Counts

# Above this condition number rounding errors dominate the inverse.
WORST_CONDITION = 1e9


@dataclass(frozen=True, eq=False)
class ShareEstimate:
    """True shares computed back from what is shown, one entry per category.

    The estimates are unbiased, so a rare category may come out below zero. `errors` are standard
    errors of the shares in the table itself, where only the randomization is uncertain;
    `sampling_errors` are those for a population of which the table is a simple random sample.
    """

    shares: Numbers
    errors: Numbers
    sampling_errors: Numbers


@dataclass(frozen=True, eq=False)
class Transition:
    """A square matrix of probabilities, true category × shown category."""

    matrix: Numbers

    @classmethod
    def truth_or_draw(cls, truth: float, drawn: Numbers) -> "Transition":
        """Tell the truth with probability `truth`, else draw a category by the shares `drawn`."""
        return cls(truth * np.eye(len(drawn)) + (1 - truth) * drawn[np.newaxis, :])

    @classmethod
    def for_epsilon(cls, epsilon: float, categories: int) -> "Transition":
        """Return k-ary randomized response: e^ε times likelier to show the truth than any other."""
        other = np.exp(-epsilon)  # relative to the truth, so that a large ε does not overflow
        matrix = np.full((categories, categories), other)
        np.fill_diagonal(matrix, 1.0)
        return cls(matrix / (1 + (categories - 1) * other))

    @property
    def categories(self) -> int:
        return len(self.matrix)

    @cached_property
    def epsilon(self) -> float:
        """Return the level of local differential privacy, infinite if there is none.

        The logarithm of the largest ratio within a column: how much likelier one true category may
        make what is shown than another. A zero beside a positive number rules a category out, so
        there is no level.
        """
        if not self.categories:
            return 0.0
        shown = self.matrix[:, self.matrix.any(axis=0)]
        lowest, highest = shown.min(axis=0), shown.max(axis=0)
        if not lowest.all():
            return float("inf")
        return float(np.log(highest / lowest).max())

    @cached_property
    def is_invertible(self) -> bool:
        return bool(np.linalg.cond(self.matrix) < WORST_CONDITION)

    def change(self, codes: Codes, generator: np.random.Generator) -> Codes:
        """Draw what is shown for each row, given its true category."""
        draws = generator.random(len(codes))
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(self.categories + 1))
        shown = np.empty(len(codes), np.int32)
        for category, steps in enumerate(self._cumulative):
            rows = order[starts[category] : starts[category + 1]]
            shown[rows] = np.searchsorted(steps, draws[rows], side="right")
        return shown

    def keeping(self, shares: Numbers) -> "Transition":
        """Return the invariant matrix that leaves these true shares as they are, on average.

        The shown category is replaced by a draw of what may have been its true category (Gouweleeuw
        et al., 1998, section 3): R = P Q, where Q holds the chances of the true category given the
        shown one.
        """
        joint = shares[:, np.newaxis] * self.matrix
        shown = joint.sum(axis=0)
        truth = np.where(shown > 0, joint / np.where(shown > 0, shown, 1), np.eye(len(shares)))
        return Transition(self.matrix @ truth.T)

    def read_directly(self, counts: Counts) -> ShareEstimate:
        """Return the shares shown by a matrix that keeps them, as estimates of the true ones."""
        rows = max(int(counts.sum()), 1)
        shown = counts / rows
        randomized = np.diag(shown) - self.matrix.T @ np.diag(shown) @ self.matrix
        same = np.eye(len(shown))
        sampled = np.diag(shown) - np.outer(shown, shown) + randomized
        return ShareEstimate(shown, _errors(same, randomized, rows), _errors(same, sampled, rows))

    def estimate(self, counts: Counts) -> ShareEstimate:
        """Return the true shares behind counts of what is shown, with their standard errors.

        π̂ = (Pᵀ)⁻¹ o. Given the truth, what is shown has the covariance
        (diag(o) − Pᵀ diag(π) P) / n, which is linear in o and π, so putting the estimates in keeps
        it unbiased. A sample of a population adds (diag(π) − ππᵀ) / n, together the covariance
        (diag(o) − ooᵀ) / n of what is shown.
        """
        rows = max(int(counts.sum()), 1)
        shown = counts / rows
        back: Numbers = np.linalg.inv(self.matrix.T).astype(np.float64)
        shares = back @ shown
        randomized = np.diag(shown) - self.matrix.T @ np.diag(shares) @ self.matrix
        sampled = np.diag(shown) - np.outer(shown, shown)
        return ShareEstimate(shares, _errors(back, randomized, rows), _errors(back, sampled, rows))

    @cached_property
    def _cumulative(self) -> Numbers:
        """Return per row the running sums, exactly one from the last possible category on."""
        sums = np.cumsum(self.matrix, axis=1)
        for row, steps in zip(self.matrix, sums, strict=True):
            steps[np.flatnonzero(row)[-1] :] = 1.0
        return sums


def _errors(back: Numbers, covariance: Numbers, rows: int) -> Numbers:
    variances = ((back @ covariance) * back).sum(axis=1) / rows
    # An estimate below zero can push a variance there; rounding can too.
    errors: Numbers = np.sqrt(np.maximum(variances, 0))
    return errors
