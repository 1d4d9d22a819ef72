"""What of a plan may leave with its release.

Taxonomies name values: those of people who were left out, and the exact ones of columns that are
released only coarsely. In a published plan every label below the level of the release, and every
label at it that nobody in the release has, is a number. The shape of the trees stays, so that every
figure of the report can be computed again; the full plan stays in the house.
"""

from dataclasses import replace

from deid_portal.engine.plan import ColumnPlan, Plan
from deid_portal.engine.table import Column, Table
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy
from deid_portal.engine.taxonomies.files import encode_rows

Path = tuple[str, ...]


def publish_plan(
    plan: Plan, released: Table, levels: dict[str, int]
) -> tuple[Plan, dict[str, bytes]]:
    """Return the plan as it may be published, and its taxonomy files by name."""
    files: dict[str, bytes] = {}
    columns = tuple(
        _publish_column(column, number, released, levels, files)
        for number, column in enumerate(plan.columns, start=1)
    )
    # Whoever has the seed of a random method could undo it.
    seed = None if any(method.is_random for method in plan.methods) else plan.seed
    measures = plan.measures.without_files()
    return replace(plan, columns=columns, seed=seed, measures=measures), files


def _publish_column(
    column: ColumnPlan,
    number: int,
    released: Table,
    levels: dict[str, int],
    files: dict[str, bytes],
) -> ColumnPlan:
    paths = _paths_of(column.taxonomy)
    if paths is None:
        return column
    published = _publish_paths(paths, released[column.name], levels.get(column.name, 0))
    name = f"taxonomies/column-{number:02d}.csv"
    files[name] = encode_rows(published)
    return replace(column, taxonomy=FileTaxonomy.from_content(name, files[name]))


def _paths_of(recipe: Recipe | None) -> list[Path] | None:
    """Return the paths of a recipe that lists values, None for one that is only a rule."""
    if isinstance(recipe, FileTaxonomy):
        return list(recipe.rows)
    if isinstance(recipe, TreeTaxonomy):
        return list(recipe.leaf_paths)
    return None


def _publish_paths(paths: list[Path], shown: Column, level: int) -> list[Path]:
    """Number what the release does not show; a label keeps its number wherever it stands."""
    visible = set(shown.values)
    numbers: list[dict[str, str]] = [{} for _ in range(level + 1)]
    return [
        tuple(
            _numbered(label, depth, numbers[depth])
            if depth < level or (depth == level and label not in visible)
            else label
            for depth, label in enumerate(path)
        )
        for path in sorted(paths, key=lambda path: path[::-1])
    ]


def _numbered(label: str, depth: int, numbers: dict[str, str]) -> str:
    if not label:
        return label  # the gap has no name to hide
    kind = f"group at level {depth}" if depth else "value"
    return numbers.setdefault(label, f"({kind}, no. {len(numbers) + 1})")
