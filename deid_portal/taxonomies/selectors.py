from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, Taxonomy
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import (
    FlatTaxonomy,
    LevelEffect,
    Outline,
    Recipe,
    TaxonomyNode,
    effect_of_levels,
    effect_on_counts,
    parse_recipe,
)
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyVersion
from deid_portal.web.prefetches import is_prefetched

CHIPS_SHOWN = 60
NODES_SHOWN = 400
# Larger trees are shown in part, and changed by exporting and uploading them.
MOST_EDITED = 20_000
# A tree of up to this many values is shown open; a larger one with its two topmost levels.
VALUES_SHOWN_OPEN = 40


@dataclass(frozen=True)
class TaxonomyView:
    """Everything the workbench shows about the taxonomy of one column."""

    uncovered: list[tuple[str, int]]  # values without a place and their rows, most rows first
    uncovered_count: int
    covered_rows: int
    tree: TaxonomyNode | None
    effects: list[LevelEffect]  # of the values that have a place
    outline: Outline | None = None

    @property
    def hidden_chips(self) -> int:
        return self.uncovered_count - len(self.uncovered)

    @property
    def leaf_count(self) -> int:
        return self.effects[0].values_left if self.effects else 0

    @property
    def open_from(self) -> int:
        """Return the lowest level whose groups are open initially."""
        if self.tree is None or self.leaf_count <= VALUES_SHOWN_OPEN:
            return 0
        return max(self.tree.level - 1, 1)


@dataclass(frozen=True)
class TaxonomyCoverage:
    """How many values of a column, and how many rows, have a place in its taxonomy."""

    placed: int
    total: int
    rows: int | None
    all_rows: int

    @property
    def open(self) -> int:
        return self.total - self.placed

    @property
    def share(self) -> float | None:
        return None if self.rows is None else self.rows / max(self.all_rows, 1)


@dataclass(frozen=True)
class ShelfLine:
    """A column in the list beside the workbench."""

    column: DatasetColumn
    state: str  # complete, partial, none, or not needed
    words: str


def quasi_identifiers(dataset: Dataset) -> list[DatasetColumn]:
    columns = dataset.columns.all()
    if not is_prefetched(dataset, "columns"):
        columns = columns.select_related("taxonomy")
    return [column for column in columns if column.role == ColumnRoleChoices.QUASI_IDENTIFIER]


def may_have_taxonomy(column: DatasetColumn) -> bool:
    """Quasi-identifiers need one; some models use those of sensitive columns as distances."""
    return column.role in (ColumnRoleChoices.QUASI_IDENTIFIER, ColumnRoleChoices.SENSITIVE)


def taxonomy_of(column: DatasetColumn) -> ColumnTaxonomy | None:
    return getattr(column, "taxonomy", None)


def open_columns(dataset: Dataset) -> list[DatasetColumn]:
    """Return the quasi-identifiers whose taxonomy is missing or does not cover every value."""
    return [column for column in quasi_identifiers(dataset) if not _is_complete(column)]


def without_taxonomy(dataset: Dataset) -> list[DatasetColumn]:
    """Return the quasi-identifiers that have no taxonomy at all."""
    return [column for column in quasi_identifiers(dataset) if taxonomy_of(column) is None]


def _is_complete(column: DatasetColumn) -> bool:
    taxonomy = taxonomy_of(column)
    return taxonomy is not None and taxonomy.is_complete


def describe_shelf(dataset: Dataset) -> list[ShelfLine]:
    """List every column that may have a taxonomy, and its coverage; those that need one first."""
    lines = []
    sensitive = dataset.columns.filter(role=ColumnRoleChoices.SENSITIVE).select_related("taxonomy")
    for column in [*quasi_identifiers(dataset), *sensitive]:
        taxonomy = taxonomy_of(column)
        if taxonomy is None and not column.is_quasi_identifier:
            lines.append(ShelfLine(column, "not needed", "sensitive, needs none"))
        elif taxonomy is None:
            lines.append(ShelfLine(column, "none", "none yet"))
        elif taxonomy.is_complete:
            lines.append(ShelfLine(column, "complete", "covers every value"))
        else:
            lines.append(ShelfLine(column, "partial", f"{taxonomy.uncovered} values to place"))
    return lines


