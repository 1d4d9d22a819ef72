"""Changes of a new version, and carried-over decisions that do not fit it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.selectors import datasets_of_team
from deid_portal.plans.subjects import PlannedSubject
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.selectors import describe_taxonomy, taxonomy_of
from deid_portal.versions.comparison import ColumnChange, Drift

NAMES_SHOWN = 3


@dataclass(frozen=True)
class Misfit:
    """A problem to be solved before a run: what it is, why it matters, where to solve it."""

    title: str
    text: str
    act: str
    url: str
    icon: str
    column: DatasetColumn | None = None  # the one whose values have no place


@dataclass(frozen=True)
class UnplacedValues:
    """Values of one column that its taxonomy has no place for."""

    column: DatasetColumn
    values: int
    rows: int
    listed: list[tuple[str, int]]  # those with most rows; only stewards get to see them
    url: str

    @property
    def more(self) -> int:
        return self.values - len(self.listed)


@dataclass(frozen=True)
class CarriedCounts:
    """How many decisions were carried over from the version before."""

    roles: int
    taxonomies: int
    has_plan: bool


def drift_of(dataset: Dataset) -> Drift | None:
    """Return the comparison with the version before; None for a first version."""
    return None if dataset.drift is None else Drift.from_document(dataset.drift)


def carried_over(dataset: Dataset) -> CarriedCounts:
    columns = [column for column in dataset.columns.all() if column.is_carried]
    taxonomies = ColumnTaxonomy.objects.filter(column__in=columns)
    return CarriedCounts(len(columns), taxonomies.count(), hasattr(dataset, "protection"))


def what_does_not_fit(dataset: Dataset, *, thorough: bool = False) -> list[Misfit]:
    """List what prevents a run, in the order of the steps.

    Unless `thorough`, it is cheap: it loads neither the table nor the comparison.
    """
    columns = _columns_of(dataset)
    return [
        *_undecided(dataset, columns),
        *_without_place(dataset, columns),
        *_of_the_plan(dataset, thorough=thorough),
    ]


def _columns_of(dataset: Dataset) -> list[DatasetColumn]:
    columns = dataset.columns.select_related("taxonomy")
    return list(columns.defer("profile", "taxonomy__recipe", "taxonomy__file_text"))


def _undecided(dataset: Dataset, columns: Iterable[DatasetColumn]) -> Iterator[Misfit]:
    names = [column.name for column in columns if not column.role]
    if names:
        are = "column has" if len(names) == 1 else "columns have"
        yield Misfit(
            f"{len(names):,} {are} no role",
            f"{name_a_few(names)}: new in this file, or of another type than before. "
            "A column without a role is never released.",
            "Tag columns",
            reverse("datasets:columns", args=[dataset.id]),
            "tag",
        )


def _without_place(dataset: Dataset, columns: Iterable[DatasetColumn]) -> Iterator[Misfit]:
    for column in columns:
        taxonomy = taxonomy_of(column)
        url = reverse("taxonomies:workbench", args=[dataset.id, column.position])
        if taxonomy is not None and taxonomy.uncovered:
            count = taxonomy.uncovered
            are, they = ("value has", "it is") if count == 1 else ("values have", "they are")
            blocked = (
                f"Runs are blocked until {they} placed."
                if column.is_quasi_identifier
                else f"Until {they} placed, runs do without its taxonomy."
            )
            yield Misfit(
                f"{count:,} {are} no place in the tree",
                f"The new file brought values that the taxonomy of {column.name} does not cover. "
                f"{blocked}",
                "Place values",
                url,
                "sitemap",
                column,
            )
        elif taxonomy is None and _needs_taxonomy(dataset, column):
            yield Misfit(
                f"{column.name} has no taxonomy",
                "Nothing says how it may be made coarser, so no run can start.",
                "Build one",
                url,
                "sitemap",
                column,
            )


def _needs_taxonomy(dataset: Dataset, column: DatasetColumn) -> bool:
    """Say whether a column needs a taxonomy; attributes of networks can do without."""
    return column.role == ColumnRoleChoices.QUASI_IDENTIFIER and dataset.subject.needs_taxonomies


def _of_the_plan(dataset: Dataset, *, thorough: bool) -> Iterator[Misfit]:
    for sentence in PlannedSubject.of(dataset).misfits(thorough=thorough):
        yield Misfit(
            "The plan does not fit",
            sentence,
            "Change the plan",
            reverse(dataset.subject.pages["protection"], args=[dataset.id]),
            "shield-x",
        )


def name_a_few(names: list[str]) -> str:
    """Name a few and count the rest."""
    shown, more = names[:NAMES_SHOWN], len(names) - NAMES_SHOWN
    parts = [*shown, f"{more:,} more"] if more > 0 else shown
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def unplaced_values(dataset: Dataset) -> list[UnplacedValues]:
    """Count values without a place per column, and their rows; opens those taxonomies only."""
    columns = dataset.columns.select_related("taxonomy__version")
    return [_unplaced_of(dataset, column) for column in columns.filter(taxonomy__uncovered__gt=0)]


def _unplaced_of(dataset: Dataset, column: DatasetColumn) -> UnplacedValues:
    view = describe_taxonomy(column)
    url = reverse("taxonomies:workbench", args=[dataset.id, column.position])
    if view is None:
        return UnplacedValues(column, 0, 0, [], url)
    rows = dataset.rows - view.covered_rows
    return UnplacedValues(column, view.uncovered_count, rows, view.uncovered, url)


def versions_awaiting(user: User, team: Team) -> list[tuple[Dataset, list[Misfit]]]:
    """Return new versions that wait for a steward: something does not fit, and none was run.

    Ask it for stewards only. One query where there is no such version, a handful for each.
    """
    newest = datasets_of_team(user, team).filter(
        previous__isnull=False, state=Dataset.State.READY, runs__isnull=True
    )
    looked_at = ((dataset, what_does_not_fit(dataset)) for dataset in newest)
    return [(dataset, misfits) for dataset, misfits in looked_at if misfits]


def order_changes(changes: Iterable[ColumnChange], unplaced: set[str]) -> list[ColumnChange]:
    """Sort by need for attention: gone, new, retyped, uncovered values, most changed."""

    def order(change: ColumnChange) -> tuple[int, float, int]:
        kinds = (change.is_gone, change.is_new, change.is_retyped, change.name in unplaced)
        kind = kinds.index(True) if any(kinds) else len(kinds)
        return kind, -(change.distance or 0) * (change.verdict != "same"), change.position or 0

    return sorted(changes, key=order)
