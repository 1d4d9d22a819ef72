"""A plan applied to a table: columns in table order, taxonomies built, patterns counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from deid_portal.engine.privacy import Original, PrivacyModel, SensitiveColumn, WholeTable
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.check import Checker
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Recipe, Taxonomy
from deid_portal.engine.utility import Metric


@dataclass(frozen=True)
class ReleasedColumnPlan:
    """What the plan says about a released column."""

    is_pseudonym: bool = False
    type: ColumnType | None = None  # None: inferred from the cells
    taxonomy: Recipe | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """What a method needs to know. Columns stand in the order of the table."""

    table: Table
    names: tuple[str, ...]  # the quasi-identifiers
    taxonomies: Sequence[Taxonomy]
    weights: Sequence[float]
    models: Sequence[PrivacyModel]
    patterns: Patterns
    whole: WholeTable
    recipes: Sequence[Recipe] = ()  # how the taxonomies were made
    released: Mapping[str, ReleasedColumnPlan] = field(default_factory=dict)  # the released columns

    @classmethod
    def pose(
        cls,
        table: Table,
        recipes: Mapping[str, Recipe],  # of the quasi-identifiers
        weights: Mapping[str, float],
        models: Sequence[PrivacyModel],
        sensitive_recipes: Mapping[str, Recipe | None],
        progress: Progress,
    ) -> "Problem":
        """Build the taxonomies and count the patterns of a table."""
        names = tuple(name for name in table.names if name in recipes)
        wanted = {name for model in models for name in model.counted_columns}
        sensitive = [name for name in table.names if name in wanted]
        taxonomies = [recipes[name].build(table[name]) for name in names]
        patterns = reduce_table(table, names, sensitive, progress)
        own = [recipes[name] for name in names]
        return cls(
            table=table,
            names=names,
            taxonomies=taxonomies,
            weights=[weights[name] for name in names],
            models=models,
            patterns=patterns,
            whole=WholeTable(
                table.rows,
                {
                    name: SensitiveColumn(table[name], sensitive_recipes.get(name))
                    for name in sensitive
                },
                Original([table[name] for name in names], taxonomies, patterns, own),
            ),
            recipes=own,
        )

    def for_table(self, table: Table, progress: Progress) -> "Problem":
        """Pose the same problem for another table with the same columns."""
        problem = Problem.pose(
            table,
            dict(zip(self.names, self.recipes, strict=True)),
            dict(zip(self.names, self.weights, strict=True)),
            self.models,
            {name: column.recipe for name, column in self.whole.sensitive.items()},
            progress,
        )
        return replace(problem, released=self.released).with_populations(self.whole.populations)

    def with_populations(self, populations: Sequence[Population]) -> "Problem":
        """Return the problem with these populations, of which the table is a sample."""
        return replace(self, whole=replace(self.whole, populations=populations))

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