def coverage_of(
    column: DatasetColumn, taxonomy: ColumnTaxonomy | None, view: TaxonomyView | None
) -> TaxonomyCoverage:
    """Measure a taxonomy against its column; rows are counted only for those who see values.

    Missing is a value here, as in the tree and in the counts of each level.
    """
    values = column.distinct + bool(column.missing)
    placed = values - taxonomy.uncovered if taxonomy else 0
    covered = view.covered_rows if view else None
    return TaxonomyCoverage(placed, values, covered, column.dataset.rows)


def read_recipe(document: dict[str, Any], file_text: str | None = None) -> Recipe:
    """Return the engine's recipe of a stored document; raises InvalidPlan if it is invalid."""
    if not document:
        return FlatTaxonomy()
    return parse_recipe(Place(document), read_file=lambda _: (file_text or "").encode())


def lay_out_recipe(recipe: Recipe, values: Column) -> Outline | None:
    """Return a recipe's tree as it can be edited; None when it is too large for that."""
    if len(values.values) > MOST_EDITED:
        return None
    outline = Outline.from_recipe(recipe, values)
    return outline if len(outline.branches) <= MOST_EDITED else None


def outline_of(version: TaxonomyVersion) -> Outline | None:
    return Outline.from_document(version.outline) if version.outline else None


def describe_taxonomy(column: DatasetColumn) -> TaxonomyView | None:
    """Describe the coverage of a column's taxonomy and the cost of its levels."""
    taxonomy = taxonomy_of(column)
    if taxonomy is None:
        return None
    outline = outline_of(taxonomy.version) if taxonomy.version else None
    if outline is not None:
        return _describe_outline(outline)
    values = values_of(column)
    recipe = read_recipe(taxonomy.recipe, taxonomy.file_text)
    outline = lay_out_recipe(recipe, values)
    if outline is not None:
        return _describe_outline(outline)
    uncovered = [] if taxonomy.is_complete else recipe.uncovered(values)
    if uncovered:
        counts = dict(zip(values.values, values.counts.tolist(), strict=True))
        missing_rows = sum(counts[text] for text in uncovered)
        chips = sorted(((text, counts[text]) for text in uncovered), key=lambda chip: -chip[1])
        covered_rows = len(values.codes) - missing_rows
        return TaxonomyView(chips[:CHIPS_SHOWN], len(uncovered), covered_rows, None, [])
    built = recipe.build(values)
    tree = built.tree(values, limit=NODES_SHOWN)
    return TaxonomyView([], 0, len(values.codes), tree, effect_of_levels(values, built))


def _describe_outline(outline: Outline) -> TaxonomyView:
    chips = sorted(outline.unplaced.items(), key=lambda chip: -chip[1])
    counts = np.array([branch.rows for branch in outline.values()], dtype=np.int64)
    effects = effect_on_counts(counts, outline.taxonomy())
    covered = int(counts.sum())
    return TaxonomyView(chips[:CHIPS_SHOWN], len(chips), covered, None, effects, outline)


def versions_of_taxonomy(column: DatasetColumn) -> list[TaxonomyVersion]:
    """List the versions of a column's taxonomy, the newest first, with the runs that used each.

    They are not opened: lists need no values.
    """
    versions = TaxonomyVersion.objects.filter(column=column).select_related("made_by")
    counted = versions.annotate(run_count=Count("runs", distinct=True)).order_by("-number")
    return list(counted.defer("recipe", "file_text", "outline", "base", "steps"))


def versions_in_force(dataset: Dataset) -> list[TaxonomyVersion]:
    taxonomies = ColumnTaxonomy.objects.filter(column__dataset=dataset, version__isnull=False)
    return [one.version for one in taxonomies.select_related("version") if one.version]


def is_used(version: TaxonomyVersion) -> bool:
    """True once a run was started with it: the run's record says which version it was."""
    return version.pk is not None and version.runs.exists()


def is_released(version: TaxonomyVersion | None) -> bool:
    """True once a release that it shaped was approved."""
    return version is not None and version.runs.filter(requests__release__isnull=False).exists()


def build_taxonomy(column: DatasetColumn) -> tuple[Column, Taxonomy] | None:
    """Return the values and the complete taxonomy of a column, or None while it is incomplete."""
    taxonomy = taxonomy_of(column)
    if taxonomy is None or not taxonomy.is_complete:
        return None
    values = values_of(column)
    return values, read_recipe(taxonomy.recipe, taxonomy.file_text).build(values)
