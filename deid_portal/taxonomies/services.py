from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, InvalidPlan
from deid_portal.engine.taxonomies import (
    Outline,
    Recipe,
    is_json,
    parse_json,
    replay,
    suggest_taxonomy,
    write_paths,
)
from deid_portal.taxonomies.models import (
    ColumnTaxonomy,
    LibraryTaxonomy,
    TaxonomyKind,
    TaxonomyVersion,
)
from deid_portal.taxonomies.selectors import (
    is_released,
    is_used,
    lay_out_recipe,
    may_have_taxonomy,
    outline_of,
    read_recipe,
    taxonomy_of,
    without_taxonomy,
)
from deid_portal.web.refusals import Refused

UPLOADED_NAME = "taxonomy.csv"
TALLEST = 40
# Placing more values than this one by one takes too long for a page.
MOST_VALUES = 50_000
MOST_DATES = 200_000
# Intervals and masks follow from how a value is written: a second or two for a million of them.
MOST_BY_RULE = 5_000_000
# Undoing replays the earlier steps; after this many a new version begins.
MOST_STEPS = 1000
MOST_AT_ONCE = 40  # proposals; of a column with many values one takes about a tenth of a second


def check_can_build(user: User, column: DatasetColumn) -> None:
    check_can_change(user, column.dataset)
    if not may_have_taxonomy(column):
        raise Refused(f"{column.name} is not a quasi-identifier, so it needs no taxonomy.")


