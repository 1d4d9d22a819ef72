"""Average class size: how much larger the groups are than they had to be."""

from typing import ClassVar

from deid_portal.engine.table.table import Counts
from deid_portal.engine.utility.metric import ClassMetric


class AverageClassSize(ClassMetric):
    """(Released records / classes) / k (LeFevre et al., 2006)."""

    name: ClassVar[str] = "average_class_size"
    title: ClassVar[str] = "Average group size"
    axis_title: ClassVar[str] = "Average group size"
    lost_title: ClassVar[str] = "average group size"
    cites: ClassVar[str] = "K. LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006."

    def cost(self, class_sizes: Counts, suppressed: int, k: int) -> float:
        return float(class_sizes.sum()) / max(len(class_sizes), 1) / k

    def explain(self) -> str:
        return "The mean size of a group, as a multiple of the k that was asked for."
