"""The original row of each released record, stored for attacks on one's own release.

A release has its own order and does not reveal where a record comes from, but attacks cannot be
scored without knowing it. Running the plan again is no substitute: a search with a time limit,
secret random numbers or a newer engine give another release. So the run stores it.

It must never be published or outlive the table: with it and the original everybody could be
re-identified. So it is stored in the folder of the dataset, encrypted with the key of the dataset,
and deleted with it. Only the attacks room and the page that shows stewards rows before and after
read it; every look at that page is on record, and no package or recipe contains it. The
released cells are stored with it, since a CSV file does not tell missing values from empty text,
or which apostrophes were added against formulas in spreadsheets.
"""

from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np

from deid_portal.engine import Outcome, Table
from deid_portal.engine.files.arrow import read_arrow, write_arrow
from deid_portal.engine.table.table import Codes
from deid_portal.runs.models import Run
from deid_portal.vault import vault


@dataclass(frozen=True, eq=False)
class Origins:
    """The release as a table and the original row of each of its records."""

    released: Table
    rows: Codes


def keep_origins(run: Run, outcome: Outcome) -> None:
    """Store them for the attempt that made the release, before the run is marked as finished."""
    if outcome.released is None or outcome.rows is None:
        return
    with vault.VaultWriter(f"{_folder(run)}/table") as writer:
        write_arrow(outcome.released, cast(BinaryIO, writer))
    with vault.VaultWriter(f"{_folder(run)}/rows") as writer:
        writer.write(outcome.rows.astype("<i4").tobytes())


def origins_of(run: Run) -> Origins | None:
    """Return the origins; None for runs older than this feature, or whose table was deleted."""
    try:
        with vault.open_reader(f"{_folder(run)}/table") as stream:
            released = read_arrow(stream)
        with vault.open_reader(f"{_folder(run)}/rows") as stream:
            rows = np.frombuffer(stream.read(), "<i4").astype(np.int32)
    except (FileNotFoundError, vault.DamagedFile):
        return None
    return Origins(released, rows)


def keep_network_origins(run: Run, rows: Codes | None) -> None:
    """Store the original node of each released node; attributes are read from the release."""
    if rows is not None:
        with vault.VaultWriter(f"{_folder(run)}/rows") as writer:
            writer.write(rows.astype("<i4").tobytes())


def network_origins_of(run: Run) -> Codes | None:
    """Return the origins; None for runs older than this feature, or whose network was deleted."""
    try:
        with vault.open_reader(f"{_folder(run)}/rows") as stream:
            return np.frombuffer(stream.read(), "<i4").astype(np.int32)
    except (FileNotFoundError, vault.DamagedFile):
        return None


def delete_origins(run: Run, attempt: int) -> None:
    """Delete the origins stored by a failed attempt."""
    vault.delete(f"datasets/{run.dataset_id}/origins/{run.id}-{attempt}")


def _folder(run: Run) -> str:
    return f"datasets/{run.dataset_id}/origins/{run.id}-{run.attempt}"