def set_taxonomy(
    *,
    column: DatasetColumn,
    changed_by: User,
    kind: TaxonomyKind,
    recipe: dict[str, Any],
    file_text: str | None = None,
    words: str = "",
) -> ColumnTaxonomy:
    """Set the taxonomy of a column, as a new version; one that misses values blocks runs.

    Raises InvalidPlan, without a change, if the recipe is invalid or covers no value.
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
    _check_height(height)
    version = TaxonomyVersion(
        column=column,
        words=words or kind.label,
        kind=kind,
        recipe=recipe,
        file_text=file_text,
        height=height,
        uncovered=len(uncovered),
        outline=_keep_outline(read, values),
        made_by=changed_by,
    )
    return _put_in_force(column, version, changed_by, "taxonomy.changed", False)


def set_outline(
    *,
    column: DatasetColumn,
    changed_by: User,
    outline: Outline,
    words: str,
    taken_from: LibraryTaxonomy | None = None,
    public_labels: bool = False,
) -> ColumnTaxonomy:
    """Set the taxonomy of a column from a tree: read from JSON, pasted, proposed."""
    check_can_build(changed_by, column)
    _check_size(column, TaxonomyKind.FILE)
    if not any(branch.rows for branch in outline.values() if branch.label is not None):
        raise InvalidPlan(
            f"None of the values of {column.name} has a place in this taxonomy. "
            "Nothing was changed."
        )
    version = TaxonomyVersion(column=column, words=words, taken_from=taken_from, made_by=changed_by)
    _take_outline(version, outline)
    return _put_in_force(column, version, changed_by, "taxonomy.changed", public_labels)


def propose_taxonomy(*, column: DatasetColumn, changed_by: User) -> str:
    """Give a column the taxonomy that fits its values best; returns why this one."""
    check_can_build(changed_by, column)
    proposal = suggest_taxonomy(values_of(column), most=MOST_VALUES, as_of=timezone.localdate())
    words = f"Proposed. {proposal.words}"
    if proposal.outline is not None:
        set_outline(column=column, changed_by=changed_by, outline=proposal.outline, words=words)
    elif proposal.recipe is not None:
        set_taxonomy(
            column=column,
            changed_by=changed_by,
            kind=TaxonomyKind(proposal.recipe.kind),
            recipe=proposal.recipe.to_document(),
            words=words,
        )
    return proposal.words


def propose_missing_taxonomies(*, dataset: Dataset, changed_by: User) -> list[DatasetColumn]:
    """Give quasi-identifiers without any taxonomy the one that fits best; returns which got one.

    At most `MOST_AT_ONCE` columns, so that the page does not keep anybody waiting; values that have
    no place in a taxonomy somebody built are left to that person.
    """
    check_can_change(changed_by, dataset)
    missing = without_taxonomy(dataset)[:MOST_AT_ONCE]
    with transaction.atomic():
        for column in missing:
            propose_taxonomy(column=column, changed_by=changed_by)
    return missing


def edit_taxonomy(
    *, column: DatasetColumn, changed_by: User, steps: Sequence[dict[str, Any]]
) -> Outline:
    """Change the tree step by step. The first change after building begins a new version."""
    check_can_build(changed_by, column)
    with transaction.atomic():
        version = _lock_version(column)
        check_not_released(version)
        outline = outline_of(version)
        if outline is None:
            raise InvalidPlan("This tree is too large to be edited here. Export it, and upload it.")
        changed = replay(outline, steps)
        is_full = version.done + len(steps) > MOST_STEPS
        if version.base is None or is_full or is_used(version):
            version = TaxonomyVersion(
                column=column,
                words=f"Edited by hand, from version {version.number}",
                base=outline.to_document(),
                steps=[],
                made_by=changed_by,
            )
        version.steps = [*version.steps[: version.done], *steps]
        version.step_count = version.done = len(version.steps)
        _take_outline(version, changed)
        _put_in_force(column, version, changed_by, "taxonomy.edited")
    return changed


def undo_step(*, column: DatasetColumn, changed_by: User, forward: bool = False) -> ColumnTaxonomy:
    """Undo or redo one change in the version that is being edited."""
    check_can_build(changed_by, column)
    with transaction.atomic():
        version = _lock_version(column)
        check_not_released(version)
        done = version.done + (1 if forward else -1)
        if not 0 <= done <= version.step_count:
            raise Refused(f"There is nothing to {'redo' if forward else 'undo'}.")
        if is_used(version):
            version = _twin(version, changed_by)
        version.done = done
        base = Outline.from_document(version.base)
        _take_outline(version, replay(base, version.steps[:done]))
        return _put_in_force(column, version, changed_by, "taxonomy.edited")


def edit_as_new_version(*, column: DatasetColumn, changed_by: User) -> ColumnTaxonomy:
    """Start a new version with the tree of an approved release."""
    check_can_build(changed_by, column)
    with transaction.atomic():
        version = _lock_version(column)
        if not is_released(version):
            raise Refused("This version can be edited as it is.")
        twin = _twin(version, changed_by)
        if twin.base is None:
            twin.base = twin.outline
        return _put_in_force(column, twin, changed_by, "taxonomy.changed")


def check_not_released(version: TaxonomyVersion) -> None:
    if is_released(version):
        raise Refused(
            "This version shaped an approved release, so it stays as it is. "
            "Edit it as a new version."
        )


def _twin(version: TaxonomyVersion, made_by: User) -> TaxonomyVersion:
    """Return an unsaved copy of a version, including its steps."""
    taken = ("kind", "recipe", "file_text", "height", "uncovered", "outline", "base", "steps")
    counts = ("step_count", "done", "taken_from_id")
    return TaxonomyVersion(
        column=version.column,
        words=f"Edited by hand, from version {version.number}",
        made_by=made_by,
        **{name: getattr(version, name) for name in (*taken, *counts)},
    )


def use_version(*, column: DatasetColumn, changed_by: User, number: int) -> ColumnTaxonomy:
    """Bring an earlier version back, as a new one."""
    check_can_build(changed_by, column)
    earlier = TaxonomyVersion.objects.get(column=column, number=number)
    version = TaxonomyVersion(
        column=column,
        words=f"Version {number} again",
        kind=earlier.kind,
        recipe=earlier.recipe,
        file_text=earlier.file_text,
        height=earlier.height,
        uncovered=earlier.uncovered,
        outline=earlier.outline,
        taken_from=earlier.taken_from,
        made_by=changed_by,
    )
    return _put_in_force(column, version, changed_by, "taxonomy.changed", False)


def set_public_labels(
    *, column: DatasetColumn, changed_by: User, public_labels: bool
) -> ColumnTaxonomy:
    """Say whether everybody may know which values stand below which group of the taxonomy."""
    check_can_build(changed_by, column)
    taxonomy = taxonomy_of(column)
    if taxonomy is None or not taxonomy.names_values:
        raise Refused("This taxonomy lists no values, so there is nothing to name.")
    with transaction.atomic():
        taxonomy.public_labels = public_labels
        taxonomy.save(update_fields=["public_labels"])
        column.dataset.save(update_fields=["changed_at"])
        facts = {"kind": taxonomy.kind, "public_labels": public_labels}
        _record("taxonomy.changed", changed_by, column, facts)
    return taxonomy


def _put_in_force(
    column: DatasetColumn,
    version: TaxonomyVersion,
    changed_by: User,
    action: str,
    public_labels: bool | None = None,  # None: as before
) -> ColumnTaxonomy:
    with transaction.atomic():
        taxonomy = _write(column, version, changed_by, public_labels)
        column.dataset.save(update_fields=["changed_at"])
        facts = {"kind": version.kind, "height": version.height, "version": version.number}
        _record(action, changed_by, column, facts)
    return taxonomy


def _write(
    column: DatasetColumn,
    version: TaxonomyVersion,
    changed_by: User,
    public_labels: bool | None = None,
) -> ColumnTaxonomy:
    said = {} if public_labels is None else {"public_labels": public_labels}
    with transaction.atomic():
        if version.pk is None:
            version.number = _next_number(column)
        version.save()
        taxonomy, _ = ColumnTaxonomy.objects.update_or_create(
            column=column,
            defaults={
                "version": version,
                "kind": version.kind,
                "recipe": version.recipe,
                "file_text": version.file_text,
                "height": version.height,
                "uncovered": version.uncovered,
                "changed_by": changed_by,
                **said,
            },
        )
        column.taxonomy = taxonomy  # so that the caller shows the saved taxonomy
    return taxonomy


def _next_number(column: DatasetColumn) -> int:
    # The column's row is locked, so that two people building at once get two numbers.
    DatasetColumn.objects.select_for_update().get(pk=column.pk)
    last = column.taxonomy_versions.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _lock_version(column: DatasetColumn) -> TaxonomyVersion:
    """Return the version in force, locked; taxonomies without versions get one."""
    DatasetColumn.objects.select_for_update().get(pk=column.pk)
    taxonomy = ColumnTaxonomy.objects.filter(column=column).select_related("version").first()
    if taxonomy is None:
        raise Refused(f"{column.name} has no taxonomy yet. Build one first.")
    if taxonomy.version is not None:
        return taxonomy.version
    values = values_of(column)
    read = read_recipe(taxonomy.recipe, taxonomy.file_text)
    version = TaxonomyVersion(
        column=column,
        number=_next_number(column),
        words=TaxonomyKind(taxonomy.kind).label,
        kind=taxonomy.kind,
        recipe=taxonomy.recipe,
        file_text=taxonomy.file_text,
        height=taxonomy.height,
        uncovered=taxonomy.uncovered,
        outline=_keep_outline(read, values),
        made_by=taxonomy.changed_by,
    )
    version.save()
    return version


def _keep_outline(recipe: Recipe, values: Column) -> dict[str, Any] | None:
    outline = lay_out_recipe(recipe, values)
    return outline.to_document() if outline else None


def _take_outline(version: TaxonomyVersion, outline: Outline) -> None:
    """Store a tree in a version, as the rows of a file that a plan can name."""
    _check_height(outline.height)
    version.kind = TaxonomyKind.FILE
    version.recipe = {"file": UPLOADED_NAME}
    version.file_text = write_paths(outline.paths()).decode()
    version.uncovered = len(outline.unplaced)
    version.height = 0 if outline.unplaced else outline.height
    version.outline = outline.to_document()


def _check_height(height: int) -> None:
    if height > TALLEST:
        raise InvalidPlan(
            f"This taxonomy would have {height} levels; more than {TALLEST} help nobody. "
            "Group the values instead. Nothing was changed."
        )


def _check_size(column: DatasetColumn, kind: TaxonomyKind) -> None:
    most = _most_values(kind)
    if column.distinct > most:
        raise InvalidPlan(
            f"{column.name} has {column.distinct:,} different values; at most {most:,} can be "
            f"placed this way. {_what_else(column, kind)} Nothing was changed."
        )


def _most_values(kind: TaxonomyKind) -> int:
    by_rule = dict.fromkeys(
        (TaxonomyKind.INTERVALS, TaxonomyKind.MASK, TaxonomyKind.FLAT), MOST_BY_RULE
    )
    return {**by_rule, TaxonomyKind.DATES: MOST_DATES}.get(kind, MOST_VALUES)


def _what_else(column: DatasetColumn, kind: TaxonomyKind) -> str:
    if column.distinct > MOST_BY_RULE:
        return "So many values point to single people: tag it as an identifier."
    if column.type in ("integer", "number") and kind != TaxonomyKind.INTERVALS:
        return "Use intervals."
    if kind == TaxonomyKind.MASK:
        return "Show or hide it whole, or tag it as an identifier."
    return "Mask it, show or hide it whole, or tag it as an identifier."


def lay_over(taxonomy: ColumnTaxonomy, values: Column, words: str) -> TaxonomyVersion | None:
    """Apply the taxonomy of one column to the values of another, without putting it in force.

    Uncovered values make it a draft. None if it does not fit: too many values, or none that it
    covers.
    """
    if len(values.values) > _most_values(TaxonomyKind(taxonomy.kind)):
        return None
    try:
        read = read_recipe(taxonomy.recipe, taxonomy.file_text)
        uncovered = read.uncovered(values)
        height = 0 if uncovered else read.build(values).height
        _check_height(height)
    except InvalidPlan:
        return None
    return TaxonomyVersion(
        words=words,
        kind=taxonomy.kind,
        recipe=taxonomy.recipe,
        file_text=taxonomy.file_text,
        height=height,
        uncovered=len(uncovered),
        outline=_keep_outline(read, values),
        taken_from=taxonomy.version.taken_from if taxonomy.version else None,
        made_by=taxonomy.changed_by,
    )


def put_carried(
    column: DatasetColumn, version: TaxonomyVersion, public_labels: bool = False
) -> ColumnTaxonomy:
    """Put a carried-over taxonomy in force; the caller writes one audit record for all."""
    version.column = column
    return _write(column, version, version.made_by, public_labels)


def set_taxonomy_from_file(
    *, column: DatasetColumn, changed_by: User, content: bytes
) -> ColumnTaxonomy:
    if is_json(content):
        outline = parse_json(content, values_of(column))
        return set_outline(
            column=column, changed_by=changed_by, outline=outline, words="From a JSON file"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidPlan("The file is not UTF-8 text. Save it as CSV in UTF-8.") from None
    return set_taxonomy(
        column=column,
        changed_by=changed_by,
        kind=TaxonomyKind.FILE,
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
