"""Nodes that look alike, as numbered classes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.table import Counts


@dataclass(frozen=True, eq=False)
class NodePartition:
    """A class per node.

    Nodes whose look-alikes could not be decided in reasonable time get a class of their own, so
    that risk is never understated; `undecided` counts them.
    """

    class_of: NDArray[np.int32]  # one class per node
    undecided: int = 0

    @classmethod
    def by_keys(cls, *keys: NDArray[Any]) -> "NodePartition":
        """Return classes of nodes with the same number in every array."""
        class_of = np.zeros(len(keys[0]) if keys else 0, np.int64)
        for key in keys:
            _, codes = np.unique(key, return_inverse=True)
            class_of = class_of * (int(codes.max(initial=0)) + 1) + codes.reshape(-1)
            _, class_of = np.unique(class_of, return_inverse=True)
            class_of = class_of.reshape(-1)
        return cls(class_of.astype(np.int32))

    @cached_property
    def sizes(self) -> Counts:
        """Return how many nodes each class has."""
        return np.bincount(self.class_of).astype(np.int64)

    @property
    def candidates(self) -> Counts:
        """Return the number of look-alikes of each node."""
        return self.sizes[self.class_of]

    def crossed(self, other: "NodePartition") -> "NodePartition":
        """Return the classes by both kinds of knowledge together."""
        both = NodePartition.by_keys(self.class_of, other.class_of)
        return NodePartition(both.class_of, max(self.undecided, other.undecided))

    def count_below(self, k: int) -> int:
        """Return how many nodes have fewer than k look-alikes."""
        return int(self.sizes[self.sizes < k].sum())
