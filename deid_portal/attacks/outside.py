"""Outside tables: read like other uploads, and deleted after their test.

They must never be kept, since they are registers of others, uploaded for one comparison. So each is
encrypted in a separate folder, whose key is destroyed with it. It is deleted when its test has
ended, however it ended, when it is replaced or discarded, and after an hour without a test. Nobody
is shown its rows, and only stewards see its name.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.attacks.models import AttackTest, OutsideTable
from deid_portal.attacks.permissions import check_may_attack
from deid_portal.attacks.policies import check_can_be_attacked
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, Table
from deid_portal.engine.attack_cases.outside_table import find_shared_columns
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.progress import ProgressCallback
from deid_portal.runs.models import Run
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES
from deid_portal.work.limits import limits_of_file

SAMPLE_ROWS = 1000
KEPT_UNUSED = timedelta(hours=1)
MOST_NAMED = 12


def bring_table(
    *, run: Run, upload: SealedUpload, brought_by: User, use: OutsideTable.Use
) -> OutsideTable:
    """Store a table for one test; raises InvalidTable or Refused if it cannot be used.

    Only one table at a time waits for a test of a run; a new one replaces it.
    """
    check_may_attack(brought_by, run)
    check_can_be_attacked(run)
    about = _look_at(run, upload, use)
    with transaction.atomic():
        for before in waiting_tables(run).filter(use=use):
            delete_table(before)
        table = OutsideTable.objects.create(
            run=run,
            use=use,
            uploaded_by=brought_by,
            file_bytes=upload.size or 0,
            file_sha256=upload.sha256,
            about=about,
        )
        upload.keep_as(table.file)
        record_event(
            "attack.table_brought",
            actor=brought_by,
            team=run.dataset.team,
            subject=run,
            facts={"sha256": table.file_sha256, "bytes": table.file_bytes, "use": use.value},
        )
    return table


@transaction.atomic
def discard_table(*, table: OutsideTable, discarded_by: User) -> None:
    check_may_attack(discarded_by, table.run)
    if table.tests.filter(status__in=OPEN_STATUSES).exists():
        raise Refused("The table is being used by a test. Stop that first.")
    delete_table(table)


def waiting_tables(run: Run) -> Any:
    """Return the outside tables for which no test was started yet."""
    return run.outside_tables.filter(deleted_at=None, tests=None)


def waiting_table(run: Run) -> OutsideTable | None:
    found: OutsideTable | None = waiting_tables(run).filter(use=OutsideTable.Use.LINKAGE).first()
    return found


def delete_table(table: OutsideTable) -> None:
    """Delete the file after the surrounding transaction has been committed.

    The row is marked as deleted only afterwards, so that the mark is always true.
    """
    transaction.on_commit(lambda: _delete_now(table))


def _delete_now(table: OutsideTable) -> None:
    vault.delete(table.folder)
    OutsideTable.objects.filter(id=table.id, deleted_at=None).update(deleted_at=timezone.now())


def delete_spent_tables() -> int:
    """Delete tables of ended tests (left behind by a crash), and those not used in time."""
    unused = Q(tests=None, uploaded_at__lt=timezone.now() - KEPT_UNUSED)
    at_work = AttackTest.objects.filter(status__in=OPEN_STATUSES, outside__isnull=False)
    ended = Q(tests__isnull=False) & ~Q(id__in=at_work.values("outside"))
    spent = list(OutsideTable.objects.filter(unused | ended, deleted_at=None).distinct())
    for table in spent:
        _delete_now(table)
    return len(spent)


def read_outside(table: OutsideTable | None, progress: ProgressCallback) -> Table | None:
    """Read an outside table completely; raises InvalidTable if it cannot be read."""
    if table is None:
        return None

    def read(done: int, total: int, phase: str, **_: Any) -> None:
        progress(done, total, "read")

    with vault.open_reader(table.file) as stream:
        form = FileFormat.from_document(table.about["format"])
        return read_table(stream, form, read, limits=limits_of_file())


def _look_at(run: Run, upload: SealedUpload, use: OutsideTable.Use) -> dict[str, Any]:
    """Detect the format of a file and which of its columns match those of the run."""
    with upload.open_reader() as stream:
        form = detect_file(stream, limits=limits_of_file()).format
    with upload.open_reader() as stream:
        preview = preview_file(stream, form, SAMPLE_ROWS, limits_of_file())
    names = [column.name for column in preview.columns]
    sample = Table.from_rows(names, preview.rows)
    about = {"file_name": upload.name or "", "format": form.to_document(), "columns": names}
    if use == OutsideTable.Use.CONTROL:
        _check_control(run, sample)
        return about
    shared = find_shared_columns(sample, _values_of(_linkable(run)))
    if not shared:
        raise Refused(_nothing_in_common(names, [column.name for column in _linkable(run)]))
    persons = find_shared_columns(sample, _values_of(_identifiers(run.dataset)))
    return about | {
        "shared": [vars(pair) for pair in shared],
        "persons": [vars(pair) for pair in persons],
    }


def _linkable(run: Run) -> list[DatasetColumn]:
    """Return the columns of the release that an intruder could know."""
    released = _released_columns(run)
    roles = (ColumnRoleChoices.QUASI_IDENTIFIER, ColumnRoleChoices.INSENSITIVE)
    planned = run.plan["columns"]
    return [
        column
        for column in run.dataset.columns.all()
        if column.name in released and planned.get(column.name, {}).get("role") in roles
    ]


def _released_columns(run: Run) -> set[str]:
    columns = run.finished_report.columns
    return {name for name, column in columns.items() if column.released}


def _identifiers(dataset: Dataset) -> list[DatasetColumn]:
    return list(dataset.columns.filter(role=ColumnRoleChoices.IDENTIFIER))


def _values_of(columns: list[DatasetColumn]) -> list[Column]:
    return [values_of(column) for column in columns]


def _check_control(run: Run, sample: Table) -> None:
    """Check that a control table has the released quasi-identifiers and sensitive columns."""
    roles = (ColumnRoleChoices.QUASI_IDENTIFIER, ColumnRoleChoices.SENSITIVE)
    released = _released_columns(run)
    wanted = [
        name
        for name, column in run.plan["columns"].items()
        if column["role"] in roles and name in released
    ]
    missing = [name for name in wanted if name not in sample]
    if missing:
        raise Refused(
            f"To compare with, the table needs the same columns; it has no {_listed(missing)}."
        )


def _nothing_in_common(theirs: list[str], ours: list[str]) -> str:
    return (
        f"No column of this table holds values of the release, so nobody can be looked up. It has "
        f"{_listed(theirs)}; the release shows {_listed(ours)}."
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
