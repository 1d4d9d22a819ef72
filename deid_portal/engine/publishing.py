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
    return replace(plan, columns=columns), files


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
    shown = released[column.name] if column.name in released else None
    published = _publish_paths(paths, shown, levels.get(column.name, 0))
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


def _publish_paths(paths: list[Path], shown: Column | None, level: int) -> list[Path]:
    """Number what the release does not show; rows stand in the order of what is left of them."""
    visible = {text for text in shown.values if text is not None} if shown is not None else set()
    kept = [
        path[level:] if path[level] in visible else path[level + 1 :] or path[-1:] for path in paths
    ]
    order = sorted(range(len(paths)), key=lambda index: (kept[index][::-1], index))
    height = len(paths[0]) if paths else 0
    return [
        _numbered(kept[index], height, position) for position, index in enumerate(order, start=1)
    ]
