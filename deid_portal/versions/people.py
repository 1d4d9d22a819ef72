"""Identifying people across versions by a column: chosen by a steward, or a pseudonym.

Releases of all versions are crossed by it (`attacks/table_crossing.py`). Without such a column,
rows that agree in their quasi-identifiers are taken for the same people.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn, TreatmentChoices
from deid_portal.datasets.permissions import check_can_change
from deid_portal.versions.models import PersonColumn
from deid_portal.web.refusals import Refused

PSEUDONYMOUS = (TreatmentChoices.PSEUDONYM, TreatmentChoices.REVERSIBLE)


def named_column(dataset: Dataset) -> str:
    """Return the column a steward chose for all versions, or an empty text."""
    named = PersonColumn.objects.filter(series=dataset.series).first()
    return named.name if named is not None else ""


def person_column_of(datasets: Sequence[Dataset]) -> str:
    """Return the column that identifies people in all of these tables, or an empty text.

    It is the one a steward chose; else an identifier with pseudonyms, which are consistent from
    release to release.
    """
    named = named_column(datasets[0])
    columns = [_names(own.columns.all()) for own in datasets]
    if named and all(named in names for names in columns):
        return named
    treated = [
        _names(own.columns.filter(role=ColumnRoleChoices.IDENTIFIER, treatment__in=PSEUDONYMOUS))
        for own in datasets
    ]
    common = set.intersection(*map(set, treated))
    return next((name for name in treated[0] if name in common), "")


def _names(columns: QuerySet[DatasetColumn]) -> list[str]:
    return list(columns.order_by("position").values_list("name", flat=True))


def columns_to_name(dataset: Dataset) -> list[str]:
    """Return the columns that could identify people: identifiers first, then all others."""
    columns = dataset.columns.order_by("position").values_list("name", "role")
    return [name for name, role in sorted(columns, key=lambda own: own[1] != "identifier")]


@transaction.atomic
def name_person_column(*, dataset: Dataset, name: str, named_by: User) -> None:
    """Store the column that identifies people in every version; an empty name removes it."""
    check_can_change(named_by, dataset)
    if name and name not in columns_to_name(dataset):
        raise Refused("Choose a column of this table.")
    if name == named_column(dataset):
        return
    if name:
        PersonColumn.objects.update_or_create(
            series=dataset.series,
            defaults={"team": dataset.team, "name": name, "named_by": named_by},
        )
    else:
        PersonColumn.objects.filter(series=dataset.series).delete()
    number = dataset.columns.get(name=name).number if name else None
    facts = {"column": number}
    team = dataset.team
    record_event(
        "dataset.person_column_named", actor=named_by, team=team, subject=dataset, facts=facts
    )
