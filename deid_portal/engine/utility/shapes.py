"""How much the labels of a released column stand for, in numbers that need no value of it.

With them, and with the number of people left out, whoever holds the release can measure the detail
that was lost: a label costs by how many leaves of the taxonomy stand under it, whichever they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deid_portal.engine.table import Column
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.metric import Numbers
from deid_portal.engine.utility.shown import describe_labels, find_labels, look_behind

Label = str | None
Place = tuple[int, int]  # leaves under a label, and its level
EXACT: Place = (1, 0)


@dataclass(frozen=True)
class ColumnShape:
    """The taxonomy of a column as far as a release shows it; a label not listed is one value."""

    leaves: int
    height: int
    labels: Mapping[Label, Place]

    @classmethod
    def of(cls, original: Column, taxonomy: Taxonomy, shown: Sequence[Label]) -> "ColumnShape":
        """Return the shape behind these labels, those of the taxonomy and others alike."""
        places: dict[Label, Place] = {
            label: (int(taxonomy.leaves[level][code]), level)
            for label, (level, code) in find_labels(taxonomy, shown).items()
        }
        others = [label for label in shown if label not in places]
        read = describe_labels(taxonomy, original.counts, look_behind(original, taxonomy, others))
        pairs = zip(read.leaves.tolist(), read.levels.tolist(), strict=True)
        places |= dict(zip(others, pairs, strict=True))
        coarse = {label: place for label, place in places.items() if place != EXACT}
        return cls(taxonomy.leaf_count, taxonomy.height, coarse)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "ColumnShape":
        labels = {
            label or None: (int(leaves), int(level))
            for label, (leaves, level) in document["labels"].items()
        }
        return cls(int(document["leaves"]), int(document["height"]), labels)

    def to_document(self) -> dict[str, Any]:
        """Return it for JSON; the gap is an empty text, as it is an empty cell."""
        labels = {label or "": list(place) for label, place in self.labels.items()}
        return {"leaves": self.leaves, "height": self.height, "labels": labels}

    def costs(self, column: Column, left_out: int) -> dict[str, float]:
        """Return what a released column costs by the metrics that look at leaves and levels."""
        places = [self.labels.get(label, EXACT) for label in column.values]
        leaves = np.array([own for own, _ in places], np.float64)
        levels = np.array([level for _, level in places], np.float64)
        most = self.leaves - 1

        def mean(costs: Numbers, hidden: float) -> float:
            total = float(costs @ column.counts) + hidden * left_out
            return total / max(column.rows + left_out, 1)

        return {
            "loss": mean((leaves - 1) / max(most, 1), 1.0),
            "iloss": mean((leaves - 1) / self.leaves, most / self.leaves),
            "precision": mean(levels / max(self.height, 1), 1.0),
        }
