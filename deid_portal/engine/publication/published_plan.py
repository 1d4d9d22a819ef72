"""What of a plan may leave with its release.

Taxonomies name values: those of people who were left out, and the exact ones of columns that are
released only coarsely. In a published plan a label keeps its name only if somebody in the release
shows it or a label below it; all others are numbers, and a branch that nobody shows hangs from the
root, so that it cannot be told to which named label it belongs. How many values stand under a label
that is shown stays, so that the detail lost can be computed again; the full plan stays in the
house. Models name values as well, and each says what of it may be published
(`PrivacyModel.published`), by the same numbers.
"""

from collections.abc import Mapping
from dataclasses import replace

from deid_portal.engine.plan import ColumnPlan, Plan, Treatment
from deid_portal.engine.privacy.hidden_names import hidden_name
from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy
from deid_portal.engine.taxonomies.files import encode_rows

Path = tuple[str, ...]


def publish_plan(
    plan: Plan, released: Table, levels: Mapping[str, int]
) -> tuple[Plan, dict[str, bytes]]:
    """Return the plan as it may be published, and its taxonomy files by name."""
    files: dict[str, bytes] = {}
    names = {
        column.name: _Names(released, column.name, levels.get(column.name, 0))
        for column in plan.columns
    }
    columns = tuple(
        _publish_column(column, number, names[column.name], files)
        for number, column in enumerate(plan.columns, start=1)
    )

    def name_of(column: str, value: str | None) -> str | None:
        return names[column].of(value)

    published = replace(
        plan,
        columns=columns,
        models=tuple(model.published(name_of) for model in plan.models),
        seed=plan.without_undoing_seed().seed,
        measures=plan.measures.without_files(),
    )
    return published, files


def hide_values(plan: Plan) -> Plan:
    """Return the plan as it may be kept when nothing of the table is: every value is a number."""
    nothing = Table(())
    tallest = {column.name: _height(column.taxonomy) for column in plan.columns}
    hidden, _ = publish_plan(plan, nothing, tallest)
    return hidden


def _height(recipe: Recipe | None) -> int:
    return max((len(path) - 1 for path in _paths_of(recipe) or ()), default=0)


class _Names:
    """What the labels of one column may be called in public."""

    def __init__(self, released: Table, column: str, level: int) -> None:
        self._shown = _shown_labels(released, column)
        self._level = level
        self._named: set[str] = set()
        self._numbers: list[dict[str, str]] = []

    def along(self, path: Path) -> Path:
        """Return the public names along a path, from the value to the root.

        From the lowest label that somebody shows upwards they are those of the taxonomy; where
        nobody shows any of them, only the root is.
        """
        root = max(len(path) - 1, 1)  # a value without any label above it is no root
        first = next((depth for depth in range(root) if self._is_shown(path[depth], depth)), root)
        self._named.update(path[first:])
        return (
            *(self._number(label, depth) for depth, label in enumerate(path[:first])),
            *path[first:],
        )

    def of(self, value: str | None) -> str | None:
        """Return the name of what a rule is about, the one that the published taxonomy has."""
        if not value or value in self._shown or value in self._named:
            return value
        for depth, numbers in enumerate(self._numbers):
            if value in numbers:
                return self._number(value, depth)
        return self._number(value, 0)

    def _is_shown(self, label: str, depth: int) -> bool:
        return depth >= self._level and label in self._shown

    def _number(self, label: str, depth: int) -> str:
        """Return the number of a label; it keeps it wherever it stands."""
        if not label:
            return label  # the gap has no name to hide
        while len(self._numbers) <= depth:
            self._numbers.append({})
        numbers = self._numbers[depth]
        return numbers.setdefault(label, hidden_name(depth, len(numbers) + 1))


def _shown_labels(released: Table, name: str) -> set[str]:
    if name not in released:
        return set()
    column = released[name]
    pairs = zip(column.values, column.counts.tolist(), strict=True)
    return {label for label, count in pairs if label and count}


def _publish_column(
    column: ColumnPlan, number: int, names: _Names, files: dict[str, bytes]
) -> ColumnPlan:
    if column.treatment == Treatment.REVERSIBLE:
        # That there is a way back, and who has it, is nobody's business outside.
        return replace(column, treatment=Treatment.PSEUDONYM)
    paths = _paths_of(column.taxonomy)
    if paths is None:
        return column
    published = [names.along(path) for path in sorted(paths, key=_from_the_root)]
    # In the order of the public names: that of the true ones would tell between which two of them a
    # hidden one stands.
    published.sort(key=_from_the_root)
    name = f"taxonomies/column-{number:02d}.csv"
    files[name] = encode_rows(published)
    return replace(column, taxonomy=FileTaxonomy.from_content(name, files[name]))


def _from_the_root(path: Path) -> Path:
    return path[::-1]


def _paths_of(recipe: Recipe | None) -> list[Path] | None:
    """Return the paths of a recipe that lists values, None for one that is only a rule."""
    if isinstance(recipe, FileTaxonomy):
        return list(recipe.rows)
    if isinstance(recipe, TreeTaxonomy):
        return list(recipe.leaf_paths)
    return None
