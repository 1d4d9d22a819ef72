"""Reusable taxonomies: the shelf that comes with the portal, and the library of a team."""

import json
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.urls import reverse

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column
from deid_portal.engine.taxonomies import Outline, parse_json, write_json
from deid_portal.engine.taxonomies.library import SHELF, ShelfEntry
from deid_portal.taxonomies.models import ColumnTaxonomy, LibraryTaxonomy
from deid_portal.taxonomies.selectors import describe_taxonomy
from deid_portal.taxonomies.services import MOST_VALUES, check_can_build, set_outline
from deid_portal.web.refusals import Refused

MOST_OF = 0.5


@dataclass(frozen=True)
class LibraryLine:
    """A taxonomy that could be used for a column, and how much of the column it covers."""

    key: str  # shelf-<slug> or team-<number of the row>
    name: str
    levels: str
    source: str
    covered: int
    total: int

    @property
    def is_of_team(self) -> bool:
        return self.key.startswith("team-")

    @property
    def url(self) -> str:
        """The page that shows its content."""
        kind, _, name = self.key.partition("-")
        return reverse(
            "taxonomies:kept" if kind == "team" else "taxonomies:shelf-entry", args=[name]
        )

    @property
    def place(self) -> str:
        return "The team library" if self.is_of_team else "The shelf"

    @property
    def is_whole(self) -> bool:
        return self.covered == self.total


def describe_library(column: DatasetColumn) -> list[LibraryLine]:
    """List taxonomies that cover at least one value of the column, the best first.

    For a column with very many values none are listed, since each value would be looked up.
    """
    if column.distinct > MOST_VALUES:
        return []
    values = values_of(column)
    lines = [*_team_lines(column, values), *_shelf_lines(column, values)]
    return sorted((line for line in lines if line.covered), key=lambda line: -line.covered)


def find_fitting(column: DatasetColumn) -> LibraryLine | None:
    """Return the taxonomy that covers most values of a column, if that is the majority."""
    best = next(iter(describe_library(column)), None)
    return best if best and best.covered >= MOST_OF * best.total else None


def save_to_library(
    *, column: DatasetColumn, saved_by: User, name: str, source: str
) -> LibraryTaxonomy:
    """Keep the tree of a column for other tables; a name in use gets its next version."""
    check_can_build(saved_by, column)
    view = describe_taxonomy(column)
    if view is None or view.outline is None:
        raise Refused(f"{column.name} has no tree that could be kept.")
    team = column.dataset.team
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        same = LibraryTaxonomy.objects.filter(team=team, name=name)
        last = same.aggregate(last=Max("number"))["last"] or 0
        kept = LibraryTaxonomy.objects.create(
            team=team,
            name=name,
            number=last + 1,
            source=source or f"{column.dataset.name}, column {column.name}"[:200],
            tree=json.loads(write_json(view.outline)),
            value_count=sum(1 for _ in view.outline.values()),
            height=view.outline.height,
            made_by=saved_by,
        )
        record_event(
            "library.taxonomy.kept",
            actor=saved_by,
            team=team,
            subject=kept,
            facts={"version": kept.number},
        )
    return kept


def use_from_library(*, column: DatasetColumn, changed_by: User, key: str) -> ColumnTaxonomy:
    """Give a column a taxonomy of the shelf or of its team; raises KeyError if there is none."""
    check_can_build(changed_by, column)
    values = values_of(column)
    kind, _, name = key.partition("-")
    kept = None
    if kind == "shelf":
        entry = SHELF[name]
        words = _words_of_shelf(entry)
        outline = entry.outline(values)
    else:
        kept = _latest(column.dataset.team).get(name)
        if kind != "team" or kept is None:
            raise KeyError(key)
        words = f"From the team library: {kept}"
        outline = lay_kept(kept, values)
    return set_outline(
        column=column,
        changed_by=changed_by,
        outline=outline,
        words=words,
        taken_from=kept,
        public_labels=kept is None,  # what stands on the shelf of everybody is known to everybody
    )


