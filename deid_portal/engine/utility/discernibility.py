"""Discernibility: from how many records each record cannot be distinguished."""

from typing import ClassVar

from deid_portal.engine.table.table import Counts
from deid_portal.engine.utility.metric import ClassMetric


class Discernibility(ClassMetric):
    """Sum of squared class sizes, a suppressed record adding n (Bayardo and Agrawal, 2005)."""

    name: ClassVar[str] = "discernibility"
    title: ClassVar[str] = "Discernibility"
    axis_title: ClassVar[str] = "Discernibility"
    lost_title: ClassVar[str] = "discernibility"
    cites: ClassVar[str] = (
        "R. Bayardo and R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005."
    )

    def cost(self, class_sizes: Counts, suppressed: int, k: int) -> float:
        rows = int(class_sizes.sum()) + suppressed
        return int(class_sizes @ class_sizes) + suppressed * rows

    def explain(self) -> str:
        return "For each record the number of records it looks like, added up; left out counts all."
