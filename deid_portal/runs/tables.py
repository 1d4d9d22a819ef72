"""Runs of tables: open the table, protect it, store the released rows."""

from dataclasses import replace
from typing import BinaryIO, cast

from deid_portal.datasets.models import PseudonymKey
from deid_portal.datasets.selectors import table_of, values_of
from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.files.csv.writer import COMMA, write_csv
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.publication import Publication, values_behind
from deid_portal.engine.remedies import find_remedies
from deid_portal.engine.report import HouseDetails
from deid_portal.runs.chance import secret_of
from deid_portal.runs.models import Run
from deid_portal.runs.origins import keep_origins
from deid_portal.runs.stored_releases import StoredRelease
from deid_portal.vault import vault
from deid_portal.work.leases import Lease


def protect_table_of(run: Run, plan: Plan, key: PseudonymKey, watch: ProgressCallback) -> Outcome:
    watch(0, 1, "read")
    table = table_of(run.dataset)
    secret = secret_of(run)
    outcome = protect(table, plan, watch, pseudonym_key=key.bytes, secret=secret)
    if not outcome.solution:
        remedies = find_remedies(table, plan, outcome.report, watch)
        outcome = replace(outcome, details=HouseDetails(remedies=remedies))
    watch(0, 1, "store")
    return outcome


def store_table(lease: Lease[Run], plan: Plan, outcome: Outcome) -> StoredRelease | None:
    if outcome.released is None:
        return None
    with vault.VaultWriter(lease.work.release_file) as writer:
        delimiter = lease.work.dataset.file_format.get("delimiter", COMMA)
        write_csv(outcome.released, cast(BinaryIO, writer), delimiter)
        lease.check()
    keep_origins(lease.work, outcome)
    published = Publication.of(
        plan, outcome.released, outcome.report, _values_behind(lease.work, plan, outcome)
    )
    if delimiter != COMMA:
        published = replace(published, delimiter=delimiter)
    return StoredRelease(output_sha256=writer.sha256, output_bytes=writer.size, published=published)


def _values_behind(run: Run, plan: Plan, outcome: Outcome) -> dict[str, frozenset[str]]:
    """Return what stands behind public labels in the released rows; only those are opened."""
    names = [column.name for column in plan.columns if column.public_labels]
    if not names or outcome.rows is None:
        return {}
    columns = run.dataset.columns.filter(name__in=names)
    return values_behind(plan, Table(tuple(values_of(own) for own in columns)), outcome.rows)
