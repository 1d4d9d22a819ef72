"""Which original row is behind each released record: kept so that the house can attack its release.

A release is in an order of its own and says nothing of where a record comes from. An attack cannot
be scored without knowing that. Carrying out the plan once more would not do: a search that is cut
off by time, noise without a seed and a newer engine give another release. So the run keeps it.

What must never happen: that it leaves, or outlives the table. Whoever had it and the original would
need no attack. So it lies with the table, in the folder of the dataset, is opened by the key of the
dataset and goes with it; nothing but the attacks room reads it, and no page, package or recipe
contains it. Beside it lie the released cells as the engine made them, since a CSV file cannot say
what was a gap, or had an apostrophe put in front of it for the sake of spreadsheets.
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
    """Store them under the attempt that made the release; called before the row says it ended."""
    if outcome.released is None or outcome.rows is None:
        return
    with vault.VaultWriter(f"{_folder(run)}/table") as writer:
        write_arrow(outcome.released, cast(BinaryIO, writer))
    with vault.VaultWriter(f"{_folder(run)}/rows") as writer:
        writer.write(outcome.rows.astype("<i4").tobytes())


def origins_of(run: Run) -> Origins | None:
    """Read them back; None for a run of before they were kept, or whose table is gone."""
    try:
        with vault.open_reader(f"{_folder(run)}/table") as stream:
            released = read_arrow(stream)
        with vault.open_reader(f"{_folder(run)}/rows") as stream:
            rows = np.frombuffer(stream.read(), "<i4").astype(np.int32)
    except (FileNotFoundError, vault.DamagedFile):
        return None
    return Origins(released, rows)


def keep_network_origins(run: Run, rows: Codes | None) -> None:
    """Store who is behind each node of a released network; what it shows lies in the release."""
    if rows is not None:
        with vault.VaultWriter(f"{_folder(run)}/rows") as writer:
            writer.write(rows.astype("<i4").tobytes())


def network_origins_of(run: Run) -> Codes | None:
    """Read them back; None for a run of before they were kept, or whose network is gone."""
    try:
        with vault.open_reader(f"{_folder(run)}/rows") as stream:
            return np.frombuffer(stream.read(), "<i4").astype(np.int32)
    except (FileNotFoundError, vault.DamagedFile):
        return None


def delete_origins(run: Run, attempt: int) -> None:
    """Delete what an attempt has kept that gave no answer."""
    vault.delete(f"datasets/{run.dataset_id}/origins/{run.id}-{attempt}")


def _folder(run: Run) -> str:
    return f"datasets/{run.dataset_id}/origins/{run.id}-{run.attempt}"
