"""Opens the release of a run with its original, and earlier releases of the same people."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

from django.db.models import Q, QuerySet

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import table_of
from deid_portal.engine import Table
from deid_portal.engine.attack_cases.case import Case
from deid_portal.engine.files.csv.writer import COMMA, write_csv
from deid_portal.reports.columns import level_label
from deid_portal.runs.models import Run
from deid_portal.runs.origins import origins_of
from deid_portal.versions.selectors import name_a_few
from deid_portal.web.refusals import Refused

NOT_KEPT = (
    "This run was made before the portal kept what attacks are scored with. "
    "Run the same plan again, and attack that run."
)
MOST_TOLD = 4
NOT_THE_SAME = "What the run kept is not what it released; run the same plan again."


@dataclass(frozen=True)
class EarlierRelease:
    run: Run
    number: int


def open_case(run: Run, table: Table | None = None) -> Case:
    """Open the release and its original; raises Refused if its hash is not that of the run."""
    origins = origins_of(run)
    if origins is None:
        raise Refused(NOT_KEPT)
    delimiter = run.publication.delimiter or COMMA
    if _sha256_of_csv(origins.released, delimiter) != run.output_sha256:
        raise Refused(NOT_THE_SAME)
    original = table_of(run.dataset) if table is None else table
    return Case.open(
        run.frozen_table_plan(), original, origins.released, origins.rows, run.finished_report
    )


def earlier_releases(run: Run) -> list[EarlierRelease]:
    """Return the other releases of the same rows: of this table, or of the same file.

    A file uploaded twice has the same people in the same rows if it was read in the same way.
    """
    numbered = _released_runs(run).exclude(id=run.id).order_by("requests__release__released_at")
    pairs = numbered.values_list("id", "requests__release__number")
    runs = Run.objects.select_related("dataset__team").in_bulk([found for found, _ in pairs])
    return [EarlierRelease(runs[found], number) for found, number in pairs]


def releases_to_cross(run: Run) -> list[EarlierRelease]:
    """Return all other releases of these people: of the same rows, or of other versions.

    Withdrawn and expired ones are included, since there may be copies of them.
    """
    own = Q(id__in=_released_runs(run).values("id"))
    of_series = Q(dataset__series=run.dataset.series, requests__release__isnull=False)
    numbered = Run.objects.filter(own | of_series).exclude(id=run.id)
    pairs = (
        numbered.exclude(requests__release=None)
        .order_by("requests__release__released_at")
        .values_list("id", "requests__release__number")
    )
    runs = Run.objects.select_related("dataset__team").in_bulk([found for found, _ in pairs])
    return list({found: EarlierRelease(runs[found], number) for found, number in pairs}.values())


def difference_words(run: Run, earlier: EarlierRelease) -> str:
    """Say in which columns a run and an earlier release differ."""
    own, theirs = run.finished_report.columns, earlier.run.finished_report.columns
    shown = [
        f"{name} {level_label(theirs[name])} there, {level_label(own[name])} here"
        for name in own
        if name in theirs
        and own[name].role == theirs[name].role == "quasi-identifier"
        and own[name].level != theirs[name].level
    ]
    name = f"Release {earlier.number}"
    if not shown:
        return f"{name} shows every column at the same level of detail; others were left out."
    more = f"; and {len(shown) - MOST_TOLD} more" if len(shown) > MOST_TOLD else ""
    return f"{name} shows the columns differently: {'; '.join(shown[:MOST_TOLD])}{more}."


def _released_runs(run: Run) -> QuerySet[Run]:
    dataset = run.dataset
    return Run.objects.filter(
        dataset__team=dataset.team_id,
        dataset__file_sha256=dataset.file_sha256,
        dataset__rows=dataset.rows,
        dataset__state=dataset.State.READY,
        input_sha256=run.input_sha256,
        requests__release__isnull=False,
    )


class _Hashing(io.RawIOBase):
    """A write-only file that hashes its content."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.digest.update(data)
        return len(data)


def _sha256_of_csv(table: Table, delimiter: str) -> str:
    stream = _Hashing()
    write_csv(table, cast(BinaryIO, stream), delimiter)
    return stream.digest.hexdigest()


def check_tables_are_there(earlier: Sequence[EarlierRelease]) -> None:
    gone = [own for own in earlier if own.run.dataset.state != Dataset.State.READY]
    if gone:
        names = name_a_few([f"release {own.number}" for own in gone])
        raise Refused(
            f"{names[0].upper()}{names[1:]} cannot be crossed: the table behind it was deleted, so "
            "nobody can say what both reveal together."
        )
