import hashlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.permissions import DATASET_ROLES
from deid_portal.datasets.models import ArrivingUpload, Dataset, DatasetColumn, Reading, Tagging
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.policies import check_can_be_continued
from deid_portal.datasets.subjects import TableSubject
from deid_portal.engine import Column, InvalidTable, Table
from deid_portal.engine.detection import Isolation, measure_isolation
from deid_portal.engine.files.arrow import read_arrow
from deid_portal.engine.files.csv.row_problems import MOST_SHOWN, RowProblem
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.sample import SAMPLE_ROWS
from deid_portal.engine.files.table_reader import FilePreview, list_row_problems, preview_file
from deid_portal.vault import vault
from deid_portal.web.refusals import refusal
from deid_portal.work.limits import limits_of_file

PREVIEW_ROWS = 8
# The settings that determine the boundaries of cells.
CUT_INTO_CELLS = frozenset({"delimiter", "quote", "encoding", "sheet", "first_row"})
KEPT_SECONDS = 3600


@dataclass(frozen=True)
class BadRows:
    """Rows that cannot be read, and whether the whole file was searched for them."""

    problems: tuple[RowProblem, ...]
    is_whole: bool

    @property
    def is_cut(self) -> bool:
        return len(self.problems) == MOST_SHOWN


def visible_datasets(user: User) -> QuerySet[Dataset]:
    """Return the datasets visible to a person, without the large comparison of versions."""
    datasets = Dataset.objects.filter(
        team__memberships__user=user, team__memberships__role__in=DATASET_ROLES
    )
    return datasets.defer("drift").distinct()


def datasets_of_team(user: User, team: Team) -> QuerySet[Dataset]:
    """Return the newest version of every dataset of a team, the last changed first."""
    later = Dataset.objects.filter(series=OuterRef("series"), version__gt=OuterRef("version"))
    newest = visible_datasets(user).filter(~Exists(later), team=team)
    return newest.order_by("-changed_at")


def tables_of_team(user: User, team: Team) -> QuerySet[Dataset]:
    return datasets_of_team(user, team).filter(kind__in=TableSubject.kinds())


def versions_of_dataset(dataset: Dataset) -> QuerySet[Dataset]:
    """Return every version of a dataset, the newest first, without sealed fields."""
    versions = Dataset.objects.filter(series=dataset.series).select_related("team")
    return versions.defer("drift").order_by("-version")


def arriving_uploads_of(user: User, team: Team) -> QuerySet[ArrivingUpload]:
    """Return the incomplete uploads of a person, who may resume them."""
    return ArrivingUpload.objects.filter(sent_by=user, team=team).select_related("next_of")


def why_not_continued(user: User, newest: Dataset) -> str:
    """Return why no next version can be added now, or an empty text."""
    return refusal(check_can_be_continued, newest) or refusal(check_can_change, user, newest)


def datasets_to_continue(user: User, team: Team, upload: Dataset | None = None) -> list[Dataset]:
    """Return the datasets that a file could be the next version of, by name.

    For an upload that is a next version already, also the version before it.
    """
    read = (Dataset.State.READY, Dataset.State.FORGOTTEN)
    newest = tables_of_team(user, team).filter(state__in=read)
    before = [upload.previous] if upload is not None and upload.previous else []
    return sorted([*before, *newest], key=lambda dataset: dataset.name.lower())


def get_dataset_or_404(user: User, dataset_id: UUID) -> Dataset:
    return get_object_or_404(visible_datasets(user).select_related("team"), id=dataset_id)


def find_dataset(user: User, text: str) -> Dataset | None:
    """Return the dataset of an id in an address, or None if the person may not see one."""
    try:
        return visible_datasets(user).filter(id=UUID(text)).first()
    except ValueError:
        return None


def get_column_or_404(dataset: Dataset, position: int) -> DatasetColumn:
    return get_object_or_404(dataset.columns, position=position)


def columns_without_values(dataset: Dataset) -> list[DatasetColumn]:
    """Return all columns in order; sealed fields are loaded on access only."""
    return list(dataset.columns.defer("profile"))


def last_decided_by_others(dataset: Dataset, position: int, person: User) -> Tagging | None:
    """Return the last step in which another person assigned the role of a column."""
    others = dataset.taggings.exclude(made_by=person).select_related("made_by")
    return others.filter(after__has_key=str(position)).first()


def isolation_of(dataset: Dataset, positions: Collection[int]) -> Isolation:
    """Count unique rows by these columns together and without each; may take seconds."""
    chosen = sorted(positions)
    key = f"isolation:{dataset.table_id}:{'.'.join(map(str, chosen))}"
    # Some caches limit the length of keys.
    key = hashlib.sha256(key.encode()).hexdigest()
    found: Isolation | None = cache.get(key)
    if found is None:
        found = measure_isolation(partial(_open_column, dataset), chosen, dataset.rows)
        cache.set(key, found, KEPT_SECONDS)
    return found


def latest_reading(dataset: Dataset) -> Reading | None:
    return dataset.readings.first()


def preview_of(dataset: Dataset) -> FilePreview:
    """Read the first rows with the current settings; raises InvalidTable when they do not fit."""
    with vault.open_reader(dataset.upload_file) as stream:
        form = FileFormat.from_document(dataset.file_format)
        return preview_file(stream, form, PREVIEW_ROWS, limits_of_file())


def bad_rows_of(dataset: Dataset, reading: Reading | None) -> BadRows:
    """Return rows that cannot be read: of the whole file if it was read, else of the first rows."""
    if reading is not None and reading.row_problems:
        found = tuple(RowProblem(**problem) for problem in reading.row_problems)
        return BadRows(found, is_whole=True)
    with suppress(InvalidTable), vault.open_reader(dataset.upload_file) as stream:
        form = FileFormat.from_document(dataset.file_format)
        found = list_row_problems(stream, form, SAMPLE_ROWS, limits=limits_of_file())
        return BadRows(found, is_whole=False)
    return BadRows((), is_whole=False)


def evidence_of(dataset: Dataset) -> dict[str, str]:
    """Return the reason for each detected setting; none for settings the steward changed.

    Reasons from cells are valid only while the boundaries of cells are unchanged.
    """
    detected, chosen = dataset.detection.get("format", {}), dataset.file_format
    agreed = {name for name in {*detected, *chosen} if detected.get(name) == chosen.get(name)}
    are_same_cells = agreed.issuperset(CUT_INTO_CELLS.intersection(detected))
    return {
        setting: sentence
        for setting, sentence in dataset.detection.get("evidence", {}).items()
        if setting in agreed and (are_same_cells or setting in CUT_INTO_CELLS)
    }


def table_of(dataset: Dataset) -> Table:
    """Load the whole table; about a second per million rows."""
    columns = tuple(_open_column(dataset, column.position) for column in dataset.columns.all())
    return Table(columns, source_sha256=dataset.file_sha256)


def values_of(column: DatasetColumn) -> Column:
    """Load a single column."""
    return _open_column(column.dataset, column.position)


def _open_column(dataset: Dataset, position: int) -> Column:
    with vault.open_reader(dataset.column_file(dataset.table_id, position)) as stream:
        return read_arrow(stream).columns[0]
