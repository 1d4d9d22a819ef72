"""A plan that has met its table: columns in order, taxonomies built, patterns counted."""

from collections.abc import Sequence
from dataclasses import dataclass

from deid_portal.engine.checking import Checker
from deid_portal.engine.grouping import Patterns
from deid_portal.engine.lattice import Levels
from deid_portal.engine.privacy import PrivacyModel, Whole
from deid_portal.engine.table import Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import Metric


@dataclass(frozen=True, eq=False)
class Problem:
    """What a method needs to know. Columns stand in the order of the table."""

    table: Table
    names: tuple[str, ...]  # the quasi-identifiers
    taxonomies: Sequence[Taxonomy]
    weights: Sequence[float]
    models: Sequence[PrivacyModel]
    patterns: Patterns
    whole: Whole

    @property
    def rows(self) -> int:
        return self.table.rows

    @property
    def heights(self) -> Levels:
        return tuple(taxonomy.height for taxonomy in self.taxonomies)

    def checker(self, metric: Metric) -> Checker:
        return Checker(
            self.patterns, self.taxonomies, self.models, metric, self.weights, self.whole
        )
