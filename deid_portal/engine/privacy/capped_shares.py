"""Rules that cap how frequent a sensitive value may be in a class."""

from abc import abstractmethod

import numpy as np

from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Codes, Counts


class CappedShares(PrivacyModel):
    """A rule under which no value may make up more of a class than its cap.

    The shares of joined classes are mixtures of theirs, so they stay within a cap that each of them
    keeps. Joining a suppressed class may still push a passing class over the cap.
    """

    column: str

    is_monotone = True
    is_monotone_per_record = False

    @property
    def sensitive_column(self) -> str:
        return self.column

    @abstractmethod
    def caps(self, whole: WholeTable) -> Shares:
        """Return the largest share allowed, one per code of the column; 1 for no limit."""

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._excess(classes, whole) <= ROUNDING * classes.sizes

    def judge(self, classes: Classes, whole: WholeTable) -> tuple[Answers, Counts]:
        """Prove a loss: the kept records of a class, joined again, keep to the caps.

        Of n records, c with a value of cap a, let L be lost. At most a · (n - L) of those c are
        kept, so L is at least c - a · (n - L), which gives L ≥ (c - a · n) / (1 - a).
        """
        passes = self.passes(classes, whole)
        pairs, caps = classes.sensitive[self.column], self.caps(whole)
        over = pairs.counts - caps[pairs.codes] * classes.sizes[pairs.groups]
        lost = np.zeros(len(classes.sizes))
        np.maximum.at(lost, pairs.groups, over / np.maximum(1 - caps[pairs.codes], ROUNDING))
        return passes, self._at_least(np.minimum(lost, classes.sizes), passes)

    def _excess(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return the most records by which each class exceeds a cap; 0 if it exceeds none."""
        pairs = classes.sensitive[self.column]
        over = pairs.counts - self.caps(whole)[pairs.codes] * classes.sizes[pairs.groups]
        return largest(pairs.groups, over, len(classes.sizes))

    def _largest_share(self, classes: Classes, whole: WholeTable, values: Codes) -> float:
        """Return the largest share any of these codes has in any class."""
        pairs = classes.sensitive[self.column]
        chosen = np.isin(pairs.codes, values)
        shares = pairs.counts[chosen] / classes.sizes[pairs.groups[chosen]]
        return float(shares.max(initial=0.0))


def largest(groups: Codes, amounts: Shares, count: int) -> Shares:
    """Return the largest amount of each group, at least 0."""
    answers = np.zeros(count)
    np.maximum.at(answers, groups, amounts)
    return answers
