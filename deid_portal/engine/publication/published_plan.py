"""The published form of a plan.

Taxonomies name values: those of suppressed records, and the exact ones of generalized columns. In a
published plan a label keeps its name only if the release contains it or a label below it. All other
labels are replaced by numbers, and branches without any released label are attached to the root, so
that their parent is not revealed. The number of values below a released label is kept, so that the
loss can be recomputed. Models name values as well; each decides what of it is published
(`PrivacyModel.published`), with the same numbers.

Where a steward says that the labels of a taxonomy are public knowledge, the values and groups below
a released label keep their names as well, if a released record had them: so an analyst learns what
a group stands for. A value that only people who were left out have stays a number, as does one that
nobody has; a number tells none of both.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from deid_portal.engine.plan import ColumnPlan, Plan, Treatment
from deid_portal.engine.privacy.hidden_names import hidden_name
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy
from deid_portal.engine.taxonomies.files import encode_rows

Path = tuple[str, ...]


def publish_plan(
    plan: Plan,
    released: Table,
    levels: Mapping[str, int],
    behind: Mapping[str, Collection[str]] | None = None,
) -> tuple[Plan, dict[str, bytes]]:
    """Return the published plan, and its taxonomy files by name.

    `behind` holds, by column with public labels, the original values of the released records.
    """
    files: dict[str, bytes] = {}
    for method in plan.methods:
        levels = {**levels, **method.levels_of_sensitive}
    names = {
        column.name: _Names(released, column.name, levels.get(column.name, 0))
        for column in plan.columns
    }
    for name, values in (behind or {}).items():
        planned = plan.column(name)
        if planned is not None and planned.public_labels:
            names[name].open_to(_paths_of(planned.taxonomy) or (), values)
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


def values_behind(plan: Plan, original: Table, rows: Codes) -> dict[str, frozenset[str]]:
    """Return the original values of the released records, by column with public labels.

    `rows` holds the original row of each of them; those that were made up have none.
    """
    kept = rows[rows >= 0]
    found = {}
    for planned in plan.columns:
        if planned.public_labels and planned.name in original:
            column = original[planned.name]
            codes = np.unique(column.codes[kept])
            texts = (column.values[code] for code in codes.tolist())
            found[planned.name] = frozenset(text for text in texts if text is not None)
    return found


def hide_values(plan: Plan) -> Plan:
    """Return the plan to keep after its table was deleted, with a number for every value."""
    nothing = Table(())
    tallest = {column.name: _height(column.taxonomy) for column in plan.columns}
    hidden, _ = publish_plan(plan, nothing, tallest)
    return hidden


def _height(recipe: Recipe | None) -> int:
    return max((len(path) - 1 for path in _paths_of(recipe) or ()), default=0)


class _Names:
    """The published names of the labels of one column."""

    def __init__(self, released: Table, column: str, level: int) -> None:
        self._shown = _shown_labels(released, column)
        self._level = level
        self._named: set[str] = set()
        self._public: set[tuple[int, str]] = set()
        self._numbers: list[dict[str, str]] = []

    def open_to(self, paths: Iterable[Path], values: Collection[str]) -> None:
        """Name what stands above these values, and the values, below labels that are released."""
        known = set(values)
        for path in paths:
            root = max(len(path) - 1, 1)
            released = any(self._is_released(path[depth], depth) for depth in range(root))
            if path[0] in known and released:
                self._public.update(enumerate(path))

    def along(self, path: Path) -> Path:
        """Return the published names along a path, from the value to the root.

        Labels keep their names from the lowest released one upwards; without any released label,
        only the root does.
        """
        root = max(len(path) - 1, 1)  # a value without parents is not a root
        first = next((depth for depth in range(root) if self._is_shown(path[depth], depth)), root)
        self._named.update(path[first:])
        return (
            *(self._number(label, depth) for depth, label in enumerate(path[:first])),
            *path[first:],
        )

    def of(self, value: str | None) -> str | None:
        """Return the published name of a value that a rule names."""
        if not value or value in self._shown or value in self._named:
            return value
        for depth, numbers in enumerate(self._numbers):
            if value in numbers:
                return self._number(value, depth)
        return self._number(value, 0)

    def _is_shown(self, label: str, depth: int) -> bool:
        return (depth, label) in self._public or self._is_released(label, depth)

    def _is_released(self, label: str, depth: int) -> bool:
        return depth >= self._level and label in self._shown

    def _number(self, label: str, depth: int) -> str:
        """Return the number of a label, the same wherever it occurs."""
        if not label:
            return label  # the missing value has no name to hide
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
        # Do not publish that pseudonyms can be reversed, nor by whom.
        return replace(column, treatment=Treatment.PSEUDONYM)
    paths = _paths_of(column.taxonomy)
    if paths is None:
        return column
    published = [names.along(path) for path in sorted(paths, key=_from_the_root)]
    # Sort by published names: the original order would reveal between which labels a hidden one is.
    published.sort(key=_from_the_root)
    name = f"taxonomies/column-{number:02d}.csv"
    files[name] = encode_rows(published)
    return replace(column, taxonomy=FileTaxonomy.from_content(name, files[name]))


def _from_the_root(path: Path) -> Path:
    return path[::-1]


def _paths_of(recipe: Recipe | None) -> list[Path] | None:
    """Return the paths of a taxonomy that lists its values, None for a rule-based one."""
    if isinstance(recipe, FileTaxonomy):
        return list(recipe.rows)
    if isinstance(recipe, TreeTaxonomy):
        return list(recipe.leaf_paths)
    return None
