from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.common.refusals import Refused
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import InvalidPlan
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.selectors import may_have_taxonomy, read_recipe, taxonomy_of

UPLOADED_NAME = "taxonomy.csv"
TALLEST = 40
# Trees of more values than this take longer to lay out than anybody waits for a page.
MOST_VALUES = 50_000
MOST_NUMBERS = 200_000


def check_can_build(user: User, column: DatasetColumn) -> None:
    check_can_change(user, column.dataset)
    if not may_have_taxonomy(column):
        raise Refused(f"{column.name} is not a quasi-identifier, so it needs no taxonomy.")


def set_taxonomy(
    *,
    column: DatasetColumn,
    changed_by: User,
    kind: ColumnTaxonomy.Kind,
    recipe: dict[str, Any],
    file_text: str | None = None,
) -> ColumnTaxonomy:
    """Give a column its taxonomy. One that misses values is kept as a draft; runs wait.

    Raises InvalidPlan, and keeps what was there, when the recipe makes no sense or fits no value.
    """
    check_can_build(changed_by, column)
    _check_size(column, kind)
    values = values_of(column)
    read = read_recipe(recipe, file_text)
    uncovered = read.uncovered(values)
    if uncovered and len(uncovered) == len([text for text in values.values if text is not None]):
        raise InvalidPlan(
            f"None of the {len(uncovered)} values of {column.name} has a place in this taxonomy. "
            "Nothing was changed."
        )
    height = 0 if uncovered else read.build(values).height
    if height > TALLEST:
        raise InvalidPlan(
            f"This taxonomy would have {height} levels; more than {TALLEST} help nobody. "
            "Group the values instead. Nothing was changed."
        )
    with transaction.atomic():
        taxonomy, _ = ColumnTaxonomy.objects.update_or_create(
            column=column,
            defaults={
                "kind": kind,
                "recipe": recipe,
                "file_text": file_text,
                "height": height,
                "uncovered": len(uncovered),
                "changed_by": changed_by,
            },
        )
        column.dataset.save(update_fields=["changed_at"])
        _record("taxonomy.changed", changed_by, column, {"kind": kind, "height": height})
    return taxonomy


def _check_size(column: DatasetColumn, kind: ColumnTaxonomy.Kind) -> None:
    kinds = ColumnTaxonomy.Kind
    most = MOST_NUMBERS if kind in (kinds.INTERVALS, kinds.DATES, kinds.FLAT) else MOST_VALUES
    if column.distinct > most:
        raise InvalidPlan(
            f"{column.name} has {column.distinct:,} different values; at most {most:,} can be "
            "placed in a taxonomy of this kind. Use intervals for numbers, or tag it as identifier."
        )


def set_taxonomy_from_file(
    *, column: DatasetColumn, changed_by: User, content: bytes
) -> ColumnTaxonomy:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidPlan("The file is not UTF-8 text. Save it as CSV in UTF-8.") from None
    return set_taxonomy(
        column=column,
        changed_by=changed_by,
        kind=ColumnTaxonomy.Kind.FILE,
        recipe={"file": UPLOADED_NAME},
        file_text=text,
    )


@transaction.atomic
def remove_taxonomy(*, column: DatasetColumn, removed_by: User) -> None:
    check_can_build(removed_by, column)
    taxonomy = taxonomy_of(column)
    if taxonomy is not None:
        taxonomy.delete()
        _record("taxonomy.removed", removed_by, column, {})


def _record(action: str, actor: User, column: DatasetColumn, facts: dict[str, Any]) -> None:
    record_event(
        action,
        actor=actor,
        team=column.dataset.team,
        subject=column.dataset,
        facts={"column": column.number, **facts},
    )
