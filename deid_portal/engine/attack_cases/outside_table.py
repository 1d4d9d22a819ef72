"""An outside table beside a release: which columns both know, and who of it is in the original."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from deid_portal.engine.attack_cases.case import Case
from deid_portal.engine.attacks.attack import AttackSetting
from deid_portal.engine.attacks.outside_linkage import find_outside_people
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.taxonomies import Taxonomy

MOST_ALIKE = 0.8  # overlap from which columns of different names are taken for the same
FEWEST_VALUES = 3  # of a column that is recognized by its values alone


@dataclass(frozen=True)
class SharedColumn:
    """A column of the outside table and the one of the original it seems to be.

    `overlap` is the share of its different values that the original has, too.
    """

    theirs: str
    ours: str
    overlap: float


def find_shared_columns(outside: Table, originals: Sequence[Column]) -> list[SharedColumn]:
    """Pair columns by name and by their values, each at most once, in the order of the originals.

    `outside` may be the first rows of a table. A pair needs at least one value in common: without
    any, nobody could be found by it.
    """
    pairs = [
        (_rank(theirs, ours, overlap), theirs.name, ours.name, overlap)
        for ours in originals
        for theirs in outside.columns
        if (overlap := _overlap(theirs, ours)) > 0
    ]
    taken_theirs: set[str] = set()
    found: dict[str, SharedColumn] = {}
    for rank, theirs, ours, overlap in sorted(pairs, reverse=True):
        if rank and theirs not in taken_theirs and ours not in found:
            taken_theirs.add(theirs)
            found[ours] = SharedColumn(theirs, ours, overlap)
    return [found[column.name] for column in originals if column.name in found]


def _rank(theirs: Column, ours: Column, overlap: float) -> float:
    """Say how sure it is that two columns are the same: the name first, then the values."""
    if _bare(theirs.name) == _bare(ours.name):
        return 1 + overlap
    is_telling = len(theirs.values) >= FEWEST_VALUES and overlap >= MOST_ALIKE
    return overlap if is_telling else 0.0


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _overlap(theirs: Column, ours: Column) -> float:
    own = set(ours.values)
    values = [text for text in theirs.values if text is not None]
    return sum(text in own for text in values) / len(values) if values else 0.0


def bring_outside(
    case: Case,
    table: Table,
    columns: Mapping[str, str],  # theirs by ours
    person: tuple[str, str] | None = None,  # theirs and ours: says who is who
) -> AttackSetting:
    """Return the setting of an intruder who has an outside table and knows only its columns."""
    missing = [theirs for theirs in columns.values() if theirs not in table]
    if person is not None and person[0] not in table:
        missing.append(person[0])
    if missing or not columns:
        named = f'no column "{missing[0]}"' if missing else "no column in common with the release"
        raise InvalidTable(f"The outside table has {named}.")
    outside = Table(tuple(replace(table[theirs], name=ours) for ours, theirs in columns.items()))
    return replace(
        case.setting(),
        quasi_identifiers=tuple(columns),
        outside=outside,
        outside_rows=None if person is None else find_outside_people(case.original, table, person),
        taxonomies={**case.taxonomies, **_taxonomies_with(case, outside)},
    )


def bring_control(case: Case, table: Table) -> AttackSetting:
    """Return the setting with people to compare with who are not in the original."""
    missing = [name for name in (*case.names, *case.sensitive) if name not in table]
    if missing:
        raise InvalidTable(f'The table to compare with has no column "{missing[0]}".')
    own = Table(tuple(table[name] for name in table.names if name in case.original))
    taxonomies = {**case.taxonomies, **_taxonomies_with(case, own)}
    return replace(case.setting(), control=own, taxonomies=taxonomies)


def _taxonomies_with(case: Case, outside: Table) -> dict[str, Taxonomy]:
    """Return taxonomies that place the values of the outside table, too, where a rule does so.

    A tree that lists its values has no place for strangers; they match nothing, as they should.
    """
    extended = {}
    for column in outside.columns:
        planned = case.plan.column(column.name)
        if planned is None or column.name not in case.names:
            continue
        both = _with_values_of(case.original[column.name], column)
        if not planned.recipe.uncovered(both):
            extended[column.name] = planned.recipe.build(both)
    return extended


def _with_values_of(own: Column, other: Column) -> Column:
    known = set(own.values)
    more = tuple(text for text in other.values if text not in known)
    return replace(own, values=(*own.values, *more))