def shelf_entry_of(taxonomy: ColumnTaxonomy) -> ShelfEntry | None:
    """Return the taxonomy of the shelf that a column has as it came, None for any other."""
    version = taxonomy.version
    if version is None or version.step_count:
        return None
    return next((own for own in SHELF.values() if version.words == _words_of_shelf(own)), None)


def _words_of_shelf(entry: ShelfEntry) -> str:
    return f"From the shelf: {entry.name}"


def remove_from_library(*, kept: LibraryTaxonomy, removed_by: User) -> None:
    """Delete all versions of a taxonomy of the team; columns that use it keep theirs."""
    check_can_keep(removed_by, kept.team)
    with transaction.atomic():
        facts = {"version": kept.number}
        record_event(
            "library.taxonomy.removed", actor=removed_by, team=kept.team, subject=kept, facts=facts
        )
        LibraryTaxonomy.objects.filter(team=kept.team, name=kept.name).delete()


def get_of_team(column: DatasetColumn, key: str) -> LibraryTaxonomy:
    """Return what a team keeps under a key; raises KeyError if there is nothing."""
    kind, _, number = key.partition("-")
    kept: LibraryTaxonomy | None = _latest(column.dataset.team).get(number)
    if kind != "team" or kept is None:
        raise KeyError(key)
    return kept


def check_can_keep(user: User, team: Team) -> None:
    check_has_role(user, team, Role.STEWARD, "change the team library")


def _shelf_lines(column: DatasetColumn, values: Column) -> list[LibraryLine]:
    return [
        LibraryLine(
            f"shelf-{entry.slug}",
            entry.name,
            entry.levels,
            f"Built-in shelf · {entry.source}",
            len(entry.covered(values)),
            column.distinct,
        )
        for entry in SHELF.values()
    ]


def _team_lines(column: DatasetColumn, values: Column) -> list[LibraryLine]:
    lines = []
    for key, kept in _latest(column.dataset.team).items():
        placed = column.distinct - len(lay_kept(kept, values).unplaced)
        levels = f"{kept.height} coarser levels, {kept.value_count:,} values"
        used = f"{kept.dataset_count} dataset{'' if kept.dataset_count == 1 else 's'}"
        source = f"Team library · version {kept.number} · used in {used} · {kept.source}"
        lines.append(LibraryLine(f"team-{key}", kept.name, levels, source, placed, column.distinct))
    return lines


def _latest(team: Team) -> dict[str, Any]:
    """Return the newest version of every taxonomy of a team, by the number of its row."""
    newest: dict[str, Any] = {}
    for kept in kept_by_team(team):
        newest.setdefault(kept.name, kept)
    return {str(kept.pk): kept for kept in newest.values()}


def kept_by_team(team: Team) -> QuerySet[Any]:
    """Return all versions of a team's library, the newest of each name first, without trees."""
    used = Count("uses__column__dataset", distinct=True)
    counted = LibraryTaxonomy.objects.filter(team=team).annotate(dataset_count=used)
    return counted.select_related("made_by").order_by("name", "-number")


@dataclass(frozen=True)
class KeptLine:
    """A taxonomy of the team in the list of its library: the newest version, and how many."""

    kept: Any
    versions: int
    datasets: int


def list_team_library(team: Team) -> list[KeptLine]:
    by_name: dict[str, list[Any]] = {}
    for kept in kept_by_team(team).defer("tree"):
        by_name.setdefault(kept.name, []).append(kept)
    return [
        KeptLine(own[0], len(own), sum(kept.dataset_count for kept in own))
        for own in by_name.values()
    ]


def lay_alone(kept: LibraryTaxonomy) -> Outline:
    """Return the taxonomy of a kept tree with its own values, without a table."""
    content = json.dumps(kept.tree).encode()
    own = parse_json(content, Column.from_cells("", []))
    return parse_json(content, Column.from_cells("", [branch.label for branch in own.values()]))


def lay_kept(kept: LibraryTaxonomy, values: Column) -> Outline:
    return parse_json(json.dumps(kept.tree).encode(), values)
