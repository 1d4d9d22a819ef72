"""Tables of the population a release is drawn from, which some models compare with.

A register of people is as sensitive as the table itself. So only the compared columns are stored,
encrypted in the folder of the dataset, and deleted with it. A run keeps its own copy, like all
files its plan names.
"""

import csv
import io
from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.engine import Table
from deid_portal.engine.files.table_reader import detect_file, read_table
from deid_portal.plans.models import PopulationTable
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.limits import limits_of_file

MOST_BYTES = 20 * 1024 * 1024  # of the stored columns, since every run stores a copy
MOST_TABLES = 10


def add_population(*, dataset: Dataset, upload: SealedUpload, added_by: User) -> PopulationTable:
    """Keep the quasi-identifiers of a table of people; raises InvalidTable or Refused."""
    check_can_change(added_by, dataset)
    if dataset.populations.count() >= MOST_TABLES:
        raise Refused(f"A dataset has at most {MOST_TABLES} such tables. Remove one first.")
    table = _read(dataset, upload)
    content = _write(table)
    if len(content) > MOST_BYTES:
        raise Refused(
            f"The columns that are compared take {len(content) / 1024**2:.0f} MB; at most "
            f"{MOST_BYTES // 1024**2} MB are accepted. Take fewer people."
        )
    population = PopulationTable(
        dataset=dataset,
        file_name=(upload.name or "table")[:200],
        rows=table.rows,
        columns=[column.name for column in table.columns],
        added_by=added_by,
    )
    with vault.VaultWriter(population.file) as writer:
        writer.write(content)
    population.sha256 = writer.sha256
    with transaction.atomic():
        population.save()
        facts = {"rows": population.rows, "sha256": population.sha256}
        record_event(
            "plan.population_added",
            actor=added_by,
            team=dataset.team,
            subject=dataset,
            facts=facts,
        )
    return population


def _read(dataset: Dataset, upload: SealedUpload) -> Table:
    with upload.open_reader() as stream:
        form = detect_file(stream, limits=limits_of_file()).format
    with upload.open_reader() as stream:
        table = read_table(stream, form, limits=limits_of_file())
    wanted = [column.name for column in dataset.columns.all() if column.is_quasi_identifier]
    missing = [name for name in wanted if name not in table]
    if missing:
        raise Refused(
            f"The table has no column {missing[0]}, which is a quasi-identifier. It needs all of "
            f"them, under the same names: {', '.join(wanted)}."
        )
    return Table(tuple(table[name] for name in wanted))


def _write(table: Table) -> bytes:
    """Write values unchanged; this file is never opened in a spreadsheet."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    texts = [
        ["" if value is None else value for value in column.values] for column in table.columns
    ]
    writer.writerows(
        zip(
            *(
                [own[code] for code in column.codes.tolist()]
                for own, column in zip(texts, table.columns, strict=True)
            ),
            strict=True,
        )
    )
    return stream.getvalue().encode()


def remove_population(*, population: PopulationTable, removed_by: User) -> None:
    dataset = population.dataset
    check_can_change(removed_by, dataset)
    protection = getattr(dataset, "protection", None)
    if protection is not None and population.name in names_in(protection.rules):
        raise Refused("The protection compares with this table. Choose another there first.")
    with transaction.atomic():
        path, sha256 = population.file, population.sha256
        population.delete()
        transaction.on_commit(lambda: vault.delete(path))
        record_event(
            "plan.population_removed",
            actor=removed_by,
            team=dataset.team,
            subject=dataset,
            facts={"sha256": sha256},
        )


def names_in(rules: Any) -> set[str]:
    """Return the files that rules name; the rules need not be valid."""
    if not isinstance(rules, list):
        return set()
    named = (rule.get("population") for rule in rules if isinstance(rule, dict))
    return {name for name in named if isinstance(name, str)}


def files_of_populations(dataset: Dataset, rules: Any) -> dict[str, str]:
    """Return the content of the tables that rules name, as files of the plan."""
    named = names_in(rules)
    if not named:
        return {}
    files = {}
    for population in dataset.populations.all():
        if population.name in named:
            with vault.open_reader(population.file) as stream:
                files[population.name] = stream.read().decode()
    return files
